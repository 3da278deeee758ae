"""Segments of compact logs: small, whole or refused, and those of the first version stay readable."""

from hashlib import sha256
from pathlib import Path

import msgpack
import pytest
from dominohall_engine.games import PRESETS
from dominohall_replays.archive import Archive
from dominohall_replays.archive_format import (
    COMPACT,
    END_2,
    FOOTER,
    LOG,
    MAGIC,
    MAGIC_2,
    Segment,
    UnreadableSegment,
    blocks_of,
    check_segment,
    kept_in,
    pack_compact,
    path_of,
    read_footer,
    rows_in,
)
from dominohall_replays.compact import Row, judged
from dominohall_replays.compact_block import compressed
from dominohall_replays.compact_row import expanded_row
from dominohall_replays.generate.matches import match_from
from dominohall_replays.store import Tombstone
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

FIXTURES = Path(__file__).parent / "fixtures"
LOGS = ("abandoned", "fives.linear.finished", "forty_two.russian.finished", "scripted", "signed")
"""The fixtures of logs that stand in the fixtures of segments."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Make a few matches."""
    return [match_from(7, str(number), PRESETS[number % 3]).row for number in range(5)]


@pytest.fixture(scope="module")
def small(rows: list[Row]) -> Segment:
    """Pack two matches in a block each."""
    return pack_compact(rows[:2], logs_a_block=1)


@pytest.mark.parametrize("version", ["1", "2"])
def test_frozen_segments_are_read(version: str, tmp_path: Path) -> None:
    """A segment of each version, as it was once written, gives every log back through an archive."""
    data = (FIXTURES / f"archive/{version}.dominohall-segment").read_bytes()
    index = check_segment(data)
    assert index == kept_in(data)
    assert {kept.form for kept in index} == {LOG if version == "1" else COMPACT}
    archive = Archive(str(tmp_path))
    name = read_footer(data[-FOOTER.size :], len(data))[2].hex()
    archive.write(Segment(name, data, index))
    assert archive.index(name) == archive.check(name) == index
    found = {archive.log(Tombstone(k.owner, k.head, name, k.offset, k.size)) for k in index}
    assert found == {(FIXTURES / f"v1/{log}.dominohall").read_bytes() for log in LOGS}


def test_the_same_logs_make_the_same_segment(rows: list[Row]) -> None:
    """Whatever the order they come in; and a match can't be there twice."""
    assert pack_compact(rows) == pack_compact(reversed(rows))
    for bad in ([], [rows[0], rows[1], rows[0]]):
        with pytest.raises(ValueError, match="each of another match"):
            pack_compact(bad)


def test_every_changed_byte_is_noticed(small: Segment) -> None:
    """A segment with any byte changed, or cut anywhere, is refused."""
    assert check_segment(small.data) == small.kept
    for at in range(len(small.data)):
        changed = small.data[:at] + bytes((small.data[at] ^ 1 << at % 8,)) + small.data[at + 1 :]
        with pytest.raises(UnreadableSegment):
            check_segment(changed)
        with pytest.raises(UnreadableSegment):
            check_segment(small.data[:at])


def test_a_block_that_is_broken_is_named_by_its_byte(small: Segment) -> None:
    """The other blocks can be read still: the error says where the broken one begins."""
    offset, size, _ = read_footer(small.data[-FOOTER.size :], len(small.data))
    first, second = blocks_of(small.data[offset : offset + size])
    broken = small.data[: second.offset + 40] + b"\0\0" + small.data[second.offset + 42 :]
    with pytest.raises(UnreadableSegment, match=f"block at byte {second.offset}"):
        rows_in(broken, second)
    assert [row.match_id for row in rows_in(broken, first)] == [small.kept[0].head.match_id]
    with pytest.raises(UnreadableSegment, match="expected 2 logs, got 1"):
        rows_in(small.data, first._replace(logs=2))


def resealed(parts: bytes, index: object) -> bytes:
    """Put an index and a right footer behind parts: what somebody writes who knows the format."""
    packed: bytes = msgpack.packb(index)
    whole = MAGIC_2 + parts + packed
    return whole + FOOTER.pack(len(MAGIC_2) + len(parts), len(packed), sha256(whole).digest(), END_2)


@pytest.mark.parametrize(
    "index",
    [
        7,
        [[21]],
        [[21, 10, 1, "log"]],
        [[21, 10, 1, "other"]],
        [[21, -1, 1, "compact"]],
        [[22, 10, 1, "compact"]],
        [["", 10, 1, "compact"]],
        [[21, 1 << 40, 1, "compact"]],
    ],
)
def test_an_index_that_is_none_is_refused(index: object) -> None:
    """Unknown forms, places that are none, and other values are refused, whatever the footer says."""
    with pytest.raises(UnreadableSegment):
        check_segment(resealed(compressed(b"x" * 30), index))


@pytest.mark.parametrize(
    "content",
    [
        b"\xc1",
        msgpack.packb(1),
        msgpack.packb([2, [], []]),
        msgpack.packb([1, [], [[0, "m", 1, bytes(32), b""]]]),
        msgpack.packb([1, [["o", "fives", 1, b"", [], None, None, []]], [[0, "m", 1, bytes(32)]]]),
        msgpack.packb([1, [["o", "fives", 1, b"", [["a", 1, 2]], None, None, []]], []]),
        msgpack.packb([1, [["o", "fives", 1, b"", [], None, None, []]], [[0, "m", 1 << 18, bytes(32), b""]]]),
        msgpack.packb([1, [["o", "fives", 1, b"", [], None, None, []]], [[0, b"short", 1, bytes(32), b""]]]),
        msgpack.packb([1, [["o", "fives", 1, b"", [], None, None, []]], [[-1, "m", 1, bytes(32), b""]]]),
        msgpack.packb([1, [["o", "fives", 1, b"", [], None, None, []]], [[0, "m", 1, bytes(32), b"", b"", b"", [1]]]]),
    ],
)
def test_a_block_that_is_none_is_refused(content: bytes) -> None:
    """Blocks of other versions, with other values, and rows that claim too much, are refused by one error."""
    frame = compressed(content)
    with pytest.raises(UnreadableSegment):
        check_segment(resealed(frame, [[len(MAGIC), len(frame), 1, "compact"]]))


def test_a_match_that_is_not_in_its_block(rows: list[Row], tmp_path: Path) -> None:
    """A tombstone that names a block without its match is answered by an error, not by another match."""
    archive, segment = Archive(str(tmp_path)), pack_compact(rows)
    archive.write(segment)
    kept = segment.kept[0]
    lost = Tombstone("other", kept.head, segment.name, kept.offset, kept.size)
    with pytest.raises(UnreadableSegment, match="in the block at byte"):
        archive.log(lost)
    assert (tmp_path / path_of(segment.name)).is_file()


@pytest.mark.parametrize("preset", PRESETS)
def test_bytes_a_move(preset: str) -> None:
    """A segment has at most 2 bytes a move with everything in it counted, and less than 1 where matches are long."""
    made = [match_from(11, str(number), preset) for number in range(40)]
    segment = pack_compact([each.row for each in made])
    moves = sum(each.row.sequence for each in made)
    assert len(segment.data) / moves < (2 if preset.startswith("fives") else 1)
    assert [expanded_row(row).log for row in (each.row for each in made)] == [each.log for each in made]


def test_what_is_judged_by_its_row_is_judged_like_the_log(rows: list[Row]) -> None:
    """Generated matches are valid, with a proven deal, by either way of judging."""
    for row in rows:
        report = judged(row)
        assert (report.verdict, report.deal) == (Verdict.VALID, "proven")
        assert report == verify(expanded_row(row).log)
