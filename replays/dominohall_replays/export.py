"""Log files: finished matches, and any match on request, written once and whole.

A file appears under its name complete or not at all, and a file that stands is never changed: writing the same log
again is a success, another log under the same name is refused.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote

from dominohall_replays.records import Entry
from dominohall_replays.store import Store

SUFFIX: Final = ".dominohall"
LONGEST_NAME: Final = 160


def log_path(directory: Path, owner: str, match_id: str) -> Path:
    """Return where the log of a match lies: a directory an owner, a file a match.

    Letters, digits, `-` and `_` stand for themselves, every other byte is escaped, so no id leads out of the directory
    and no two ids meet; one too long for a file name ends in its digest.
    """
    return directory / _safe(owner) / (_safe(match_id) + SUFFIX)


def _safe(text: str) -> str:
    name = quote(text, safe="").replace(".", "%2E").replace("~", "%7E") or "%"
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}~{sha256(text.encode()).hexdigest()[:32]}"
    return name


def log_bytes(entries: Iterable[Entry], attachments: Iterable[bytes] = ()) -> bytes:
    """Return a log: its entries one after another, then the attachments."""
    return b"".join([*(entry.data for entry in entries), *attachments])


def write_log(path: Path, entries: Iterable[Entry], attachments: Iterable[bytes] = ()) -> None:
    """Write a log file, create-only (see `write_once`)."""
    write_once(path, log_bytes(entries, attachments))


def write_once(path: Path, data: bytes) -> None:
    """Write a file, create-only, complete and on the disk when this returns.

    Makes missing directories. `FileExistsError` if other bytes stand there; the same bytes again change nothing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        _publish(Path(name), path, data)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
    _sync(path.parent)


def _publish(written: Path, path: Path, data: bytes) -> None:
    """Give the file its name: a link, unlike a renaming, never replaces one that stands."""
    try:
        path.hardlink_to(written)
    except FileExistsError:
        if path.read_bytes() != data:
            raise FileExistsError(f"another log stands at {path}") from None


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def export_match(store: Store, owner: str, match_id: str, path: Path, attachments: Iterable[bytes] = ()) -> None:
    """Write the log of a stored match, finished or not; `UnknownMatch` if there is none."""
    write_log(path, store.entries(owner, match_id), attachments)


def stored_logs(store: Store, owner: str | None = None) -> Iterator[bytes]:
    """Go through the logs of an owner's stored matches, or of everybody's."""
    token = ""
    while True:
        page = store.matches(owner, page_token=token)
        for match in page.matches:
            yield log_bytes(store.entries(match.owner, match.head.match_id))
        token = page.next_page_token
        if not token:
            return
