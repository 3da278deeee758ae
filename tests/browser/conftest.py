"""A real Chromium for pages, driven from outside; without one these tests are skipped, and say what is missing."""

import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Start the Chromium of this machine."""
    playwright: Any = pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing (pip install playwright): no page is seen in a browser"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is missing (Debian: apt-get install chromium): no page is seen in a browser")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()
