"""Write the vectors of `docs/vectors` and their digests in its README: run by hand, only when vectors are added."""

import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from dominohall_engine import fives, forty_two
from dominohall_engine.fives.layout import EMPTY, extended
from dominohall_engine.forty_two.state import TRICK_RULES
from dominohall_engine.forty_two.tables import FOLLOWS, led_suit
from dominohall_engine.forty_two.tricks import trick_points, winning_tile
from dominohall_engine.game import Phase
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Shake
from dominohall_engine.options import options_to_plain
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_replays import deals
from dominohall_replays.records import digest_of, link_of

VECTORS = Path(__file__).parents[2] / "docs" / "vectors"
SECRET = deals.match_secret(bytes(range(32)), "acme", "match-1")


def shuffle_vectors(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield seeds with the order and the seat of a lot that they give."""
    seeds = [bytes(32), b"\xff" * 32, bytes(range(32)), *(chance.randbytes(32) for _ in range(61))]
    for seed in seeds:
        yield {"seed": seed.hex(), "order": list(shuffled(seed)), "seat": number_below(4, stream(seed))}


def deal_vectors(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield secrets of matches, and everything about a shake of each."""
    names = (("acme", "match-1"), ("", "01JDX3Z8Q2"), ("häuser & co", "żółw/🁢"))
    for owner, match_id in names:
        key = chance.randbytes(32)
        secret = deals.match_secret(key, owner, match_id)
        for number in (0, 1, 255, 2**32 - 1):
            order, salt = deals.derive_shake(secret, number), deals.shake_salt(secret, number)
            yield {
                "deal_key": key.hex(),
                "owner": owner,
                "match_id": match_id,
                "match_secret": secret.hex(),
                "commitment": deals.commitment(secret).hex(),
                "shakes_before": number,
                "order": list(order),
                "salt": salt.hex(),
                "root": deals.root(order, salt).hex(),
                "openings": [
                    {
                        "place": each.place,
                        "tile": each.tile,
                        "salt": each.salt.hex(),
                        "path": [n.hex() for n in each.path],
                    }
                    for each in deals.openings(order, salt, (0, 13, 27))
                ],
            }


def follow_vectors() -> Iterator[dict[str, Any]]:
    """Yield, for every trump and every lead, the suit that is asked for and the tiles that follow it."""
    for trump in range(8):
        for lead in range(28):
            follows = [tile for tile in range(28) if FOLLOWS[trump][lead] >> tile & 1]
            yield {"trump": trump, "lead": lead, "suit": led_suit(lead, trump), "follows": follows}


def trick_vectors(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield, for every trump and every lead, tricks with the tile that wins and their points."""
    for trump in range(8):
        for lead in range(28):
            for _ in range(8):
                trick = [lead, *chance.sample([tile for tile in range(28) if tile != lead], 3)]
                won = winning_tile(TRICK_RULES[trump], bytes(trick))
                yield {"trump": trump, "trick": trick, "wins": won, "points": trick_points(bytes(trick))}


def layout_vectors(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield layouts, laid tile by tile, each with its ends and with what may be played where."""
    for spinner in fives.SpinnerRule:
        for _ in range(20):
            tiles = chance.sample(range(28), 28)
            plays: list[dict[str, Any]] = []
            layout = EMPTY[spinner]
            while fitting := [(tile, place) for tile in tiles for place in range(7) if layout.masks[place] >> tile & 1]:
                tile, place = chance.choice(fitting)
                tiles.remove(tile)
                plays.append({"tile": tile, "place": place})
                layout = extended(layout, tile, place)
                plays[-1] |= {"shape": list(layout.shape), "total": layout.total, "fits": fits_of(layout)}
            yield {"spinner": spinner.value, "plays": plays}


def fits_of(layout: Any) -> dict[str, list[int]]:
    """Return the tiles that fit at each open place, whether they were played or not."""
    masks = {place: layout.masks[place] for place in range(7) if layout.masks[place]}
    return {str(place): [tile for tile in range(28) if mask >> tile & 1] for place, mask in masks.items()}


def state_vectors(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield short matches, move by move, with the public part and the digest of each state."""
    two = replace(fives.LINEAR, round_limit=1, seats=2, partners=False)
    for options in (
        replace(forty_two.POLISH, round_limit=1),
        replace(forty_two.RUSSIAN, round_limit=1),
        replace(fives.LINEAR, round_limit=1),
        replace(two, spinner=fives.SpinnerRule.NONE),
        replace(two, spinner=fives.SpinnerRule.ALL_FOUR_FIRST, finish_hand=True),
    ):
        yield played(chance, options)


def played(chance: random.Random, options: Any) -> dict[str, Any]:
    """Play a match by chance and write down each state."""
    name = "forty_two" if isinstance(options, forty_two.Options) else "fives"
    game, root = GAMES[name], None
    state = game.new_match(options, None)
    states = []
    while game.outcome(state) is None:
        lot_or_shake = game.phase(state) in {Phase.LOT, Phase.SHAKE}
        move = deals.chance_move(game, state, SECRET) if lot_or_shake else chance.choice(game.legal_moves(state))
        if isinstance(move, Shake):
            root = deals.root(move.tiles, deals.shake_salt(SECRET, game.shakes(state)))
        state = game.apply(state, move)
        public, in_force = game.encode_public(state), root if game.order(state) else None
        states.append(
            {
                "move": b"\x01".hex() if isinstance(move, Shake) else game.encode_move(move).hex(),
                "order": list(move.tiles) if isinstance(move, Shake) else None,
                "public": public.hex(),
                "root": in_force and in_force.hex(),
                "digest": digest_of(public, in_force).hex(),
            }
        )
    return {"game": name, "options": options_to_plain(options), "states": states}


def link_vectors(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield a chain of links over records of several lengths: any bytes do, a link does not look into a record."""
    link = bytes(32)
    for length in (1, 31, 32, 55, 56, 63, 64, 65, 300, 16_384):
        record = chance.randbytes(length)
        previous, link = link, link_of(link, record)
        yield {"previous": previous.hex(), "record": record.hex(), "link": link.hex()}


def main() -> None:
    """Write every file, and their digests into the README."""
    chance = random.Random("vectors of dominohall, revision 1")
    made = {
        "shuffle": shuffle_vectors(chance),
        "deals": deal_vectors(chance),
        "follow": follow_vectors(),
        "tricks": trick_vectors(chance),
        "layouts": layout_vectors(chance),
        "states": state_vectors(chance),
        "links": link_vectors(chance),
    }
    readme = VECTORS / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, vectors in made.items():
        lines = ",\n".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in vectors)
        data, path = f"[\n{lines}\n]\n".encode(), VECTORS / f"{name}.json"
        if path.exists() and path.read_bytes() != data:
            sys.exit(f"{path.name} is published and never changes; give other vectors a file of their own")
        path.write_bytes(data)
        row = rf"(\| \[{name}\.json\].*\| `)[0-9a-f]*(` \|)"
        text, found = re.subn(row, rf"\g<1>{sha256(data).hexdigest()}\g<2>", text)
        assert found == 1, name
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
