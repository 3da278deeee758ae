"""Faults of every kind that a log or a segment can have, planted where they must be found.

Each takes a match that holds and gives a log that does not, with the verdict and the entry at which `verify` must stop.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, NamedTuple

from dominohall_replays.deals import HASH_BYTES, commitment, derive_lot
from dominohall_replays.fold import step
from dominohall_replays.forging import Part, put_together, taken_apart
from dominohall_replays.generate.matches import Made
from dominohall_replays.log import read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.reading import SIGNATURE_BYTES, LoggedMove
from dominohall_replays.records import OPENED_SHAKE, SIGNATURE, Entry, revealed_secret
from dominohall_replays.restore import entries_of
from dominohall_replays.verdicts import Verdict


class Forged(NamedTuple):
    """A log with a fault in it."""

    log: bytes
    verdict: Verdict
    sequence: int | None
    """The entry at which it must be found."""


class _Open(NamedTuple):
    """A match laid open for a forger."""

    made: Made
    chance: Random
    moves: list[LoggedMove]
    entries: list[Entry]
    parts: list[Part]

    def some(self) -> int:
        """Return the sequence of some move of a seat, neither the first entries nor the last."""
        own = [each.sequence for each in self.moves[:-1] if each.move[0] >= 0x10]
        return self.chance.choice(own)

    def shake(self) -> int:
        """Return the sequence of some shake."""
        return self.chance.choice([each.sequence for each in self.moves if each.root is not None])


def planted(kind: str, made: Made, chance: Random) -> Forged:
    """Plant a fault of a kind of `LOG_FAULTS` in a match."""
    entries = entries_of(made.log)
    moves = list(read_log(made.log))
    return LOG_FAULTS[kind](_Open(made, chance, moves, entries, taken_apart(entries)))


def flipped(data: bytes, place: int, bit: int = 0) -> bytes:
    """Return bytes with one bit flipped."""
    return data[:place] + bytes((data[place] ^ 1 << bit,)) + data[place + 1 :]


def _truncated(log: _Open) -> Forged:
    sequence = log.some()
    return Forged(log.made.log[: log.moves[sequence - 1].offset + 7], Verdict.TRUNCATED, sequence)


def _header_unreadable(log: _Open) -> Forged:
    return Forged(b"\xc1" + log.made.log[1:], Verdict.UNREADABLE, 0)


def _move_unreadable(log: _Open) -> Forged:
    sequence = log.some()
    log.parts[sequence].record[2] = b"\x7f\x00"
    return Forged(put_together(log.parts), Verdict.UNREADABLE, sequence)


def _unknown_rules(log: _Open) -> Forged:
    header = log.parts[0].record[1]
    header["rules_digest"] = flipped(header["rules_digest"], 3)
    return Forged(put_together(log.parts), Verdict.UNKNOWN_RULES, 0)


def _chain_broken(log: _Open) -> Forged:
    move = log.moves[log.some() - 1]
    place = move.offset + move.record.index(move.digest) + 9
    return Forged(flipped(log.made.log, place), Verdict.CHAIN_BROKEN, move.sequence)


def _out_of_place(log: _Open) -> Forged:
    sequence, data = log.some(), [each.data for each in log.entries]
    data[sequence : sequence + 2] = data[sequence + 1], data[sequence]
    return Forged(b"".join(data), Verdict.CHAIN_BROKEN, sequence)


def _impossible_state(log: _Open) -> Forged:
    header = log.parts[0].record[1]
    header["marks"], header["initial"] = ["imported"], [log.made.back.game.encode_public(log.made.back.state)[:9], None]
    return Forged(put_together(log.parts), Verdict.IMPOSSIBLE_STATE, 0)


def _illegal_move(log: _Open) -> Forged:
    sequence, game = log.some(), log.made.back.game
    state = _state_before(log, sequence)
    legal = game.legal_moves(state)
    others = [each for each in game.seat_moves(game.options_of(state)) if each not in legal]
    log.parts[sequence].record[2] = game.encode_move(log.chance.choice(others))
    return Forged(put_together(log.parts), Verdict.ILLEGAL_MOVE, sequence)


def _digest_differs(log: _Open) -> Forged:
    sequence = log.some()
    record = log.parts[sequence].record
    record[3] = flipped(record[3], 5)
    return Forged(put_together(log.parts), Verdict.DIGEST_DIFFERS, sequence)


def _root_differs(log: _Open) -> Forged:
    sequence = log.shake()
    (_, order, salt), _ = _item(log.parts[sequence].opening)
    swapped = order[1:2] + order[:1] + order[2:]
    log.parts[sequence].opening = pack([OPENED_SHAKE, swapped, salt])
    return Forged(put_together(log.parts), Verdict.ROOT_DIFFERS, sequence)


def _result_differs(log: _Open) -> Forged:
    terminal = log.parts[-1].terminal
    if terminal is None:
        raise ValueError("expected a match that is over")
    terminal[4] = [terminal[4][0] + 1, *terminal[4][1:]]
    return Forged(put_together(log.parts), Verdict.RESULT_DIFFERS, log.moves[-1].sequence)


def _deal_differs(log: _Open) -> Forged:
    other, header, first = log.chance.randbytes(HASH_BYTES), log.made.back.header, log.moves[0]
    while first.root is None and derive_lot(header.game, len(header.labels), other, 0) == first.move:
        other = log.chance.randbytes(HASH_BYTES)  # a lot of four seats is soon the same by chance
    log.parts[0].record[1]["commitment"] = commitment(other)
    return Forged(put_together(log.parts) + revealed_secret(other), Verdict.DEAL_DIFFERS, first.sequence)


def _signature_wrong(log: _Open) -> Forged:
    move = log.moves[log.some() - 1]
    over = [SIGNATURE, move.sequence, flipped(move.last_link, 0), b"generate", log.chance.randbytes(SIGNATURE_BYTES)]
    return Forged(log.made.log + pack(over), Verdict.SIGNATURE_WRONG, move.sequence)


def _state_before(log: _Open, sequence: int) -> Any:  # noqa: ANN401 - a state of the game
    return step(read_log(log.made.log), sequence - 1)[0]


def _item(data: bytes) -> tuple[Any, int]:
    return unpack(data)


LOG_FAULTS: Final[Mapping[str, Callable[[_Open], Forged]]] = {
    "truncated": _truncated,
    "header_unreadable": _header_unreadable,
    "move_unreadable": _move_unreadable,
    "unknown_rules": _unknown_rules,
    "chain_broken": _chain_broken,
    "out_of_place": _out_of_place,
    "impossible_state": _impossible_state,
    "illegal_move": _illegal_move,
    "digest_differs": _digest_differs,
    "root_differs": _root_differs,
    "result_differs": _result_differs,
    "deal_differs": _deal_differs,
    "signature_wrong": _signature_wrong,
}
"""What can be wrong with a log; each found by `verify` without anything beside it."""
