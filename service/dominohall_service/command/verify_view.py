"""`dominohall verify-view`: swap hidden tiles and see that nobody is told of it."""

from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from dominohall_service.command.output import Exit, JsonFlag, console, print_json, tracked, unusable
from dominohall_service.command.sources import DEFAULT_OWNER, DEFAULT_STORE, OwnerOption, StoreOption, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dominohall_engine.games import AnyGame

    from dominohall_service.sights import Leak

EPILOG: Final = "Exit codes: 0 no answer differed, 1 one did, 2 unusable input."
SWAPS_AT_ONCE: Final = 4
"""Swaps of one state for one viewer before the next is taken."""
MOST_SHOWN: Final = 20


class Spot(NamedTuple):
    """A state with tiles dealt, and how many moves led there."""

    sequence: int
    state: Any


class Tried(NamedTuple):
    """What came of one log or preset."""

    name: str
    states: int
    swaps: int
    leaks: "list[tuple[int, Leak]]"


def verify_view(  # noqa: PLR0913, PLR0917 - a command's flags
    source: Annotated[
        str | None, typer.Argument(metavar="[FILE-or-ID]", help="Take the states of this match instead of new ones.")
    ] = None,
    presets: Annotated[
        list[str] | None,
        typer.Option("--preset", metavar="PRESET", help="Play under this preset; may be given again. All by default."),
    ] = None,
    swaps: Annotated[int, typer.Option("--swaps", min=1, help="How many swaps for each match or preset.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which matches and swaps; the same seed, the same.")] = 42,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Show that views and refusals tell no hidden tile.

    Takes states of random matches, or of a log, and swaps the tiles that a seat or a spectator can't see; every answer
    that this viewer could get must stay the same, byte for byte.
    """
    from dominohall_engine.games import GAMES, PRESETS

    unknown = [name for name in presets or () if name not in PRESETS]
    if unknown:
        unusable(f"expected a preset of {', '.join(PRESETS)}, got {unknown[0]!r}", as_json=as_json)
    if source is not None and presets:
        unusable("expected a log or a preset, got both", as_json=as_json)
    tried = []
    if source is not None:
        game, spots = _logged(source, store, owner, as_json=as_json)
        tried.append(_try(source, game, spots, swaps, seed))
    for name in presets or (PRESETS if source is None else ()):
        game = GAMES[name.partition(".")[0]]
        tried.append(_try(name, game, _played(game, name.partition(".")[2], seed), swaps, seed))
    held = not any(each.leaks for each in tried)
    if as_json:
        print_json({"held": held, "seed": seed, "tried": [_plain(each) for each in tried]})
    else:
        _print(tried)
    raise typer.Exit(Exit.DONE if held else Exit.AGAINST)


def _try(name: str, game: "AnyGame", spots: list[Spot], swaps: int, seed: int) -> Tried:
    """Swap so many times, taking the states in turn by chance and each viewer as often as any other."""
    from dominohall_engine.shuffle import stream

    from dominohall_service.sights import leaks, viewers

    source = stream(_seed_of(seed, f"swaps of {name}"))
    found: list[tuple[int, Leak]] = []
    for number in tracked(range(0, swaps, SWAPS_AT_ONCE), f"swapping {name}"):
        spot = spots[(next(source) << 16 | next(source) << 8 | next(source)) % len(spots)]
        everybody = viewers(game, spot.state)
        viewer = everybody[number // SWAPS_AT_ONCE % len(everybody)]
        count = min(SWAPS_AT_ONCE, swaps - number)
        found += [(spot.sequence, leak) for leak in leaks(game, spot.state, viewer, count, source)]
    return Tried(name, len(spots), swaps, found)


def _played(game: "AnyGame", preset: str, seed: int) -> list[Spot]:
    """Play one match by random legal moves, and return its states with tiles dealt."""
    from dominohall_engine.shuffle import number_below, stream
    from dominohall_replays.deals import chance_move

    secret = _seed_of(seed, f"match of {game.NAME}.{preset}")
    source = stream(secret)
    state, sequence, spots = game.new_match(game.PRESETS[preset]), 0, []
    while game.outcome(state) is None:
        legal = game.legal_moves(state)
        move = legal[number_below(len(legal), source)] if legal else chance_move(game, state, secret)
        state, sequence = game.apply(state, move), sequence + 1
        if game.order(state) is not None:
            spots.append(Spot(sequence, state))
    return spots


def _logged(source: str, store: str, owner: str, *, as_json: bool) -> "tuple[AnyGame, list[Spot]]":
    """Return the states of a log with tiles dealt; exit code 2 for a log that can't be played again."""
    from dominohall_replays.errors import ReplayError
    from dominohall_replays.fold import Fold, replay
    from dominohall_replays.log import read_log

    found = find(source, store, owner, as_json=as_json)
    try:
        log = read_log(found.source)
        fold = Fold(log)
        steps: Iterator[Any] = replay(log, fold)
        spots = [Spot(step.entry.sequence, step.after) for step in steps if fold.game.order(step.after) is not None]
    except ReplayError as error:
        unusable(f"{found.name}: {error}", as_json=as_json)
    if not spots:
        unusable(f"{found.name}: expected a match in which tiles were dealt and shown, found none", as_json=as_json)
    return fold.game, spots


def _seed_of(seed: int, what: str) -> bytes:
    """Return 32 bytes for one purpose."""
    from hashlib import sha256

    return sha256(f"dominohall/verify-view/1\0{seed}\0{what}".encode()).digest()


def _print(tried: list[Tried]) -> None:
    """Print a line for each match, and the first answers that differed."""
    screen = console()
    for each in tried:
        outcome = f"{len(each.leaks):,} answers differ" if each.leaks else "nothing differs"
        screen.print(f"{each.name}  {each.states:,} states, {each.swaps:,} swaps: {outcome}")
        for sequence, leak in each.leaks[:MOST_SHOWN]:
            viewer = "a spectator" if leak.viewer is None else f"seat {leak.viewer}"
            sizes = f"{leak.sizes[0]} and {leak.sizes[1]} bytes"
            screen.print(f"  sequence {sequence}, {viewer}, {leak.language}: {leak.answer} ({sizes})")


def _plain(tried: Tried) -> dict[str, object]:
    leaks = [{"sequence": sequence, **leak._asdict()} for sequence, leak in tried.leaks]
    return {"name": tried.name, "states": tried.states, "swaps": tried.swaps, "leaks": leaks}
