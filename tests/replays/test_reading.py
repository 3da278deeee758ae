"""Records written and read: the same facts, the same bytes, and the place of whatever is wrong."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine.moves import Abandon, Shake
from dominohall_replays import log as log_module
from dominohall_replays import reading
from dominohall_replays.errors import TruncatedLog, UnreadableLog, UnwritableRecord
from dominohall_replays.log import read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.reading import LoggedHeader, LoggedMove, read_entry, read_move, same_move
from dominohall_replays.records import (
    BYTES_32,
    GREATEST_TIME,
    Entry,
    Head,
    Header,
    Initial,
    header_entry,
    link_of,
    move_entry,
    opened_shake,
    revealed_secret,
)
from hypothesis import given, settings
from hypothesis import strategies as st

hashes = st.binary(min_size=32, max_size=32)


def test_a_log_says_what_was_recorded(short_match: Any) -> None:
    """Reading gives back every fact of the header and of every move, in memory, in a file and in a stream."""
    log = read_log(short_match.revealed)
    assert log.header == short_match.header
    read = list(log)
    assert [each.sequence for each in read] == [entry.sequence for entry in short_match.entries[1:]]
    for each, move, entry in zip(read, short_match.moves, short_match.entries[1:], strict=True):
        if isinstance(move, Shake):
            assert each.move == b"\x01"
            assert each.opened.order == move.tiles  # type: ignore[union-attr]
        else:
            assert each.move == short_match.game.encode_move(move)
        assert (each.last_link, each.end - each.offset) == (entry.link, len(entry.data))
        assert short_match.revealed[each.offset : each.end] == entry.data
    assert [each.terminal for each in read[:-1]] == [None] * (len(read) - 1)
    assert read[-1].terminal is not None
    assert log.head == short_match.head
    assert [each.secret for each in log.attachments] == [short_match.secret]  # type: ignore[union-attr]


def test_sources_are_equal(short_match: Any, tmp_path: Path) -> None:
    """A log reads the same from bytes, a path, and a stream that begins with something else; and reads again."""
    path = tmp_path / "x"
    path.write_bytes(short_match.revealed)
    stream = io.BytesIO(b"before" + short_match.revealed)
    stream.seek(6)
    wanted = list(read_log(short_match.revealed).items())
    for log in (read_log(path), read_log(stream)):
        assert list(log.items()) == wanted
        assert list(log.items()) == wanted


def test_a_long_log_is_read_in_parts(short_match: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little is read at once, places count from the beginning of the log and no entry is taken for cut."""
    longest = max(len(entry.data) for entry in short_match.entries)
    monkeypatch.setattr(log_module, "LOOKAHEAD", longest)
    for chunk in (1, 7, longest):
        monkeypatch.setattr(log_module, "CHUNK", chunk)
        stream = io.BytesIO(short_match.revealed)
        assert list(read_log(stream).items()) == list(read_log(short_match.revealed).items())
        with pytest.raises(TruncatedLog) as caught:
            list(read_log(io.BytesIO(short_match.log[:-3])))
        assert caught.value.offset == len(short_match.log) - 3


def test_memory_does_not_grow_with_the_log() -> None:
    """Of a stream that never ends, no more is held than a few entries need."""

    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size: int = -1) -> bytes:
            self.taken += size
            assert self.taken < 10 * log_module.CHUNK
            return b"\x91" * size

        def tell(self) -> int:
            return 0

        def seek(self, offset: int, _whence: int = 0) -> int:
            return offset

    with pytest.raises(UnreadableLog):
        read_log(Endless())  # type: ignore[arg-type]


@settings(max_examples=300, deadline=None)
@given(
    sequence=st.integers(1, 300) | st.sampled_from([65535, 65536, 2**32 - 1]),
    move=st.binary(min_size=1, max_size=140),
    digest=hashes,
    time=st.none() | st.integers(0, 2**34) | st.integers(0, GREATEST_TIME + 2),
    link=hashes,
    after=st.sampled_from([b"", b"\x96\x01", b"\x95\x02", b"\x93\x10", b"\x92\x11", b"\xc0", b"\x92\x21"]),
    change=st.none() | st.tuples(st.integers(0, 200), st.integers(0, 255)),
    cut=st.none() | st.integers(0, 160),
)
def test_the_short_way_reads_what_the_long_way_reads(**given_: Any) -> None:
    """Reading the commonest entry by its shape gives what reading it item by item gives, or leaves it to that."""
    sequence = given_["sequence"]
    record = pack([1, sequence, given_["move"], given_["digest"], given_["time"], None])
    data = bytearray(b"??" + record + BYTES_32 + given_["link"] + given_["after"])
    if given_["change"] and given_["change"][0] < len(data):
        data[given_["change"][0]] = given_["change"][1]
    whole = bytes(data[: given_["cut"]]) if given_["cut"] is not None else bytes(data)
    short = reading._fast_move(whole, 2, sequence)
    if short is not None:
        assert short == reading._move(whole, 2, sequence)


def test_the_short_way_is_taken(short_match: Any) -> None:
    """Moves of seats, with and without a time, are read the short way."""
    head = Head("m", 4, bytes(32))
    move, state = short_match.moves[-2], short_match.states[-2]
    for time in (None, 1_700_000_000_000):
        entry = move_entry(short_match.game, head, move, state, root=bytes(32), occurred_at=time)
        assert reading._fast_move(entry.data, 0, 5) == read_move(entry.data, 0, 5)
        assert reading._fast_move(entry.data, 0, 5) is not None
        assert reading._fast_move(entry.data, 0, 6) is None


def test_the_public_bytes_may_be_given(short_match: Any) -> None:
    """An entry is the same whether the caller gives the public bytes of the state or they are made here."""
    game, head, root = short_match.game, Head("m", 4, bytes(32)), bytes(32)
    for move, state in zip(short_match.moves[1:], short_match.states[2:], strict=True):
        salt = bytes(32) if isinstance(move, Shake) else None
        public = game.encode_public(state)
        given = move_entry(game, head, move, state, root=root, shake_salt=salt, public=public)
        assert given == move_entry(game, head, move, state, root=root, shake_salt=salt)


@pytest.mark.parametrize(
    "record",
    [
        [1, 4, b"\x11\x00", bytes(32), None],
        [1, 4, b"\x11\x00", bytes(32), None, None, None],
        [1, 4, b"\x11\x00", bytes(31), None, None],
        [1, 4, b"", bytes(32), None, None],
        [1, 4, bytes(129), bytes(32), None, None],
        [1, 4, b"\x11\x00", bytes(32), -1, None],
        [1, 4, b"\x11\x00", bytes(32), GREATEST_TIME + 1, None],
        [1, 4, b"\x11\x00", bytes(32), True, None],
        [1, 4, b"\x11\x00", bytes(32), None, bytes(32)],
        [1, 4, b"\x01", bytes(32), None, None],
        [1, 4, b"\x01" + bytes(range(28)), bytes(32), None, bytes(32)],
        [1, 4, b"\x01", bytes(32), None, bytes(33)],
        [1, 4, "x", bytes(32), None, None],
        [1, 5, b"\x11\x00", bytes(32), None, None],
        [1, True, b"\x11\x00", bytes(32), None, None],
        [True, 4, b"\x11\x00", bytes(32), None, None],
        [2, 4, b"\x11\x00", bytes(32), None, None],
        [3, 4],
        {"1": 4},
    ],
)
def test_records_that_are_none(record: Any) -> None:
    """A record of another shape is refused: a field too few or too many, of another type or size."""
    data = pack(record) + BYTES_32 + bytes(32)
    with pytest.raises(UnreadableLog) as caught:
        read_move(data, 0, 4)
    assert (caught.value.offset, caught.value.sequence) == (0, 4)
    assert not isinstance(caught.value, TruncatedLog)


@pytest.mark.parametrize(
    "item",
    [
        [16, bytes(27), bytes(32)],
        [16, bytes(28), bytes(31)],
        [16, bytes(28)],
        [17, [[0, 0, bytes(32), [bytes(32)] * 4]]],
        [17, [[28, 0, bytes(32), [bytes(32)] * 5]]],
        [17, [[0, 28, bytes(32), [bytes(32)] * 5]]],
        [17, [[0, False, bytes(32), [bytes(32)] * 5]]],
        [17, [[0, 0, bytes(32), [bytes(32)] * 4 + [None]]]],
        [17, [[1, 0, bytes(32), [bytes(32)] * 5], [1, 0, bytes(32), [bytes(32)] * 5]]],
        [17, [5]],
        [18, bytes(28), bytes(32)],
        [33, bytes(32)],
    ],
)
def test_openings_that_are_none(item: Any) -> None:
    """Beside a root stands one opening of the right shape, places ascending, and nothing else."""
    record = pack([1, 4, b"\x01", bytes(32), None, bytes(32)]) + BYTES_32 + bytes(32)
    with pytest.raises(UnreadableLog) as caught:
        read_move(record + pack(item), 0, 4)
    assert caught.value.offset == len(record)
    with pytest.raises(TruncatedLog):
        read_move(record, 0, 4)


@pytest.mark.parametrize(
    "item",
    [
        [32, 1, bytes(32), b"", bytes(64)],
        [32, 1, bytes(32), bytes(33), bytes(64)],
        [32, 1, bytes(32), b"k", bytes(63)],
        [32, 1, bytes(31), b"k", bytes(64)],
        [32, -1, bytes(32), b"k", bytes(64)],
        [32, True, bytes(32), b"k", bytes(64)],
        [32, 1, bytes(32), "k", bytes(64)],
        [33, bytes(31)],
        [33, bytes(32), 0],
        [8, b"x"],
        [15],
        [3],
        [40, 1],
        [],
        {},
        "text",
        None,
    ],
)
def test_attachments_that_are_none(short_match: Any, item: Any) -> None:
    """Beside the log stand signatures and revealed secrets of the right shape, and nothing unknown."""
    with pytest.raises(UnreadableLog) as caught:
        list(read_log(short_match.log + pack(item)).items())
    assert (caught.value.offset, caught.value.sequence) == (len(short_match.log), None)


def test_too_many_attachments(short_match: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log does not drag an endless tail of attachments."""
    monkeypatch.setattr(log_module, "GREATEST_ATTACHMENTS", 3)
    secret = revealed_secret(bytes(32))
    assert len(read_log(short_match.log + 3 * secret).attachments) == 3
    with pytest.raises(UnreadableLog, match="at most 3 attachments"):
        list(read_log(short_match.log + 4 * secret).items())


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"match_id": ""}, "match_id: expected 1 to 128 bytes, got 0"),
        ({"match_id": "x" * 129}, "got 129"),
        ({"match_id": "ł" * 65}, "got 130"),
        ({"match_id": "a\nb"}, "no control characters"),
        ({"match_id": "\x7f"}, "no control characters"),
        ({"match_id": "\x9f"}, "no control characters"),
        ({"owner": "\0"}, "owner: expected no control"),
        ({"owner": "x" * 129}, "owner"),
        ({"owner": "\ud800"}, "valid Unicode"),
        ({"game": ""}, "game"),
        ({"labels": ("x" * 257, "")}, "labels: expected 0 to 256 bytes, got 257"),
        ({"labels": ("",)}, "labels: expected one for each"),
        ({"labels": ("",) * 5}, "labels: expected one for each"),
        ({"rules_digest": b""}, "rules_digest: expected 32 bytes"),
        ({"rules_revision": 0}, "rules_revision"),
        ({"rules_revision": 2}, "rules_revision"),
        ({"first": 2}, "first"),
        ({"first": -1}, "first"),
        ({"commitment": None}, "together"),
        ({"deal_key_id": None}, "together"),
        ({"deal_key_id": b""}, "deal_key_id"),
        ({"deal_key_id": bytes(33)}, "deal_key_id"),
        ({"commitment": bytes(31)}, "commitment"),
        ({"marks": ("scripted", "imported")}, "in this order"),
        ({"marks": ("scripted", "scripted")}, "once each"),
        ({"marks": ("rigged",)}, "marks"),
        ({"marks": ("imported",)}, "initial state with the mark"),
        ({"initial": Initial(b"x", None)}, "initial state with the mark"),
        ({"marks": ("imported",), "initial": Initial(b"x", bytes(31))}, "initial root"),
        ({"options": {"revision": 1, "x": 1.5}}, "expected nil, a boolean"),
        ({"options": {"revision": 1, "x": "y" * 5000}}, "at most 4096"),
    ],
)
def test_headers_that_are_none(change: dict[str, Any], why: str) -> None:
    """A header outside the stated ranges is refused by the writer, and the message says which field and why."""
    good = Header("m", "o", "g", 1, bytes(32), {"revision": 1}, None, ("", ""), bytes(32), b"k")
    header_entry(good)
    with pytest.raises(UnwritableRecord, match=why):
        header_entry(replace(good, **change))


LABELS = ("a/b|c", "line\nbreak", "\u202e right to left", "🁢" * 64, "same", "")


@pytest.mark.parametrize("label", LABELS)
def test_labels_are_opaque(label: str) -> None:
    """Labels hold any text, equal ones and empty ones too, and mean nothing to anybody but the host."""
    header = Header("m", "o", "g", 1, bytes(32), {"revision": 1}, None, (label, label), None, None)
    read = read_entry(header_entry(header))
    assert isinstance(read, LoggedHeader)
    assert read.header == header


def test_a_header_has_one_spelling(tools: Any) -> None:
    """A header with its keys in another order, one missing, one more, or options unsorted is refused."""
    match = tools.start("forty_two", tools.SHORT["forty_two"])
    item, _ = unpack(match.log)
    assert isinstance(item, list)
    fields = item[1]
    assert isinstance(fields, dict)
    options = fields["options"]
    assert isinstance(options, dict)
    for wrong in (
        dict(reversed(fields.items())),
        {name: value for name, value in fields.items() if name != "owner"},
        fields | {"more": 1},
        fields | {"format": "dominohall-replay/2"},
        fields | {"options": dict(reversed(options.items()))},
        fields | {"options": options | {"zzz": [1]}},
        fields | {"labels": ["", "", "", 1]},
        fields | {"first": False},
        fields | {"rules_revision": True},
        fields | {"initial": [b"x"]},
        fields | {"marks": None},
    ):
        record = pack([0, wrong])
        with pytest.raises(UnreadableLog) as caught:
            read_log(record + BYTES_32 + link_of(bytes(32), record))
        assert caught.value.offset == 0


def test_the_writer_refuses_what_the_log_has_no_place_for(short_match: Any) -> None:
    """A time outside its range, a shake without root or salt, an order where there is no root, are refused."""
    game, head = short_match.game, Head("m", 4, bytes(32))
    number = next(n for n, move in enumerate(short_match.moves) if isinstance(move, Shake))
    shake, after = short_match.moves[number], short_match.states[number + 1]
    for time in (-1, GREATEST_TIME + 1, 1.5, True, "1"):
        with pytest.raises(UnwritableRecord, match="occurred_at"):
            move_entry(game, head, short_match.moves[-1], after, root=None, occurred_at=time)  # type: ignore[arg-type]
    with pytest.raises(UnwritableRecord, match="root of the shake"):
        move_entry(game, head, shake, after, root=None, shake_salt=bytes(32))
    with pytest.raises(UnwritableRecord, match="salt of the shake"):
        move_entry(game, head, shake, after, root=bytes(32))
    with pytest.raises(UnwritableRecord, match="sequence"):
        move_entry(game, head._replace(sequence=2**32 - 1), shake, after, root=bytes(32), shake_salt=bytes(32))
    with pytest.raises(UnwritableRecord, match="28 tiles once each"):
        opened_shake(bytes(28), bytes(32))
    with pytest.raises(UnwritableRecord, match="initial order"):
        header_entry(short_match.header, initial_order=bytes(range(28)))
    with pytest.raises(UnwritableRecord, match="32 bytes"):
        revealed_secret(b"short")


def test_the_same_move(record: Any, tools: Any) -> None:
    """A repetition is the same move on the same predecessor, whatever its time; anything else is another move."""
    options = tools.SHORT["forty_two"]
    one, later = record("forty_two", options, moves=8), record("forty_two", options, moves=8, times=True)
    for stored, given_ in zip(one.entries, one.entries, strict=True):
        assert same_move(stored, given_)
    assert same_move(one.entries[1], later.entries[1])
    assert one.entries[1] != later.entries[1]
    assert not same_move(one.entries[2], later.entries[2])  # the same move on another predecessor
    assert not same_move(one.entries[2], one.entries[3])
    tools.add(one, one.game.legal_moves(one.states[-1])[0])
    tools.add(later, Abandon("x"))
    moved = later.entries[-1]._replace(previous=one.entries[-1].previous)
    assert not same_move(one.entries[-1], moved)
    assert not same_move(one.entries[0], one.entries[1])


def test_an_entry_stands_alone(short_match: Any) -> None:
    """What a store keeps of a match can be read entry by entry, and an entry with anything behind it is none."""
    for entry in short_match.entries:
        read = read_entry(entry)
        assert isinstance(read, LoggedHeader if entry.sequence == 0 else LoggedMove)
        with pytest.raises(UnreadableLog):
            read_entry(Entry(entry.sequence, entry.previous, entry.link, entry.data + b"\xc0"))


def test_bytes_a_move(record: Any, tools: Any) -> None:
    """A move costs at most 110 bytes in a log, and the entry of a play at most 80."""
    for game, options in tools.SHORT.items():
        match = record(game, options, seed=1)
        sizes = [len(entry.data) for entry in match.entries[1:]]
        assert sum(sizes) / len(sizes) <= 110
        assert sorted(sizes)[len(sizes) // 2] <= 80
