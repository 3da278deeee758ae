"""Log files: complete or not there, and never changed."""

from pathlib import Path
from typing import Any

import pytest
from dominohall_replays.export import SUFFIX, export_match, log_path, write_log
from dominohall_replays.records import revealed_secret
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import UnknownMatch
from dominohall_replays.verify import verify
from hypothesis import given
from hypothesis import strategies as st

ids = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)


@given(st.tuples(ids | st.just(""), ids), st.tuples(ids | st.just(""), ids))
def test_names_are_safe_and_never_meet(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Every id gives a plain name of its own inside the directory."""
    base = Path("replays")
    paths = [log_path(base, *each) for each in (one, other)]
    assert (paths[0] == paths[1]) == (one == other)
    for path in paths:
        assert path.parent.parent == base
        for part in (path.parent.name, path.name.removesuffix(SUFFIX)):
            assert part
            assert part.isascii()
            assert set(part) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_%~")
            assert len(part) <= 200


@pytest.mark.parametrize("match_id", ["..", ".", "a/b", "/etc", "x" * 128, "🁢" * 32, "a\\b", "CON", "a.b"])
def test_hostile_ids(tmp_path: Path, match_id: str, short_match: Any) -> None:
    """No id leads out of the directory, hides the file or is too long for a name."""
    path = log_path(tmp_path, "..", match_id)
    write_log(path, short_match.entries)
    assert path.resolve().is_relative_to(tmp_path.resolve())
    assert not path.name.startswith(".")
    assert log_path(tmp_path, "..", match_id + "x") != path


def test_long_ids_that_begin_alike(tmp_path: Path) -> None:
    """Two ids too long for a name, alike in their beginning, have two names."""
    one, other = (log_path(tmp_path, "o", "ł" * 60 + end) for end in "ab")
    assert one != other


def test_a_file_is_a_log(tmp_path: Path, short_match: Any) -> None:
    """What was written verifies, with its attachments, and nothing else is left in the directory."""
    path = log_path(tmp_path / "new", "acme", "match-1")
    write_log(path, short_match.entries, [revealed_secret(short_match.secret)])
    assert path.read_bytes() == short_match.revealed
    report = verify(path)
    assert (report.verdict, report.deal) == ("valid", "proven")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_create_only(tmp_path: Path, short_match: Any) -> None:
    """The same log again is a success that changes nothing; another one is refused and the first one stays."""
    path = tmp_path / "x.dominohall"
    write_log(path, short_match.entries)
    before = path.stat()
    write_log(path, short_match.entries)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(FileExistsError, match="another log stands"):
        write_log(path, short_match.entries[:4])
    assert path.read_bytes() == short_match.log
    assert len(list(tmp_path.iterdir())) == 1


def test_a_log_that_fails_midway_leaves_nothing(tmp_path: Path, short_match: Any) -> None:
    """If its entries can't all be had, no file appears."""

    def failing() -> Any:
        yield from short_match.entries[:3]
        raise UnknownMatch

    with pytest.raises(UnknownMatch):
        write_log(tmp_path / "x.dominohall", failing())
    assert list(tmp_path.iterdir()) == []


def test_export(tmp_path: Path, short_match: Any) -> None:
    """A stored match, finished or not, is written as the log it is."""
    store = SqliteStore(tmp_path / "store.db")
    for count, name in ((len(short_match.entries), "whole"), (7, "begun")):
        store.append("acme", name, short_match.entries[:count])
        export_match(store, "acme", name, tmp_path / f"{name}.dominohall")
        assert verify(tmp_path / f"{name}.dominohall").moves == count - 1
    with pytest.raises(UnknownMatch):
        export_match(store, "acme", "none", tmp_path / "none.dominohall")
    store.close()
