"""Re-simulation of a redacted log: every rule asked as far as the shown tiles tell.

Chain, digests and openings need public facts alone. Legality needs hands: a move is refused here if the rules forbid it
whatever lies in the hidden places, and let pass if they allow it for some tiles there; the two are told apart, move by
move, by trying. Moves are judged one at a time: that one choice of hidden tiles fits all of them is not asked.
"""

from collections.abc import Iterator
from typing import Any, Final

from dominohall_engine import fives, forty_two
from dominohall_engine.errors import UnreadableMove
from dominohall_engine.forty_two.tables import DOUBLES_SUIT, OPENING_TILE
from dominohall_engine.moves import Shake
from dominohall_engine.tiles import HALVES, parse_tile
from dominohall_engine.violations import Reason, Violation

from dominohall_replays.deals import seat_count
from dominohall_replays.fill import Fill
from dominohall_replays.fold import Fold, LogFault, illegal
from dominohall_replays.log import Log
from dominohall_replays.reading import LoggedMove, OpenedShake
from dominohall_replays.verdicts import LegalityStatement, Shown, Verdict

HOLDS_WHAT_FORBIDS: Final = {
    Reason.MUST_FOLLOW_SUIT: "could_play",
    Reason.FIRST_LEAD_MUST_BE_TRUMP: "could_play",
    Reason.MUST_PLAY_IF_ABLE: "tiles",
}
"""Reasons that rest on tiles which the seat holds, and the fact that names them."""
ASKS_THE_HAND: Final = (forty_two.Play, forty_two.NameTrump, fives.Play, fives.Draw, fives.Knock)


class ShownFold(Fold):
    """A match played again from a log that may be redacted. Its `state` is an invention where tiles are hidden."""

    def __init__(self, log: Log) -> None:
        self._fill: Fill | None = None
        self._seats: set[int] | None = None
        """Seats that every redacted shake so far shows whole."""
        self._partly = 0
        self._unopened = 0
        super().__init__(log)

    @property
    def knows_all(self) -> bool:
        """Whether no tile of the round in progress is hidden."""
        return self.state is not None and self._fill is None

    def shown(self) -> Shown | None:
        """Return what the log shows; None if it hides nothing."""
        if self.redacted_at is None:
            return None
        self._close_round()
        seats = tuple(sorted(self._seats or ()))
        if self.state is None:
            return Shown(seats, LegalityStatement.NONE, self._partly, self._unopened)
        known = not self._partly and not self._unopened
        return Shown(seats, LegalityStatement.FULL if known else LegalityStatement.PART, self._partly, self._unopened)

    def _play(self, entry: LoggedMove) -> Any:  # noqa: ANN401 - a move of the game
        if self._fill is None or entry.root is not None:
            return super()._play(entry)
        return self._play_hidden(entry, self._fill)

    def _hidden_shake(self, entry: LoggedMove) -> Any:  # noqa: ANN401 - a move of the game
        """Go on behind a shake of which some tiles are shown, with any others in the hidden places."""
        opened = entry.opened
        shown = () if opened is None or isinstance(opened, OpenedShake) else opened
        self.redacted_at = self.redacted_at or (entry.sequence, entry.offset)
        options = self.game.options_of(self.state)
        hand_size = options.hand_size if isinstance(options, fives.Options) else 7
        self._fill = Fill(shown, seat_count(self.game, self.state), hand_size)
        for move in self._fitting_shakes(self._fill):
            after = self.game.apply(self.state, move)
            if self._agrees(entry, after):
                self.state = after
                return move
        raise LogFault(
            Verdict.DIGEST_DIFFERS, "the state after this move is not the one recorded", entry.sequence, entry.offset
        )

    def _fitting_shakes(self, fill: Fill) -> Iterator[Shake]:
        """Go through fills that differ in what everybody sees of a shake: who holds the 1-0 and so opens."""
        place = fill.tiles.index(OPENING_TILE)
        opener = getattr(self.game.options_of(self.state), "opener", None)
        if opener is not forty_two.Opener.HOLDER_OF_1_0 or place in fill.fixed:
            yield Shake(fill.order)
            return
        for seat in range(4):
            for other in fill.hidden_in_hand(seat)[:1]:
                fill.swap(fill.tiles.index(OPENING_TILE), other)
                fill.fix(other)
                self._partly += 1
                yield Shake(fill.order)
                self._partly -= 1
                fill.fixed.remove(other)

    def _play_hidden(self, entry: LoggedMove, fill: Fill) -> Any:  # noqa: ANN401 - a move of the game
        """Judge and apply a move while tiles are hidden."""
        game = self.game
        try:
            move: Any = game.decode_move(entry.move)
        except UnreadableMove as error:
            raise LogFault(Verdict.UNREADABLE, str(error), entry.sequence, entry.offset) from None
        self._mend(entry, fill, move)
        if isinstance(move, ASKS_THE_HAND):
            self._count(fill, move)
        after = game.apply(self.state, move)
        over = game.order(after) is None
        if over:
            self.root = None
        if isinstance(move, fives.Draw):
            fill.draw(move.seat)
        elif isinstance(move, fives.Play | forty_two.Play):
            fill.play(move.tile)
        agrees = self._agrees(entry, after)
        hands_hidden = any(fill.hidden_in_hand(seat) for seat in range(seat_count(game, after)))
        if not agrees and over and hands_hidden and game.NAME == "fives":
            self.state = None  # the hands that were laid open to be counted are not shown: the scores can't be computed
            return None
        if not agrees:
            text = "the state after this move is not the one recorded"
            raise LogFault(Verdict.DIGEST_DIFFERS, text, entry.sequence, entry.offset)
        self.state = after
        if over:
            self._close_round()
        return move

    def _close_round(self) -> None:
        """Note whose tiles this shake showed whole, at the end of its round or of the log."""
        fill, self._fill = self._fill, None
        if fill is not None:
            whole = {seat for seat in range(len(self.header.labels)) if fill.opened.issuperset(fill.of(seat))}
            self._seats = whole if self._seats is None else self._seats & whole

    def _violation(self, fill: Fill, move: Any) -> Violation | None:  # noqa: ANN401 - a move of the game
        """Judge a move with the tiles as they are filled in now."""
        self.state = self.game.decode(self.game.encode_public(self.state) + fill.order)
        return self.game.violation(self.state, move)

    def _mend(self, entry: LoggedMove, fill: Fill, move: Any) -> None:  # noqa: ANN401 - a move of the game
        """Fill the hidden places so that the rules allow the move; a fault if they forbid it whatever lies there."""
        violation = self.game.violation(self.state, move)
        tried: set[int] = set()
        while violation is not None:
            if not self._mended(fill, move, violation, tried):
                raise illegal(entry, violation)
            violation = self._violation(fill, move)

    def _mended(self, fill: Fill, move: Any, violation: Violation, tried: set[int]) -> bool:  # noqa: ANN401
        """Exchange a hidden tile of the hand for another, for this reason; False if nothing would help."""
        reason = violation.reason
        inside = fill.hidden_in_hand(move.seat) if hasattr(move, "seat") else []
        outside: list[int] = []
        if reason is Reason.TILE_NOT_HELD:
            outside = [place for place in fill.pool(move.seat) if fill.tiles[place] == move.tile]
        elif reason is Reason.TRUMP_NOT_IN_HAND:
            outside = [place for place in fill.pool(move.seat) if _bears(fill.tiles[place], move.trump)]
        elif reason in HOLDS_WHAT_FORBIDS:
            names: Any = violation.facts[HOLDS_WHAT_FORBIDS[reason]]
            forbidding = {parse_tile(name) for name in names}
            tried |= forbidding
            inside = [place for place in inside if fill.tiles[place] in forbidding]
            if len(inside) == len(forbidding):  # none of them is a fact
                outside = [place for place in fill.pool(move.seat) if fill.tiles[place] not in tried]
        if not inside or not outside:
            return False
        fill.swap(inside[0], outside[0])
        return True

    def _count(self, fill: Fill, move: Any) -> None:  # noqa: ANN401 - a move of the game
        """Note whether other tiles in the hidden places would forbid a move that is allowed."""
        hidden = fill.hidden_in_hand(move.seat)
        if isinstance(move, fives.Play | forty_two.Play) and fill.tiles.index(move.tile) in hidden:
            self._unopened += 1
        elif hidden and self._depends(fill, move, hidden[0]):
            self._partly += 1

    def _depends(self, fill: Fill, move: Any, place: int) -> bool:  # noqa: ANN401 - a move of the game
        """Say whether some tile of the pool, in one hidden place of the hand, would forbid the move."""
        if isinstance(move, forty_two.NameTrump):
            options: Any = self.game.options_of(self.state)
            known = any(_bears(tile, move.trump) for tile in fill.known_in_hand(move.seat))
            return options.first_lead is forty_two.FirstLead.TRUMP and not known
        before = self.state
        for other in fill.pool(move.seat):
            fill.swap(place, other)
            forbidden = self._violation(fill, move) is not None
            fill.swap(place, other)
            if forbidden:
                self.state = before
                return True
        self.state = before
        return False


def _bears(tile: int, trump: int) -> bool:
    """Say whether a tile belongs to this trump suit."""
    high, low = HALVES[tile]
    return high == low if trump == DOUBLES_SUIT else trump in {high, low}
