"""Logs of matches of chance for both readers, and the reader in JavaScript."""

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, AnyGame
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.options import options_to_plain
from dominohall_replays import deals
from dominohall_replays.records import (
    IMPORTED,
    SCRIPTED,
    Entry,
    Head,
    Header,
    Initial,
    digest_of,
    header_entry,
    move_entry,
)
from dominohall_replays.signatures import public_key, sign_head, signature_item

SIGNING_KEY = bytes(range(32, 64))
READER = Path(__file__).parent / "main.mjs"
NODE = shutil.which("node")
KINDS = {"forty_two": forty_two.Options, "fives": fives.Options}
PRESETS = (
    ("forty_two", forty_two.POLISH),
    ("forty_two", forty_two.RUSSIAN),
    ("fives", fives.LINEAR),
    ("fives", replace(fives.LINEAR, seats=3, partners=False)),
    ("fives", replace(fives.LINEAR, seats=2, partners=False)),
)


@dataclass
class Match:
    """A match that was played and recorded."""

    game: AnyGame
    options: Any
    header: Header
    secret: bytes
    entries: list[Entry]
    states: list[Any]
    root: bytes | None = None
    moves: list[Any] = field(default_factory=list)

    @property
    def log(self) -> bytes:
        """The log without attachments."""
        return b"".join(entry.data for entry in self.entries)

    @property
    def head(self) -> Head:
        """The last entry."""
        return Head(self.header.match_id, self.entries[-1].sequence, self.entries[-1].link)

    @property
    def digest(self) -> str:
        """The digest of the state that the log ends in."""
        state = self.states[-1]
        return digest_of(self.game.encode_public(state), self.root if self.game.order(state) else None).hex()

    def signature(self, entry: Entry) -> bytes:
        """Return the attachment that signs an entry of this match."""
        signed = sign_head(SIGNING_KEY, b"signer", self.header.owner, self.header.match_id, entry.sequence, entry.link)
        return signature_item(signed)

    def imported(self, chance: random.Random) -> "Match":
        """Begin another match where this one stood at some move."""
        state = chance.choice(self.states)
        order = self.game.order(state)
        salt = None if order is None else deals.shake_salt(self.secret, self.game.shakes(state) - 1)
        root = deals.root(order, salt) if order and salt else None
        initial = Initial(self.game.encode_public(state), root)
        marks = (IMPORTED, *[mark for mark in self.header.marks if mark != IMPORTED])
        header = replace(self.header, marks=marks, initial=initial, first=None)
        entry = header_entry(header, initial_order=order, initial_salt=salt)
        return Match(self.game, self.options, header, self.secret, [entry], [state], root)


def options_by_chance(chance: random.Random, game_name: str) -> Any:
    """Draw every option by chance, and again until they go together."""
    kind: Any = KINDS[game_name]
    hints = get_type_hints(kind)
    while True:
        values = {each.name: option_by_chance(chance, each.name, hints[each.name]) for each in fields(kind)}
        try:
            return kind(**values)
        except InvalidOptions:
            continue


def option_by_chance(chance: random.Random, name: str, kind: Any) -> Any:
    """Draw one option; low targets and few rounds, so that matches end."""
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return chance.choice(list(kind))
    if kind is bool:
        return chance.random() < 0.5
    ranges = {
        "revision": (1, 1),
        "seats": (2, 4),
        "hand_size": (chance.choice((1, 3, 5, 7)), chance.choice((7, 14))),
        "reserve": (0, 2),
        "target": (50, chance.choice((50, 60, 120))),
    }
    return chance.choice((None, 1, 1, 2, 3)) if name == "round_limit" else chance.randint(*ranges[name])


def begin(chance: random.Random, options: Any, game_name: str) -> Match:
    """Write the header of a new match."""
    game = GAMES[game_name]
    owner, match_id = chance.choice(("", "acme", "żółw")), f"match-{chance.getrandbits(64):x}"
    secret = deals.match_secret(bytes(32), owner, match_id)
    seats = sum(map(len, game.sides(options)))
    may_name = getattr(options, "opener", None) != "holder_of_1_0"
    first = chance.randrange(seats) if may_name and chance.random() < 0.3 else None
    committed = chance.random() < 0.8
    header = Header(
        match_id,
        owner,
        game_name,
        options.revision,
        rules_digest(game_name, options.revision),
        options_to_plain(options),
        first,
        tuple(chance.choice(("", "seat", "место")) for _ in range(seats)),
        deals.commitment(secret) if committed else None,
        chance.randbytes(chance.choice((1, 4, 32))) if committed else None,
        (SCRIPTED,) if chance.random() < 0.1 else (),
    )
    return Match(game, options, header, secret, [header_entry(header)], [game.new_match(options, first)])


def go_on(chance: random.Random, match: Match, most: int = 2000) -> Match:
    """Play with seats that move by chance, for so many moves or to the end."""
    game = match.game
    timid = chance.random() < 0.5
    for _ in range(most):
        state = match.states[-1]
        if game.outcome(state) is not None:
            break
        if chance.random() < 0.001:
            move: Any = Abandon("by-chance_1")
        elif game.phase(state) in {Phase.LOT, Phase.SHAKE}:
            move = deals.chance_move(game, state, match.secret)
        else:
            legal = game.legal_moves(state)
            move = legal[0] if timid and len(legal) > 7 and chance.random() < 0.6 else chance.choice(legal)
        add(match, move, chance.choice((None, 0, 1_700_000_000_000)))
    return match


def add(match: Match, move: Any, occurred_at: int | None) -> None:
    """Apply a move and write its entry."""
    game, before = match.game, match.states[-1]
    after, salt = game.apply(before, move), None
    if isinstance(move, Shake):
        salt = deals.shake_salt(match.secret, game.shakes(before))
        match.root = deals.root(move.tiles, salt)
    match.entries.append(
        move_entry(game, match.head, move, after, root=match.root, shake_salt=salt, occurred_at=occurred_at)
    )
    match.states.append(after)
    match.moves.append(move)


def match_by_chance(seed: int) -> Match:
    """Play a match of any preset or options, whole, unfinished or imported; the same seed gives the same match."""
    chance = random.Random(seed)
    if chance.random() < 0.2:
        game_name, options = chance.choice(PRESETS)
        options = options if chance.random() < 0.1 else replace(options, round_limit=chance.choice((1, 2)))
    else:
        game_name = chance.choice(sorted(KINDS))
        options = options_by_chance(chance, game_name)
    match = begin(chance, options, game_name)
    if chance.random() < 0.1:
        return go_on(chance, match, most=chance.randrange(60))
    if chance.random() < 0.1:
        return go_on(chance, go_on(chance, match, most=chance.randrange(80)).imported(chance))
    return go_on(chance, match)


def second_reader(
    logs: Sequence[bytes], *, keys: dict[bytes, bytes] | None = None, head: Head | None = None
) -> list[dict[str, Any]]:
    """Have the reader in JavaScript judge logs, all in one process."""
    command = [NODE or "node", str(READER), "--batch"]
    if keys is not None:
        command += ["--keys", json.dumps({key_id.hex(): key.hex() for key_id, key in keys.items()})]
    if head is not None:
        command += ["--head", f"{head.sequence}:{head.link.hex()}"]
    batch = b"".join(len(log).to_bytes(4, "big") + log for log in logs)
    done = subprocess.run(command, input=batch, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="session")
def node() -> str:
    """Return the program Node; without it everything that needs it is skipped."""
    if NODE is None:
        pytest.skip("Node is not installed: the second reader can't run, and NOTHING holds the two readers together")
    return NODE


@pytest.fixture(scope="session")
def judged_by_second(node: str) -> Callable[..., list[dict[str, Any]]]:
    """Return the second reader."""
    return second_reader


@pytest.fixture(scope="session")
def played_by_chance() -> Callable[[int], Match]:
    """Return `match_by_chance`."""
    return match_by_chance


@pytest.fixture(scope="session")
def public_keys() -> dict[bytes, bytes]:
    """Return the keys that the good signatures are by."""
    return {b"signer": public_key(SIGNING_KEY)}
