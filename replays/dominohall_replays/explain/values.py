"""What an explanation says, as frozen values that JSON can hold: numbers and names for programs, a sentence for people.

Tiles are written as people write them (`6-4`), seats are 0 to 3, sides are places in the `sides` of the game. A
sentence stands in the language of the explanation; the clauses that it rests on are named by their ids, and
`Explanation.clauses` has the text of each. `explanation_to_plain` gives the document of `replay explain --json`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dominohall_engine.options import Plain

MovePlain = Mapping[str, Plain]
"""A move: `kind` (`bid`, `pass`, `name_trump`, `play`, `draw`, `knock`, `shake`, `lot`, `abandon`) and its fields."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and the ids of the clauses that it rests on, the deciding one first."""

    text: str
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cited:
    """A clause that an explanation cites."""

    id: str
    text: str
    """In the language of the explanation."""
    normative: str
    """The English sentence, which decides where the two differ."""


@dataclass(frozen=True, slots=True)
class About:
    """What the header of the log says: whose match this is, and by which rules it is judged."""

    match_id: str
    owner: str
    game: str
    rules: str
    """The preset that the options are, such as `forty_two.polish`; the game alone if they are none."""
    rules_revision: int
    options: Mapping[str, Plain]
    labels: tuple[str, ...]
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """What the log is worth as evidence: the verdict, and what was checked to come to it and what was not."""

    verdict: str
    """A value of `verdicts.Verdict`."""
    good: bool
    said: Said
    reason: str
    """As `verify` words it, in English."""
    sequence: int | None
    """Where the first fault is, None without one."""
    offset: int | None
    head_sequence: int | None
    """The last entry that holds, and its link in hexadecimal digits: they name this log."""
    head_link: str
    signature: str
    """A value of `verdicts.SignatureStatement`."""
    deal: str
    """A value of `verdicts.DealStatement`."""
    origin: str
    is_authentic: bool
    """Whether a checked signature or receipt covers the log to its last entry."""
    brief: Said
    """In one sentence whether a signature and the deal were checked."""
    checked: tuple[Said, ...]
    unchecked: tuple[Said, ...]
    """What nobody may conclude from this page."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What a seat held."""

    seat: int
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that the seat could legally do."""

    move: MovePlain
    text: str
    made: bool
    """Whether it is what the seat did."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that the seat could not legally do, and why; several moves where one reason bars them all."""

    moves: tuple[MovePlain, ...]
    text: str
    """What is barred, in words: a tile, a call, a trump."""
    reason: str
    """A value of the engine's `Reason`."""
    message: str
    """What the player is told."""
    clauses: tuple[str, ...]
    made: bool = False
    """Whether it is what the seat did all the same: then the log is faulty here."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a layout of fives."""

    place: str
    number: int
    """What a tile must bear to be joined here."""
    is_double: bool
    dots: int
    """What it adds to the ends total; 0 while no tile lies here."""
    is_open: bool


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of a layout, and how they are counted."""

    ends: tuple[End, ...]
    spinner: int | None
    """The number of the spinner, None while there is none."""
    spinner_dots: int
    """What the spinner itself adds."""
    total: int
    points: int
    """What a play that leaves these ends scores."""
    counted: Said
    """The count, written out arm by arm."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One move of the log: who had what, what could be done, what was done, what came of it."""

    sequence: int
    offset: int
    """The byte of the log where its entry begins."""
    round: int
    """0 before the first shake."""
    phase: str
    """What the match waited for, a value of the engine's `Phase`."""
    seat: int | None
    """Whose turn it was; None for chance and for the host."""
    move: MovePlain
    text: str
    hands: tuple[Hand, ...]
    """What every seat held before the move; after it for a shake."""
    ends: Ends | None
    """Fives: the ends before the move, None before the first tile and in other games."""
    boneyard: int
    """Fives: how many tiles the boneyard held before the move."""
    legal: tuple[Choice, ...]
    illegal: tuple[Refused, ...]
    result: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an auction, or the naming of trump."""

    sequence: int | None
    """None where it was made before the match was imported."""
    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class TrickPlay:
    """A tile of a trick."""

    sequence: int | None
    """None where it was made before the match was imported."""
    seat: int
    tile: str
    legal: tuple[str, ...]
    """What the seat could have played, this tile with it."""
    is_trump: bool
    follows: bool
    """Whether it is of the suit that was led."""
    count: int
    """What it is worth as a count tile: 0, 5 or 10."""


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick of forty-two; `winner` is None while it is unfinished."""

    number: int
    leader: int
    led_suit: str
    """`0` to `6` or `doubles`, as the engine names suits."""
    plays: tuple[TrickPlay, ...]
    winner: int | None
    points: int
    led: Said
    """Which suit was led, and why."""
    won: Said | None
    """Who took it, and why."""
    counted: Said | None
    """What it is worth, item by item."""
    taken: tuple[int, int]
    """What each side has taken when it is over."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A play, a draw or a knock of fives."""

    sequence: int | None
    """None where it was made before the match was imported."""
    seat: int
    kind: str
    """`play`, `draw` or `knock`."""
    tile: str | None
    """The tile that was played or drawn."""
    place: str | None
    ends: Ends | None
    """After a play: the ends that it leaves."""
    points: int
    said: Said
    legal: tuple[str, ...]
    """What the seat could have played, as `tile at place`; empty where it could only draw or knock."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of the score of a round."""

    text: str
    clauses: tuple[str, ...]
    side: int | None = None
    """The side that gets `points`, None for a line that only says something."""
    points: int | None = None


@dataclass(frozen=True, slots=True)
class RoundStory:
    """One round, as far as the log has it."""

    number: int
    first_sequence: int
    """The shake; 0, the header, where the match was imported amid the round."""
    last_sequence: int
    is_finished: bool
    dealt: tuple[Hand, ...]
    boneyard: tuple[str, ...]
    """Fives: the tiles of the boneyard, the one that is drawn first in front."""
    opening: Said
    """Who calls or leads first, and why."""
    calls: tuple[Call, ...]
    trump: str | None
    tricks: tuple[Trick, ...]
    turns: tuple[Turn, ...]
    score: tuple[ScoreLine, ...]
    """Empty while the round goes on."""
    gained: tuple[int, ...]
    scores: tuple[int, ...]
    """The points of each side after the last move of the round."""
    under_way: Said | None = None
    """That the round was under way when the match was imported, and how much of it has no record; None otherwise."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that an explanation says; `decision` is None where a round was asked for."""

    language: str
    about: About
    sides: tuple[tuple[int, ...], ...]
    standing: Standing
    decision: Decision | None
    round: RoundStory | None
    """The round that the decision lies in; None before the first shake and between rounds."""
    clauses: tuple[Cited, ...]
    """Every clause that is cited, in the order of the rules pages."""


def explanation_to_plain(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as plain data for JSON."""
    return asdict(explanation)
