"""The choices of a match: what every move was, as digits that only the match itself can be read with.

A move is its place among the legal ones, so where one is legal nothing is kept. Shakes, lots and salts come from the
match secret if it is known and they do; else they are kept. `docs/archive-format.md` has the bytes.
"""

from typing import Any, Final, NamedTuple

from dominohall_engine.game import Phase
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import ABANDON_CODE, LOT_CODE, Shake

from dominohall_replays.compact_digits import DigitReader
from dominohall_replays.deals import HASH_BYTES, derive_lot, derive_shake, seat_count, shake_salt
from dominohall_replays.errors import UnreadableSegment

SECRET: Final = 1
"""The match secret is kept."""
ORDERS: Final = 2
"""Shakes and lots are kept; without this bit the secret gives them."""
SALTS: Final = 4
"""Salts are kept; without this bit the secret gives them."""
COMMITMENT: Final = 8
"""The commitment is kept: the header has one, and no secret is known that gives it."""
ABANDONED: Final = 16
"""The last move is the host's end of the match, with its reason."""
KNOWN: Final = (SECRET | ORDERS | SALTS | COMMITMENT | ABANDONED) + 1
CHECK_BYTES: Final = 4
"""How much of the digest after the last move is kept, so that playing again shows whether it came out the same."""


class Body(NamedTuple):
    """What a body holds beside its digits."""

    flags: int
    secret: bytes | None = None
    commitment: bytes | None = None
    reason: bytes = b""
    check: bytes = b""

    def packed(self, digits: bytes) -> bytes:
        """Return the bytes of the body."""
        parts = [bytes((self.flags,)), self.secret or b"", self.commitment or b""]
        if self.flags & ABANDONED:
            parts += [bytes((len(self.reason),)), self.reason]
        return b"".join([*parts, self.check, digits])


def read_body(data: bytes) -> tuple[Body, int]:
    """Read what stands before the digits, and where they begin."""
    flags = data[0] if data else KNOWN
    if flags >= KNOWN or (flags & SECRET == 0 and flags & (ORDERS | SALTS) != ORDERS | SALTS):
        raise UnreadableSegment("expected the flags of a compact log")
    at, reason = 1, b""
    secret, at = (data[at : at + HASH_BYTES], at + HASH_BYTES) if flags & SECRET else (None, at)
    committed, at = (data[at : at + HASH_BYTES], at + HASH_BYTES) if flags & COMMITMENT else (None, at)
    if flags & ABANDONED:
        size = data[at] if at < len(data) else 0
        reason, at = data[at + 1 : at + 1 + size], at + 1 + size
    end = at + CHECK_BYTES
    if end > len(data):
        raise UnreadableSegment("expected the body of a compact log, got less")
    return Body(flags, secret, committed, reason, data[at:end]), end


class Choices:
    """The moves of a match, one after another, each read where the one before has led."""

    def __init__(self, game: AnyGame, moves: int, data: bytes, salts: bytes) -> None:
        self.body, at = read_body(data)
        self._salt: bytes | None = None
        self._shake = 0
        """The number of the shake that was read last."""
        self.chances = 0
        """Shakes and lots so far."""
        self._game: Final = game
        self._legal_moves: Final = game.legal_moves
        self._digits: Final = DigitReader(data, at)
        self._salts: Final = salts
        self._salts_at = 0
        self._left = moves - bool(self.body.flags & ABANDONED)

    @property
    def salt(self) -> bytes:
        """The salt of the shake that was read last."""
        return self._salt or shake_salt(self.body.secret or b"", self._shake)

    def next(self, state: Any) -> Any:  # noqa: ANN401 - a state and a move of the game
        """Return the move that was made here."""
        if not self._left:
            return self._game.decode_move(bytes((ABANDON_CODE,)) + self.body.reason)
        self._left -= 1
        legal = self._legal_moves(state)
        count = len(legal)
        if count > 1:
            return legal[self._digits.take(count)]
        return legal[0] if count else self._chance(state)

    def finish(self) -> None:
        """Refuse whatever is left over."""
        self._digits.finish()
        if self._salts_at != len(self._salts):
            raise UnreadableSegment("expected a salt for each shake and no more")

    def _chance(self, state: Any) -> Any:  # noqa: ANN401 - a state and a move of the game
        """Return the lot or shake that is due."""
        game, body = self._game, self.body
        phase, number = game.phase(state), game.shakes(state)
        if phase is Phase.OVER:
            raise UnreadableSegment(f"expected a match that goes on for {self._left + 1} moves more, this one is over")
        self.chances += 1
        kept = body.flags & ORDERS or body.secret is None
        if phase is Phase.LOT:
            seats = 1 if game.NAME == "forty_two" else seat_count(game, state)
            return game.decode_move(
                bytes([LOT_CODE, *[self._digits.take(256) for _ in range(seats)]])
                if kept or body.secret is None
                else derive_lot(game.NAME, seat_count(game, state), body.secret, number)
            )
        self._salt, self._shake = None, number
        if body.flags & SALTS or body.secret is None:
            self._salt = self._salts[self._salts_at : self._salts_at + HASH_BYTES]
            self._salts_at += HASH_BYTES
        if kept or body.secret is None:
            return Shake(self._digits.take_order())
        return Shake(derive_shake(body.secret, number))
