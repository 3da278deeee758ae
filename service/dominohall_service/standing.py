"""Where a match stands: what a token opens to, with the engine's state beside it, and how it goes on by a move."""

from typing import Any, Final

from dominohall.v1.match_pb2 import Match
from dominohall_engine import fives, forty_two
from dominohall_engine.errors import DominohallError, IllegalMove
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import Shake
from dominohall_engine.tiles import TILE_COUNT
from dominohall_replays.deals import chance_move, root, seat_count, shake_salt
from dominohall_replays.records import Entry, Head, move_entry

from dominohall_service.codec.matches import differing_fields, state_to_proto
from dominohall_service.codec.moves import Made
from dominohall_service.faults import CallFault, Fault, invalid
from dominohall_service.keys import Keys
from dominohall_service.seal import SCRIPTED, Sealed

CHANCE: Final = frozenset((Shake, forty_two.Lot, fives.Lot))
ANY_ORDER: Final = bytes(range(TILE_COUNT))
"""A shake to ask the rules with whether one is due; it never happens."""


class Standing:
    """A match at one of its records."""

    __slots__ = ("game", "sealed", "state")

    def __init__(self, sealed: Sealed, game: AnyGame, state: Any) -> None:  # noqa: ANN401 - a state of that game
        self.sealed: Final = sealed
        self.game: Final = game
        self.state: Final = state


class Step:
    """A legal move and what it leads to; `salt` only for a shake.

    `public` and `hidden` are the two parts of the canonical bytes of `after`: its record needs the one, its token both.
    """

    __slots__ = ("after", "hidden", "move", "occurred_at", "public", "root", "salt")

    def __init__(  # noqa: PLR0913, PLR0917 - the fields of one value
        self,
        move: Any,  # noqa: ANN401 - a move of the game
        after: Any,  # noqa: ANN401 - a state of the game
        public: bytes,
        hidden: bytes,
        root: bytes | None,
        salt: bytes | None,
        occurred_at: int | None,
    ) -> None:
        self.move: Final = move
        self.after: Final = after
        self.public: Final = public
        self.hidden: Final = hidden
        self.root: Final = root
        self.salt: Final = salt
        self.occurred_at: Final = occurred_at


def open_match(keys: Keys, owner: str, match: Match) -> Standing:
    """Open the token of a request, and hold against it whatever else the request says of the match."""
    token = match.token
    if not token:
        raise invalid("match.token", "expected a token, got none")
    recent = keys.sealer.recent
    standing: Standing | None = recent.get(token)
    if standing is None:
        standing = decoded(keys.sealer.open(token))
        recent.add(token, standing)
    if standing.sealed.owner != owner:
        raise CallFault(Fault.OTHER_OWNER, "expected a match of this caller, got one of another owner")
    if match.ByteSize() > bytes_of_token_alone(len(token)):
        check_agreement(match, standing)
    return standing


def bytes_of_token_alone(length: int) -> int:
    """Return the size of a match that holds a token of this length and nothing else: its tag, its length, itself.

    To ask a message for its size costs a third of asking for its fields.

    >>> [bytes_of_token_alone(n) - Match(token=bytes(n)).ByteSize() for n in (1, 127, 128, 16383, 16384)]
    [0, 0, 0, 0, 0]
    """
    return 1 + max(1, (length.bit_length() + 6) // 7) + length


def decoded(sealed: Sealed) -> Standing:
    """Read the state that a token holds."""
    game = GAMES[sealed.game]
    try:
        return Standing(sealed, game, game.decode(sealed.state))
    except DominohallError:
        message = "sealed by a build that plays by rules which this build doesn't know"
        raise CallFault(Fault.UNKNOWN_RULES, f"match.token: {message}", [("match.token", message)]) from None


def check_agreement(match: Match, standing: Standing) -> None:
    """Refuse a match whose other fields disagree with its token."""
    sealed = standing.sealed
    differing = []
    if match.match_id and match.match_id != sealed.match_id:
        differing.append("match.match_id")
    if match.HasField("sequence") and match.sequence != sealed.sequence:
        differing.append("match.sequence")
    if match.link and match.link != sealed.link:
        differing.append("match.link")
    if match.HasField("state"):
        written = state_to_proto(standing.game, standing.state, sealed.marks)
        if match.state != written:
            differing += differing_fields(match.state, written, "match.state")
    if differing:
        fields = [(field, "expected what the token holds, got another value") for field in differing]
        raise CallFault(Fault.STATE_EDITED, f"expected a match as its token has it: {', '.join(differing)}", fields)


def due(standing: Standing, made: Made) -> Any:  # noqa: ANN401 - a move of the game
    """Return a move of the kind that the service was asked to make, to ask the rules whether it is due."""
    game = standing.game
    if not made.lot:
        return Shake(ANY_ORDER)
    if game.NAME == "forty_two":
        return game.decode_move(bytes((2, 0)))
    return game.decode_move(bytes((2, *range(seat_count(game, standing.state)))))


def check_move(standing: Standing, move: Any) -> None:  # noqa: ANN401 - a move of the game
    """Judge a move without doing it: `IllegalMove` if the rules forbid it, a fault if it names an order it may not."""
    check_due(standing, move)
    if type(move) in CHANCE and not standing.sealed.marks & SCRIPTED:
        raise CallFault(
            Fault.SCRIPTED_DEALS_OFF,
            "expected a shake or a lot without its order: this match was not started with scripted_deals",
        )


def check_due(standing: Standing, move: Any) -> None:  # noqa: ANN401 - a move of the game
    """Ask the rules about a move, or whether one that the service is to make is due; `IllegalMove` if not."""
    judged = due(standing, move) if type(move) is Made else move
    violation = standing.game.violation(standing.state, judged)
    if violation is not None:
        raise IllegalMove(violation)


def take_step(keys: Keys, standing: Standing, move: Any, occurred_at: int | None) -> Step:  # noqa: ANN401
    """Apply a move; `IllegalMove` if the rules forbid it.

    A shake or lot without its order is made from the match's deal secret, so any process makes the same one. One with
    its order is taken only in a match that is marked for it.
    """
    sealed, game, state = standing.sealed, standing.game, standing.state
    salt, tiles_root = None, sealed.root
    kind = type(move)
    if kind is Made:
        check_due(standing, move)
        secret = keys.secret(sealed.deal_key_id, sealed.owner, sealed.match_id, for_dealing=True)
        move = chance_move(game, state, secret)
        kind = type(move)
    elif kind in CHANCE:
        check_move(standing, move)
    after = game.apply(state, move)
    order = game.order(after)
    if kind is Shake:
        secret = keys.secret(sealed.deal_key_id, sealed.owner, sealed.match_id, for_dealing=True)
        salt = shake_salt(secret, game.shakes(state))
        tiles_root = root(move.tiles, salt)
    elif order is None:
        tiles_root = None
    return Step(move, after, game.encode_public(after), order or b"", tiles_root, salt, occurred_at)


def entry_of(game: AnyGame, head: Head, step: Step) -> Entry:
    """Write the entry of a step behind this head."""
    return move_entry(
        game,
        head,
        step.move,
        step.after,
        root=step.root,
        shake_salt=step.salt,
        occurred_at=step.occurred_at,
        public=step.public,
    )


def after_step(sealed: Sealed, step: Step, entry: Entry) -> Sealed:
    """Return where the match stands after a step that was recorded as this entry."""
    return Sealed(
        sealed.owner,
        sealed.match_id,
        sealed.game,
        sealed.marks,
        sealed.deal_key_id,
        entry.sequence,
        entry.link,
        step.root,
        step.public + step.hidden,
    )
