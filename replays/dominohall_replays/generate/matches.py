"""Matches from a seed: played by chance, recorded whole, the same on every machine.

Bids are as people make them (two of three calls are a pass, the rest the lowest bid); every other move is any legal
one.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

from dominohall_engine.clauses import rules_digest
from dominohall_engine.forty_two import Bid, Pass
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES, PRESETS, AnyGame
from dominohall_engine.options import options_to_plain

from dominohall_replays.compact_body import CHECK_BYTES, SECRET, Body
from dominohall_replays.compact_digits import DigitWriter
from dominohall_replays.compact_row import Expanded, Row, Template, played
from dominohall_replays.deals import chance_move, match_secret
from dominohall_replays.records import digest_of

OWNER: Final = "generated"
DEAL_KEY_ID: Final = b"generate"
DEAL_KEY_DOMAIN: Final = b"dominohall/generated-deal-key/1\0"
PASSES: Final = 2 / 3


class Made(NamedTuple):
    """A match that was played to its end, with its secret revealed behind it."""

    row: Row
    back: Expanded
    rounds: int

    @property
    def log(self) -> bytes:
        """The bytes of its log."""
        return self.back.log


def match_from(seed: int, name: str, preset: str) -> Made:
    """Play the match of this name from a seed, 0 or more, under a preset such as `fives.linear`."""
    chance = Random(f"{seed}/{name}")  # noqa: S311 - the same match each time is what is wanted
    match_id = str(UUID(int=chance.getrandbits(128), version=4))
    secret = match_secret(sha256(DEAL_KEY_DOMAIN + str(seed).encode()).digest(), OWNER, match_id)
    template, game, state = _begun(preset)
    digits = DigitWriter()
    sequence, state = _play(game, state, secret, chance.random, digits)
    check = digest_of(game.encode_public(state), None)[:CHECK_BYTES]
    body = Body(SECRET, secret, check=check).packed(digits.data())
    row = Row(template, match_id, sequence, b"", body, attachments=(True,))
    back = played(row)
    return Made(row._replace(link=back.head.link), back, game.shakes(state))


def preset_of(presets: Sequence[str], number: int) -> str:
    """Return the preset of a match by its number: one after another."""
    return presets[number % len(presets)]


def check_presets(presets: Sequence[str]) -> None:
    """Refuse a preset that no game has."""
    for each in presets:
        if each not in PRESETS:
            raise ValueError(f"expected a preset of {', '.join(PRESETS)}, got {each!r}")


def _begun(preset: str) -> tuple[Template, AnyGame, Any]:
    name, _, of_game = preset.partition(".")
    game = GAMES[name]
    options = game.PRESETS[of_game]
    plain = options_to_plain(options)
    template = Template(
        OWNER,
        name,
        options.revision,
        rules_digest(name, options.revision),
        tuple(sorted(plain.items())),
        None,
        DEAL_KEY_ID,
        (),
    )
    return template, game, game.new_match(options)


def _play(
    game: AnyGame,
    state: Any,  # noqa: ANN401 - a state of the game
    secret: bytes,
    number: Callable[[], float],
    digits: DigitWriter,
) -> tuple[int, Any]:
    """Play to the end, and write down what was chosen; return how many moves that took and the last state."""
    sequence = 0
    while True:
        legal = game.legal_moves(state)
        count = len(legal)
        if count > 1:
            place = _choice(legal, number)
            digits.put(place, count)
            move = legal[place]
        elif count:
            move = legal[0]
        elif game.phase(state) is Phase.OVER:
            return sequence, state
        else:
            move = chance_move(game, state, secret)
        state = game.apply(state, move)
        sequence += 1


def _choice(legal: Sequence[Any], number: Callable[[], float]) -> int:
    if type(legal[0]) is Pass:
        return 0 if number() < PASSES else 1
    if type(legal[0]) is Bid:
        return 0
    return int(number() * len(legal))
