"""What the seats of a round of fives are known to hold, turn by turn."""

from typing import Final

from dominohall_engine.tiles import mask_of

from dominohall_replays.as_played.rounds import FivesRound, Kind, Turn, UnusableRound


class Holdings:
    """What each seat is known to hold at each turn of a round.

    A seat whose hand was written down holds that, what it drew, less what it played. Of another seat only those tiles
    are known that it played later or laid open at the end, and that it can't have drawn in between.
    """

    def __init__(self, record: FivesRound) -> None:
        self._record: Final = record

    def at(self, seat: int, number: int) -> int:
        """Return what a seat is known to hold before turn `number` (0 is the first), as a mask."""
        own = [(place, turn) for place, turn in enumerate(self._record.turns) if turn.seat == seat]
        hand = self._record.hands[seat]
        if hand is not None:
            held = mask_of(hand)
            unknown = 0
            for place, turn in own:
                if place >= number:
                    break
                if turn.kind is Kind.DRAW:
                    held |= 0 if turn.tile is None else 1 << turn.tile
                    unknown += turn.tile is None
                elif turn.tile is not None:
                    held &= ~(1 << turn.tile)
            return held | (self._later(seat, own, number) & ~mask_of(hand) if unknown else 0)
        return self._later(seat, own, number)

    def _later(self, seat: int, own: list[tuple[int, Turn]], number: int) -> int:
        """Return what a seat plays or lays open from a turn on, as far as it can't have drawn it in between."""
        held, drawn = 0, 0
        for place, turn in own:
            if place < number:
                continue
            if turn.kind is Kind.DRAW:
                if turn.tile is None:
                    return held
                drawn |= 1 << turn.tile
            elif turn.tile is not None and not drawn >> turn.tile & 1:
                held |= 1 << turn.tile
        left = self._record.left[seat]
        return held | (0 if left is None else mask_of(left) & ~drawn)

    def left(self, seat: int) -> int | None:
        """Return what a seat is left with at the end, None if it is not known."""
        laid_open, hand = self._record.left[seat], self._record.hands[seat]
        draws = [turn for turn in self._record.turns if turn.seat == seat and turn.kind is Kind.DRAW]
        follows = None
        if hand is not None and all(turn.tile is not None for turn in draws):
            follows = self.at(seat, len(self._record.turns))
        if laid_open is None:
            return follows
        if follows is not None and follows != mask_of(laid_open):
            raise UnusableRound(f"seat {seat}: what is left does not follow from its hand, draws and plays")
        return mask_of(laid_open)

    def is_empty(self, seat: int, number: int) -> bool:
        """Say whether a seat is known to hold nothing before turn `number`."""
        turns = self._record.turns
        count = self._record.options.hand_size
        for turn in turns[:number]:
            if turn.seat == seat:
                count += {Kind.DRAW: 1, Kind.PLAY: -1, Kind.KNOCK: 0}[turn.kind]
        return count <= 0
