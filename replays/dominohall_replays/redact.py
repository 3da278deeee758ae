"""Redacted logs: the same chain, and of the tiles only those that one viewer saw.

Records and links stay as they are, so a redacted log has the same head, the same signatures and the same roots. What
changes is what stands beside the chain: the opening of a whole shake becomes openings of single tiles, and the
revealed secret is left out. A hidden tile stands in no byte that is left: its leaf is salted with 32 bytes that nobody
can guess.

A viewer at once saw their own tiles, and what lay on the table: every tile that was played, and the hands that were
laid open to be counted. An opening tells a place, and in fives a place tells whether a tile was dealt or drawn; so
while a round is played, another seat's tile is opened only if the table knew that already. Once the tiles are out of
play, all that were played are opened. A viewer after the round saw every tile of every round that is over.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

from dominohall_engine import fives, forty_two
from dominohall_engine.games import AnyGame
from dominohall_engine.moves import Abandon
from dominohall_engine.tiles import TILE_COUNT

from dominohall_replays.deals import Opening, openings, seat_count
from dominohall_replays.errors import ReplayError
from dominohall_replays.fold import Fold
from dominohall_replays.log import Source, read_log
from dominohall_replays.packing import pack
from dominohall_replays.reading import LoggedMove, OpenedShake, RevealedSecret, Signature
from dominohall_replays.records import BYTES_32, OPENED_TILES, SIGNATURE, opened_shake

TileMoves = (forty_two.Play, fives.Play, fives.Draw, fives.Knock)


class When(StrEnum):
    """How long a viewer waits."""

    AT_ONCE = "at_once"
    """What the viewer saw at the table, as it happened."""
    AFTER_ROUND = "after_round"
    """That, and every tile of every round that is over."""


class AlreadyRedacted(ReplayError, ValueError):
    """A log that does not show every tile; who saw what can't be told from it."""


def redact(source: Source, viewer: int | None, when: When = When.AT_ONCE) -> bytes:
    """Return the log with the tiles that a seat saw, or a spectator (None).

    `UnreadableLog` or `LogFault` at the first thing that does not hold, `AlreadyRedacted` for a log that hides tiles,
    `ValueError` for a seat that the match does not have.
    """
    entries, attachments = redacted_entries(source, viewer, when)
    return b"".join([*entries, *attachments])


def redacted_entries(source: Source, viewer: int | None, when: When) -> tuple[list[bytes], list[bytes]]:
    """Return the entries and the attachments of a redacted log apart."""
    log = read_log(source)
    fold = Fold(log)
    if fold.state is None:
        raise AlreadyRedacted("expected a log that shows every tile, got a redacted one")
    seats = seat_count(fold.game, fold.state)
    if viewer is not None and not 0 <= viewer < seats:
        raise ValueError(f"expected a seat from 0 to {seats - 1}, got {viewer}")
    first = log.first
    walk = _Walk(fold, viewer, when)
    if isinstance(first.opened, OpenedShake):
        walk.begin(_events_so_far(fold.game, fold.state), first.opened)
    walk.add(first.record + BYTES_32 + first.link, b"")
    attachments: list[bytes] = []
    for item in log.items():
        if isinstance(item, LoggedMove):
            walk.take(item)
        elif isinstance(item, Signature):
            attachments.append(pack([SIGNATURE, item.sequence, item.link, item.key_id, item.signature]))
        elif not isinstance(item, RevealedSecret):
            raise TypeError(f"expected an attachment, got {type(item).__name__}")
    return walk.finish(), attachments


class _Walk:
    """One walk through a log, round by round; an entry is finished once it is known what was seen of its shake."""

    def __init__(self, fold: Fold, viewer: int | None, when: When) -> None:
        self._fold = fold
        self._viewer = viewer
        self._when = when
        self._parts: list[tuple[bytes, bytes]] = []
        """Each entry, before and behind its opening."""
        self._openings: dict[int, bytes] = {}
        self._round: _Round | None = None
        self._at = 0
        """Which entry the shake of this round stands in."""

    def begin(self, events: list[Any], shake: OpenedShake) -> None:
        """Begin a round at the entry that is added next."""
        options = self._fold.game.options_of(self._fold.state)
        hand_size = options.hand_size if isinstance(options, fives.Options) else 7
        self._round = _Round(shake, hand_size, seat_count(self._fold.game, self._fold.state), events)
        self._at = len(self._parts)

    def add(self, before: bytes, behind: bytes) -> None:
        """Add an entry."""
        self._parts.append((before, behind))

    def take(self, entry: LoggedMove) -> None:
        """Go on by one entry of the log."""
        fold = self._fold
        in_play = fold.state
        move = fold.advance(entry)
        if fold.state is None:
            raise AlreadyRedacted("expected a log that shows every tile, got a redacted one")
        if isinstance(entry.opened, OpenedShake):
            self.begin([], entry.opened)
        elif self._round is not None:
            if isinstance(move, TileMoves):
                self._round.events.append(move)
            if fold.game.order(in_play) is not None and fold.game.order(fold.state) is None:
                self._close(laid_open=_laid_open(fold.game, fold.state, move), over=True)
        terminal = entry.terminal_record + BYTES_32 + entry.last_link if entry.terminal else b""
        self.add(entry.record + BYTES_32 + entry.link, terminal)

    def finish(self) -> list[bytes]:
        """Return the entries."""
        self._close(laid_open=(), over=False)
        return [
            before + self._openings.get(number, b"") + behind for number, (before, behind) in enumerate(self._parts)
        ]

    def _close(self, laid_open: Iterable[int], *, over: bool) -> None:
        """Write the opening of a round, as far as it was seen."""
        ended, self._round = self._round, None
        if ended is None:
            return
        if over and self._when is When.AFTER_ROUND:
            places = set(range(TILE_COUNT))
        else:
            places = ended.seen(self._viewer, laid_open, over=over)
        if len(places) == TILE_COUNT:
            self._openings[self._at] = opened_shake(ended.order, ended.salt)
        else:
            shown = openings(ended.order, ended.salt, tuple(sorted(places)))
            self._openings[self._at] = opened_tiles(shown)


class _Round:
    """A round as its table saw it."""

    def __init__(self, shake: OpenedShake, hand_size: int, seats: int, events: list[Any]) -> None:
        self.order: Final = shake.order
        self.salt: Final = shake.salt
        self.events: Final = events
        """Every play, draw and knock so far, as moves."""
        self._hand_size = hand_size
        self._seats = seats

    def seen(self, viewer: int | None, laid_open: Iterable[int], *, over: bool) -> set[int]:
        """Return the places whose tiles this viewer saw."""
        places = {self.order.index(tile) for tile in laid_open}
        places |= {
            self.order.index(move.tile)
            for move, plain in zip(self.events, self._plain_plays(), strict=True)
            if isinstance(move, forty_two.Play | fives.Play) and (over or plain)
        }
        if viewer is not None:
            places |= set(range(self._hand_size * viewer, self._hand_size * (viewer + 1)))
            drawn = self._hand_size * self._seats
            for move in self.events:
                if isinstance(move, fives.Draw):
                    places |= {drawn} if move.seat == viewer else set()
                    drawn += 1
        return places

    def _plain_plays(self) -> Iterator[bool]:
        """Say of each event whether it is a play of which the table knows if the tile was dealt, or which draw it was.

        It knows of a seat that has not drawn, and of a play right behind a draw: the seat had nothing to play before.
        """
        loose = [0] * self._seats
        """Drawn tiles of each seat of which the table does not know where they are."""
        before: Any = None
        for move in self.events:
            fresh = isinstance(before, fives.Draw) and before.seat == move.seat
            if isinstance(move, fives.Draw):
                loose[move.seat] += 1
                yield False
            elif isinstance(move, fives.Play) and fresh:
                loose[move.seat] -= 1
                yield True
            else:
                yield isinstance(move, forty_two.Play | fives.Play) and not loose[move.seat]
            before = move


def opened_tiles(shown: Sequence[Opening]) -> bytes:
    """Write the openings of single tiles, which stand beside a root in a redacted log, in the order of their places."""
    return pack([OPENED_TILES, [[*each[:3], list(each.path)] for each in shown]])


def _laid_open(game: AnyGame, after: Any, move: Any) -> tuple[int, ...]:  # noqa: ANN401 - a state and a move of the game
    """Return the tiles that were laid open to be counted at the end of a round."""
    last = game.view(after, None).last_round
    hands = getattr(last, "hands", None)
    return () if isinstance(move, Abandon) or hands is None else tuple([tile for hand in hands for tile in hand])


def _events_so_far(game: AnyGame, state: Any) -> list[Any]:  # noqa: ANN401 - a state and moves of the game
    """Return the plays, draws and knocks of the round that a match was imported in."""
    seen = game.view(state, None)
    if game.NAME == "fives":
        return list(seen.history)
    tricks = [*seen.tricks, *([seen.trick] if seen.trick else [])]
    return [play for trick in tricks for play in trick.plays]
