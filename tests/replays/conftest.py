"""Matches played and recorded for the tests of replays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.options import options_to_plain
from dominohall_engine.shuffle import number_below, stream
from dominohall_replays import deals
from dominohall_replays.records import (
    IMPORTED,
    SCRIPTED,
    Entry,
    Head,
    Header,
    Initial,
    header_entry,
    move_entry,
    revealed_secret,
)
from dominohall_replays.signatures import SignedHead, public_key, sign_head, signature_item

DEAL_KEY = bytes(range(32))

SHORT = {
    "forty_two": replace(forty_two.POLISH, round_limit=1),
    "fives": replace(fives.LINEAR, seats=2, partners=False, round_limit=1),
}
"""Options under which a match is over after one round, give or take a round in which all passed."""


@dataclass
class Recorded:
    """A match that was played and recorded."""

    game: AnyGame
    header: Header
    secret: bytes
    entries: list[Entry]
    states: list[Any]
    """The state at each sequence."""
    moves: list[Any] = field(default_factory=list)

    @property
    def log(self) -> bytes:
        """The log without attachments."""
        return b"".join([entry.data for entry in self.entries])

    @property
    def revealed(self) -> bytes:
        """The log with the match secret revealed beside it."""
        return self.log + revealed_secret(self.secret)

    @property
    def head(self) -> Head:
        """The last entry."""
        last = self.entries[-1]
        return Head(self.header.match_id, last.sequence, last.link)


Record = Callable[..., Recorded]


def start(  # noqa: PLR0913 - what a header says
    game_name: str,
    options: Any,
    *,
    match_id: str = "match-1",
    owner: str = "acme",
    first: int | None = None,
    marks: Sequence[str] = (),
    commit: bool = True,
) -> Recorded:
    """Begin a match and write its header."""
    game = GAMES[game_name]
    secret = deals.match_secret(DEAL_KEY, owner, match_id)
    header = Header(
        match_id,
        owner,
        game_name,
        options.revision,
        rules_digest(game_name, options.revision),
        options_to_plain(options),
        first,
        ("",) * sum(map(len, game.sides(options))),
        deals.commitment(secret) if commit else None,
        b"key1" if commit else None,
        tuple(marks),
    )
    return Recorded(game, header, secret, [header_entry(header)], [game.new_match(options, first)])


def start_imported(from_match: Recorded) -> Recorded:
    """Begin a match in the state where another one stands, as an import does."""
    game, state = from_match.game, from_match.states[-1]
    match_id = "imported-1"
    secret = deals.match_secret(DEAL_KEY, from_match.header.owner, match_id)
    order = game.order(state)
    salt = None if order is None else deals.shake_salt(secret, game.shakes(state) - 1)
    root = None if order is None or salt is None else deals.root(order, salt)
    header = replace(
        from_match.header,
        match_id=match_id,
        commitment=deals.commitment(secret),
        marks=(IMPORTED,),
        initial=Initial(game.encode_public(state), root),
    )
    return Recorded(game, header, secret, [header_entry(header, initial_order=order, initial_salt=salt)], [state])


def add(match: Recorded, move: Any, *, occurred_at: int | None = None, salt: bytes | None = None) -> None:
    """Apply a move and write its entry."""
    game, before = match.game, match.states[-1]
    after = game.apply(before, move)
    root: bytes | None
    if isinstance(move, Shake):
        salt = salt or deals.shake_salt(match.secret, game.shakes(before))
        root = deals.root(move.tiles, salt)
    else:
        root = current_root(match)
    entry = move_entry(game, match.head, move, after, root=root, shake_salt=salt, occurred_at=occurred_at)
    match.entries.append(entry)
    match.states.append(after)
    match.moves.append(move)


def current_root(match: Recorded) -> bytes | None:
    """Return the root of the latest shake."""
    for number in range(len(match.moves) - 1, -1, -1):
        if isinstance(match.moves[number], Shake):
            salt = deals.shake_salt(match.secret, match.game.shakes(match.states[number]))
            return deals.root(match.moves[number].tiles, salt)
    return match.header.initial.root if match.header.initial else None


def go_on(match: Recorded, *, seed: int = 0, moves: int | None = None, times: bool = False) -> Recorded:
    """Play with random seats for so many moves, or to the end."""
    game = match.game
    source = stream(seed.to_bytes(32, "big"))
    while game.outcome(match.states[-1]) is None and (moves is None or len(match.moves) < moves):
        state = match.states[-1]
        if game.phase(state) in {Phase.LOT, Phase.SHAKE}:
            move = deals.chance_move(game, state, match.secret)
        else:
            legal = game.legal_moves(state)
            move = legal[number_below(len(legal), source)]
        add(match, move, occurred_at=1_700_000_000_000 + len(match.moves) if times else None)
    return match


def played_anew(match: Recorded, sequence: int, *, seed: int) -> Recorded:
    """Play a match again under the same header: the same moves up to a sequence, others behind it, to the end."""
    options = match.game.options_of(match.states[0])
    header = match.header
    other = start(header.game, options, match_id=header.match_id, owner=header.owner, first=header.first)
    for move in match.moves[:sequence]:
        add(other, move)
    return go_on(other, seed=seed)


def example_of_the_page() -> Recorded:
    """Record the match of the example in `docs/replay-format.md`."""
    match = start("forty_two", forty_two.POLISH, match_id="example", first=2)
    add(match, deals.chance_move(match.game, match.states[-1], match.secret))
    add(match, forty_two.Bid(3, 30), occurred_at=1_700_000_000_000)
    add(match, Abandon("table-closed"))
    return match


class Signer:
    """A service's signing key, and what it signs: heads of matches, whole logs."""

    key_id = b"sign"
    seed = bytes(range(32, 64))
    public_keys = {key_id: public_key(seed)}  # noqa: RUF012 - never changed

    def receipt(self, match: Recorded, sequence: int | None = None, **other: Any) -> SignedHead:
        """Sign the head of a match at a sequence, the last one by default; `other` fields are signed instead."""
        entry = match.entries[-1 if sequence is None else sequence]
        head = {"owner": match.header.owner, "match_id": match.header.match_id}
        fields = {**head, "sequence": entry.sequence, "link": entry.link, "key_id": self.key_id, **other}
        return sign_head(self.seed, **fields)

    def signed(self, match: Recorded) -> bytes:
        """Return the log of a match with a signature over its last head."""
        return match.log + signature_item(self.receipt(match))


@pytest.fixture(scope="session")
def signer() -> Signer:
    """Return a signing key."""
    return Signer()


@pytest.fixture(scope="session")
def record() -> Record:
    """Play and record a match: `record("forty_two", options, seed=.., moves=..)`."""

    def play(
        game_name: str, options: Any, *, seed: int = 0, moves: int | None = None, times: bool = False, **header: Any
    ) -> Recorded:
        return go_on(start(game_name, options, **header), seed=seed, moves=moves, times=times)

    return play


@pytest.fixture(scope="session", params=sorted(SHORT))
def short_match(request: pytest.FixtureRequest, record: Record) -> Recorded:
    """Play a whole match of one round or so, of each game."""
    return record(request.param, SHORT[request.param], seed=3)


@pytest.fixture(scope="session")
def scripted_match() -> Recorded:
    """Begin a match whose shake the host gave, marked as such."""
    match = start("forty_two", SHORT["forty_two"], first=0, marks=(SCRIPTED,))
    add(match, Shake(bytes(range(28))), salt=bytes(32))
    return match


@pytest.fixture(scope="session")
def abandoned_match(record: Record) -> Recorded:
    """Play a match that the host ended in the middle of a round."""
    match = record("forty_two", SHORT["forty_two"], seed=5, moves=9)
    add(match, Abandon("table-closed"))
    return match


@pytest.fixture(scope="session")
def imported_match(record: Record) -> Recorded:
    """Import a match in the middle of a round and play it to its end."""
    return go_on(start_imported(record("forty_two", SHORT["forty_two"], seed=7, moves=11)), seed=8)


@pytest.fixture(scope="session")
def tools() -> Any:
    """Return the functions above, for tests that build a match move by move."""

    class Tools:
        start = staticmethod(start)
        start_imported = staticmethod(start_imported)
        add = staticmethod(add)
        go_on = staticmethod(go_on)
        played_anew = staticmethod(played_anew)
        current_root = staticmethod(current_root)
        example_of_the_page = staticmethod(example_of_the_page)
        SHORT = SHORT

    return Tools
