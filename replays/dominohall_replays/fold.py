"""Re-simulation: the moves of a log applied again, each held against its link, its digest and its root.

A `Fold` goes forward one entry at a time and stops at the first thing that does not hold, with a `LogFault` that says
which verdict that is and where. `verify` makes the report of it; `step` and `report` use it to see a match again.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from dominohall_engine.clauses import UnknownRules, rules_digest
from dominohall_engine.errors import IllegalMove, InvalidOptions, UnreadableMove, UnreadableState
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import LOT_CODE, Shake
from dominohall_engine.options import Plain, options_from_plain
from dominohall_engine.tiles import is_order
from dominohall_engine.violations import Violation

from dominohall_replays.deals import check_opening, root
from dominohall_replays.errors import ReplayError
from dominohall_replays.log import Log
from dominohall_replays.reading import LoggedMove, Opened, OpenedShake
from dominohall_replays.records import NO_HASH, Head, Header, Terminal, digest_of, link_of
from dominohall_replays.verdicts import Result, Verdict


class LogFault(ReplayError):
    """The first thing in a log that does not hold."""

    def __init__(  # noqa: PLR0913, PLR0917 - the facts of a fault
        self,
        verdict: Verdict,
        reason: str,
        sequence: int | None,
        offset: int | None,
        clauses: tuple[str, ...] = (),
        refusal: str = "",
    ) -> None:
        super().__init__(f"{verdict}: {reason} (sequence {sequence}, byte {offset})")
        self.verdict = verdict
        self.reason = reason
        self.sequence = sequence
        self.offset = offset
        self.clauses = clauses
        self.refusal = refusal


class Chance(NamedTuple):
    """A shake or a lot of the log, to be held against the match secret."""

    sequence: int
    offset: int
    number: int
    """The number that its seed is derived with: shakes before it."""
    lot: bytes
    """The bytes of a lot, empty for a shake."""
    order: bytes
    """Of a shake that is shown whole, else empty."""
    salt: bytes
    root: bytes | None


class Fold:
    """A match being played again from its log; `state` is None once tiles that are not shown were dealt."""

    def __init__(self, log: Log) -> None:
        first = log.first
        self.header: Final[Header] = first.header
        self.sequence = 0
        self.link = first.link
        self.end = first.end
        """The byte after the last entry that holds."""
        self.links = bytearray(first.link)
        """The last link of each entry, 32 bytes each, for signatures to be held against."""
        self.chances: list[Chance] = []
        self.imported_shakes = 0
        self.terminal: Terminal | None = None
        self.redacted_at: tuple[int, int] | None = None
        if link_of(NO_HASH, first.record) != first.link:
            raise LogFault(Verdict.CHAIN_BROKEN, "the link of the header does not follow from it", 0, 0)
        self.game: Final[AnyGame] = _game(self.header)
        self.root: bytes | None = None
        self.state: Any = self._begin(first.opened)

    @property
    def head(self) -> Head:
        """The last entry that holds."""
        return Head(self.header.match_id, self.sequence, self.link)

    @property
    def knows_all(self) -> bool:
        """Whether `state` is the state of the match to the last tile, so that any move can be judged by it."""
        return self.state is not None

    def result(self) -> Result | None:
        """Return how the match ended by its moves, None while it goes on."""
        outcome = None if self.state is None else self.game.outcome(self.state)
        return None if outcome is None else Result(str(outcome.ending), outcome.winner, tuple(outcome.scores))

    def advance(self, entry: LoggedMove) -> Any:  # noqa: ANN401 - a move of the game
        """Apply the next entry and return its move, None if tiles that are not shown hide the state it was made in."""
        if link_of(self.link, entry.record) != entry.link:
            raise _fault(entry, Verdict.CHAIN_BROKEN, "the link does not follow from the record and the link before")
        move = None if self.state is None else self._play(entry)
        if self.state is None and entry.root is not None and entry.opened is not None:
            self._opened_order(entry.opened, entry.root, entry.sequence, entry.offset)
        if entry.terminal is not None:
            self._end(entry, entry.terminal)
        self.link = entry.last_link
        self.links += entry.last_link
        self.sequence = entry.sequence
        self.end = entry.end
        return move

    def _play(self, entry: LoggedMove) -> Any:  # noqa: ANN401 - a move of the game
        game, before = self.game, self.state
        move: Any
        try:
            if entry.root is None:
                move = game.decode_move(entry.move)
                if entry.move[0] == LOT_CODE:
                    chance = Chance(entry.sequence, entry.offset, game.shakes(before), entry.move, b"", b"", None)
                    self.chances.append(chance)
            else:
                order = self._shaken(entry, entry.root)
                if order is None:
                    return self._hidden_shake(entry)
                move = Shake(order)
            after = game.apply(before, move)
        except IllegalMove as error:
            raise illegal(entry, error.violation) from None
        except UnreadableMove as error:
            raise _fault(entry, Verdict.UNREADABLE, str(error)) from None
        if self.root is not None and game.order(after) is None:
            self.root = None
        if not self._agrees(entry, after):
            raise _fault(entry, Verdict.DIGEST_DIFFERS, "the state after this move is not the one recorded")
        self.state = after
        return move

    def _agrees(self, entry: LoggedMove, after: Any) -> bool:  # noqa: ANN401 - a state of the game
        """Say whether this state, under the root in force, has the digest of the entry."""
        return digest_of(self.game.encode_public(after), self.root) == entry.digest

    def _shaken(self, entry: LoggedMove, expected: bytes) -> bytes | None:
        """Return the order of a shake that leads to its root, None if it is not shown whole."""
        opened = entry.opened
        order = None if opened is None else self._opened_order(opened, expected, entry.sequence, entry.offset)
        salt = opened.salt if isinstance(opened, OpenedShake) else b""
        number = self.game.shakes(self.state)
        self.chances.append(Chance(entry.sequence, entry.offset, number, b"", order or b"", salt, expected))
        self.root = expected
        return order

    def _hidden_shake(self, entry: LoggedMove) -> Any:  # noqa: ANN401 - a move of the game
        """Go on behind a shake that is not shown whole: here without a state."""
        self.redacted_at, self.state = (entry.sequence, entry.offset), None

    def _opened_order(self, opened: Opened, expected: bytes, sequence: int, offset: int) -> bytes | None:
        """Hold what is shown against the root; return the whole order if it is shown."""
        if isinstance(opened, OpenedShake):
            holds = is_order(opened.order) and root(opened.order, opened.salt) == expected
        else:
            holds = all(check_opening(expected, each) for each in opened)
            holds = holds and len({each.tile for each in opened}) == len(opened)
        if not holds:
            raise LogFault(Verdict.ROOT_DIFFERS, "the tiles shown do not lead to the root", sequence, offset)
        return opened.order if isinstance(opened, OpenedShake) else None

    def _end(self, entry: LoggedMove, terminal: Terminal) -> None:
        self.terminal = terminal
        if link_of(entry.link, entry.terminal_record) != entry.last_link:
            raise _fault(entry, Verdict.CHAIN_BROKEN, "the link of the terminal record does not follow from it")
        if self.state is None:
            return
        computed = self.result()
        if computed is None:
            raise _fault(entry, Verdict.RESULT_DIFFERS, "a result is recorded, and the match goes on")
        if computed != terminal[1:]:
            raise _fault(entry, Verdict.RESULT_DIFFERS, f"the moves give {computed}, recorded is {terminal[1:]}")

    def _begin(self, opened: Opened | None) -> Any:  # noqa: ANN401 - a state of the game
        """Return the state that the header begins with."""
        header, game = self.header, self.game
        try:
            plain = tuple([(name, type(value), value) for name, value in header.options.items()])
            options = self.options = _options(game.NAME, plain)
            state = game.new_match(options, header.first)
        except InvalidOptions as error:
            raise LogFault(Verdict.UNKNOWN_RULES, f"this build does not have these options: {error}", 0, 0) from None
        seats = sum([len(side) for side in game.sides(options)])
        if len(header.labels) != seats:
            raise LogFault(Verdict.UNREADABLE, f"expected {seats} labels, got {len(header.labels)}", 0, 0)
        if header.initial is None:
            return state
        order: bytes | None = b""
        if header.initial.root is not None and opened is not None:
            self.root, self.imported_shakes = header.initial.root, 1
            order = self._opened_order(opened, header.initial.root, 0, 0)
        if order is None:
            self.redacted_at = (0, 0)
            return None
        try:
            state = game.decode(header.initial.public + order)
        except UnreadableState as error:
            raise LogFault(Verdict.IMPOSSIBLE_STATE, f"the initial state can't be read: {error}", 0, 0) from None
        problems = game.problems(state)
        if problems or game.options_of(state) != options:
            found = str(problems[0].field) if problems else "options"
            raise LogFault(Verdict.IMPOSSIBLE_STATE, f"the initial state can't arise: see its {found}", 0, 0)
        return state


class Step(NamedTuple):
    """One move of a match seen again."""

    entry: LoggedMove
    move: Any
    before: Any
    after: Any


def replay(log: Log, fold: Fold | None = None) -> Iterator[Step]:
    """Play a log again, one step a move; `LogFault` or `UnreadableLog` at the first thing that does not hold.

    Ends early, without a fault, where a redacted log hides what follows.
    """
    fold = fold or Fold(log)
    for entry in log:
        before = fold.state
        move = fold.advance(entry)
        if fold.state is None:
            return
        yield Step(entry, move, before, fold.state)


def step(log: Log, sequence: int) -> tuple[Any, Head]:
    """Return the state after the entry at `sequence` (0 is the beginning) and the head there.

    `LogFault` or `UnreadableLog` if the log does not hold up to there, `ValueError` if it ends before.
    """
    fold = Fold(log)
    if sequence == 0 and fold.state is not None:
        return fold.state, fold.head
    for each in replay(log, fold):
        if each.entry.sequence == sequence:
            return fold.state, fold.head
    raise ValueError(f"expected a sequence of 0 to {fold.sequence}, got {sequence}")


def illegal(entry: LoggedMove, violation: Violation) -> LogFault:
    """Return the fault of a move that the rules forbid."""
    reason, clauses, _ = violation
    text = f"the rules forbid this move here: {reason} ({', '.join(clauses)})"
    return _fault(entry, Verdict.ILLEGAL_MOVE, text, clauses, str(reason))


def _fault(
    entry: LoggedMove, verdict: Verdict, reason: str, clauses: tuple[str, ...] = (), refusal: str = ""
) -> LogFault:
    return LogFault(verdict, reason, entry.sequence, entry.offset, clauses, refusal)


@lru_cache(maxsize=64)
def _options(game_name: str, plain: tuple[tuple[str, type, Plain], ...]) -> Any:  # noqa: ANN401 - of that game
    """Read options; remembered, for an archive holds thousands of matches under a few. The types keep True from 1."""
    return options_from_plain(GAMES[game_name].Options, {name: value for name, _, value in plain})


def _game(header: Header) -> AnyGame:
    """Return the game that the header names, if this build plays it by the same text."""
    game = GAMES.get(header.game)
    try:
        digest = rules_digest(header.game, header.rules_revision)
    except UnknownRules:
        digest = None
    if game is None or digest is None:
        text = f"this build does not have revision {header.rules_revision} of {header.game[:40]!r}"
        raise LogFault(Verdict.UNKNOWN_RULES, text, 0, 0)
    if digest != header.rules_digest:
        text = f"this build has another text of revision {header.rules_revision} of {header.game}"
        raise LogFault(Verdict.UNKNOWN_RULES, text, 0, 0)
    return game
