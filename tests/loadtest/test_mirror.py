"""The judge itself: it accepts what the replay library writes, and nothing that differs from it by a byte."""

import secrets
from collections.abc import Iterator

import pytest
from dominohall.v1 import match_service_pb2, record_pb2
from dominohall_engine.game import Phase
from dominohall_engine.moves import Shake
from dominohall_engine.options import options_to_plain
from dominohall_engine.shuffle import shuffled
from dominohall_loadtest.entries import Mismatch, read_entry
from dominohall_loadtest.kinds import KINDS, Kind
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.readable import STATE_OF, check_state, options_to_proto
from dominohall_loadtest.wire import phase_to_proto
from dominohall_replays.deals import root as root_of
from dominohall_replays.records import Entry, Head, Header, header_entry, move_entry

LONG_ENOUGH = 150
"""Moves that take every kind beyond its first round."""


def header_of(kind: Kind) -> Entry:
    """Write the header of a match of this kind."""
    return header_entry(
        Header(
            match_id="m", owner="", game=kind.game.NAME, rules_revision=1, rules_digest=bytes(32),
            options=options_to_plain(kind.options), first=None, labels=("",) * len(kind.seats), commitment=None,
            deal_key_id=None,
        )
    )  # fmt: skip


def moves_of(kind: Kind, count: int) -> Iterator[tuple[object, Entry]]:
    """Play a match by its first legal moves and yield each move (None for chance) with its entry."""
    game, state, root = kind.game, kind.game.new_match(kind.options), None
    entry = header_of(kind)
    head = Head("m", 0, entry.link)
    for number in range(count):
        salt = None
        if (seat := game.turn(state)) is not None:
            legal = game.legal_moves(state)
            move = legal[(number + seat) % len(legal)]
        elif game.phase(state) is Phase.SHAKE:
            order, salt = shuffled(number.to_bytes(32, "big")), secrets.token_bytes(32)
            move, root = Shake(order), root_of(order, salt)
        elif game.phase(state) is Phase.LOT:
            move = game.decode_move(bytes((2, 1)) if game.NAME == "forty_two" else bytes((2, *kind.seats)))
        else:
            return
        state = game.apply(state, move)
        entry = move_entry(game, head, move, state, root=root, shake_salt=salt)
        head = Head("m", entry.sequence, entry.link)
        yield (move if seat is not None else None), entry


def record_of(entry: Entry) -> record_pb2.Record:
    """Write an entry as a reply carries it."""
    return record_pb2.Record(sequence=entry.sequence, link=entry.link, entry=entry.data)


def begun(kind: Kind) -> Mirror:
    """Return a mirror that has accepted the header, and the match a reply would carry."""
    mirror, entry = Mirror(kind, "m"), header_of(kind)
    reply = match_service_pb2.StartMatchResponse(record=record_of(entry))
    match = reply.match
    match.token, match.match_id, match.sequence, match.link = b"token", "m", 0, entry.link
    state = match.state
    state.options.CopyFrom(options_to_proto(kind))
    state.phase = phase_to_proto(kind.game.phase(mirror.state))
    for seats in kind.game.sides(kind.options):
        state.sides.add(seats=seats, points=0)
    getattr(state, kind.game.NAME).CopyFrom(STATE_OF[kind.game.NAME](kind, mirror.state))
    mirror.began(reply)
    return mirror


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_it_follows_what_the_replay_library_writes(kind: Kind) -> None:
    """Entries written by the other implementation are accepted one after another, to the same head."""
    mirror = begun(kind)
    link = mirror.link
    for move, entry in moves_of(kind, LONG_ENOUGH):
        mirror.moved(move, record_of(entry))
        link = entry.link
    assert mirror.sequence >= LONG_ENOUGH or mirror.over
    assert mirror.link == link


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_changed_byte_of_a_chained_record_is_accepted(kind: Kind) -> None:
    """Each byte of a record and its link, changed by one bit, is noticed in the reply that carries it."""
    mirror = begun(kind)
    for move, entry in moves_of(kind, 12):
        if move is None:
            mirror.moved(move, record_of(entry))
            continue
        for place in range(len(entry.data)):
            changed = bytearray(entry.data)
            changed[place] ^= 1
            with pytest.raises(Mismatch):
                mirror.moved(move, record_pb2.Record(sequence=entry.sequence, link=entry.link, entry=bytes(changed)))
        mirror.moved(move, record_of(entry))


def test_a_state_that_differs_is_named_by_its_field_and_shows_no_tile() -> None:
    """A hand that is not the engine's is reported as `forty_two.hands`, without a word about what is in it."""
    kind = KINDS[0]
    mirror = begun(kind)
    for move, entry in moves_of(kind, 3):
        mirror.moved(move, record_of(entry))
    state = match_service_pb2.StartMatchResponse().match.state
    state.options.CopyFrom(options_to_proto(kind))
    state.shake_count = kind.game.shakes(mirror.state)
    getattr(state, kind.game.NAME).CopyFrom(STATE_OF[kind.game.NAME](kind, mirror.state))
    state.forty_two.hands[2].tiles[0] = "6-6" if state.forty_two.hands[2].tiles[0] != "6-6" else "0-0"
    with pytest.raises(Mismatch, match=r"forty_two\.hands") as caught:
        check_state(kind, mirror.state, state)
    assert not {str(tile) for tile in state.forty_two.hands[2].tiles} & set(str(caught.value).split())


def test_an_entry_on_another_link_is_refused() -> None:
    """An entry is read only on the link that it was written on."""
    entry = header_of(KINDS[0])
    read_entry(entry.data, bytes(32))
    with pytest.raises(Mismatch, match="link"):
        read_entry(entry.data, bytes(31) + b"\1")
