"""The pages people read: their links lead somewhere, and what they show runs."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from dominohall.v1 import match_service_pb2, replay_service_pb2
from dominohall_loadtest.server import own_server

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
FENCE = re.compile(r"^(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
EXECUTED = re.compile(
    r"^<!-- run(?P<service>: service)? -->\n+```(?P<language>python|sh|console)\n(?P<body>.*?)^```\n"
    r"(?:\n<!-- output -->\n+```\w*\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


class Example(NamedTuple):
    """A block that is marked `<!-- run -->`, or `<!-- run: service -->` if it calls one on port 50051."""

    page: str
    number: int
    language: str
    body: str
    output: str | None
    """What stands in the block marked `<!-- output -->` behind it, None if there is none."""
    needs_service: bool


def pages() -> list[Path]:
    """Return every page of the project."""
    folders = [ROOT.glob("*.md"), ROOT.glob("docs/**/*.md"), ROOT.glob("helm/*/*.md"), ROOT.glob("loadtest/**/*.md")]
    return sorted(path for folder in folders for path in folder if "node_modules" not in path.parts)


def examples() -> list[Example]:
    """Find the marked blocks of all pages."""
    return [
        Example(
            page.relative_to(ROOT).as_posix(), number, found["language"], found["body"], found["output"],
            found["service"] is not None,
        )
        for page in pages()
        for number, found in enumerate(EXECUTED.finditer(page.read_text()), 1)
    ]  # fmt: skip


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings make, and those it sets itself."""
    text = FENCE.sub("", page.read_text())
    headings = (re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in HEADING.findall(text))
    return {*headings, *re.findall(r"(?:id=\"|\{ ?#)([\w.-]+)", text)}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file of the project, and a heading of it if it names one."""
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_the_protocol_page_has_every_method() -> None:
    """Each method of each service has its row with what it promises, under the service's name, in the wire's order."""
    page = (ROOT / "docs" / "protocol.md").read_text()
    for module in (match_service_pb2, replay_service_pb2):
        for service in module.DESCRIPTOR.services_by_name.values():
            section = page.partition(f"\n## `{service.name}`\n")[2].partition("\n## ")[0]
            rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
            assert rows == [method.name for method in service.methods]


def run_example(example: Example, folder: Path, port: str = "50051") -> str:
    """Run one block as its reader would, in an empty folder; return what it prints."""
    body = example.body.replace("50051", port)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    if example.language == "python":
        command = [sys.executable, "-W", "error", "-c", body]
    else:
        script = "".join(line.removeprefix("$ ") + "\n" for line in body.splitlines())
        command = ["bash", "-euo", "pipefail", "-c", script]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("example", examples(), ids=lambda example: f"{example.page}-{example.number}")
def test_marked_examples_run(example: Example, tmp_path: Path) -> None:
    """A block marked `<!-- run -->` runs without error or warning, and prints what stands behind it."""
    if example.needs_service:
        with own_server() as target:
            printed = run_example(example, tmp_path, target.partition(":")[2])
    else:
        printed = run_example(example, tmp_path)
    if example.output is not None:
        assert printed == example.output


def test_the_readme_shows_all_three_ways() -> None:
    """The README has an executed example that embeds the engine, one that calls the service, one of the command."""
    shown = {(each.language, each.needs_service) for each in examples() if each.page == "README.md"}
    assert {("python", False), ("python", True)} <= shown
    assert any(language in {"sh", "console"} for language, _ in shown)
