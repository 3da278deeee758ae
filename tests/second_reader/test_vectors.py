"""The published vectors are what the engine says, what the second reader says, and what their page lists."""

import json
import re
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

from dominohall_engine.fives import SpinnerRule
from dominohall_engine.fives.layout import EMPTY, extended
from dominohall_engine.forty_two.state import TRICK_RULES
from dominohall_engine.forty_two.tables import FOLLOWS, led_suit
from dominohall_engine.forty_two.tricks import trick_points, winning_tile
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Shake
from dominohall_engine.options import options_from_plain
from dominohall_engine.shuffle import number_below, shuffled, stream
from dominohall_engine.tiles import mask_of
from dominohall_replays import deals
from dominohall_replays.records import digest_of, link_of

VECTORS = Path(__file__).parents[2] / "docs" / "vectors"
ROW = re.compile(r"^\| \[(\w+\.json)\]\(\1\) \| .* \| `([0-9a-f]{64})` \|$", re.MULTILINE)


def read(name: str) -> list[dict[str, Any]]:
    """Read a file of vectors."""
    vectors: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    assert vectors
    return vectors


def test_the_page_lists_every_file() -> None:
    """The page lists each file once, with the digest that it has: a published vector is never changed."""
    listed = ROW.findall((VECTORS / "README.md").read_text(encoding="utf-8"))
    found = [(path.name, sha256(path.read_bytes()).hexdigest()) for path in VECTORS.glob("*.json")]
    assert sorted(listed) == sorted(found)


def test_follow() -> None:
    """Every trump and lead stands in the table once, with what the engine asks for and lets follow."""
    vectors = read("follow")
    assert [(each["trump"], each["lead"]) for each in vectors] == [(t, lead) for t in range(8) for lead in range(28)]
    for each in vectors:
        trump, lead = each["trump"], each["lead"]
        assert (led_suit(lead, trump), FOLLOWS[trump][lead]) == (each["suit"], mask_of(each["follows"]))


def test_tricks() -> None:
    """The engine finds the same winner and points of each trick."""
    for each in read("tricks"):
        trick = bytes(each["trick"])
        won = winning_tile(TRICK_RULES[each["trump"]], trick)
        assert (won, trick_points(trick)) == (each["wins"], each["points"])


def test_layouts() -> None:
    """The engine lays the same layouts, and says the same of their ends."""
    for each in read("layouts"):
        layout = EMPTY[SpinnerRule(each["spinner"])]
        for play in each["plays"]:
            layout = extended(layout, play["tile"], play["place"])
            assert (list(layout.shape), layout.total) == (play["shape"], play["total"])
            assert list(layout.masks) == [mask_of(play["fits"].get(str(place), ())) for place in range(7)]


def test_shuffle() -> None:
    """The engine shuffles each seed the same way."""
    for each in read("shuffle"):
        seed = bytes.fromhex(each["seed"])
        assert (list(shuffled(seed)), number_below(4, stream(seed))) == (each["order"], each["seat"])


def test_deals() -> None:
    """The same secrets, shakes, salts, roots and openings follow from each deal key."""
    for each in read("deals"):
        secret = deals.match_secret(bytes.fromhex(each["deal_key"]), each["owner"], each["match_id"])
        order = deals.derive_shake(secret, each["shakes_before"])
        salt = deals.shake_salt(secret, each["shakes_before"])
        assert (secret.hex(), deals.commitment(secret).hex()) == (each["match_secret"], each["commitment"])
        assert (list(order), salt.hex(), deals.root(order, salt).hex()) == (each["order"], each["salt"], each["root"])
        places = tuple(opening["place"] for opening in each["openings"])
        for opening, wanted in zip(deals.openings(order, salt, places), each["openings"], strict=True):
            assert (opening.tile, opening.salt.hex()) == (wanted["tile"], wanted["salt"])
            assert [neighbour.hex() for neighbour in opening.path] == wanted["path"]


def test_states() -> None:
    """The engine comes to the same public bytes and digest after every move."""
    for each in read("states"):
        game: Any = GAMES[each["game"]]
        state = game.new_match(options_from_plain(game.Options, each["options"]), None)
        for after in each["states"]:
            move = Shake(bytes(after["order"])) if after["order"] else game.decode_move(bytes.fromhex(after["move"]))
            state = game.apply(state, move)
            public, root = game.encode_public(state), after["root"] and bytes.fromhex(after["root"])
            assert (public.hex(), digest_of(public, root).hex()) == (after["public"], after["digest"])
            assert (root is None) == (game.order(state) is None)
        assert game.outcome(state) is not None


def test_links() -> None:
    """Each link follows from the one before it and its record."""
    for each in read("links"):
        assert link_of(bytes.fromhex(each["previous"]), bytes.fromhex(each["record"])).hex() == each["link"]


def test_the_second_reader_agrees(node: str) -> None:
    """The reader in JavaScript says the same of every vector."""
    program = Path(__file__).with_name("vectors.mjs")
    done = subprocess.run([node, str(program), str(VECTORS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts == {path.stem: len(read(path.stem)) for path in VECTORS.glob("*.json")}


def test_a_changed_vector_is_noticed(node: str, tmp_path: Path) -> None:
    """The comparison in JavaScript compares: with one number changed it fails, and names file and line."""
    for path in VECTORS.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    tricks = (VECTORS / "tricks.json").read_text(encoding="utf-8")
    (tmp_path / "tricks.json").write_text(re.sub(r'"points":\d+', '"points":99', tricks, count=1), encoding="utf-8")
    program = Path(__file__).with_name("vectors.mjs")
    done = subprocess.run([node, str(program), str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "tricks.json, line 2" in done.stderr
