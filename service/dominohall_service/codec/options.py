"""Options on the wire: a preset by its name, and the fields that differ from it.

The engine's options and the messages have the same field names, so one pair of functions serves both games; a test
holds them against each other.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, get_type_hints

from dominohall.v1.fives_pb2 import FivesOptions
from dominohall.v1.forty_two_pb2 import FortyTwoOptions
from dominohall.v1.options_pb2 import Options
from dominohall_engine.errors import InvalidOptions
from dominohall_engine.games import GAMES, AnyGame

from dominohall_service.codec.scalars import EnumCodec
from dominohall_service.faults import CallFault, Fault, invalid

MESSAGES: Final[Mapping[str, type[FortyTwoOptions] | type[FivesOptions]]] = {
    "forty_two": FortyTwoOptions,
    "fives": FivesOptions,
}
"""The message of each game's options; its field in `Options` has the game's name."""


def snake(name: str) -> str:
    """Return `BLOCK_SCORE` for `BlockScore`: how the values of a wire enum begin."""
    return "".join(f"_{each}" if each.isupper() and place else each for place, each in enumerate(name)).upper()


def enums_of(game: str) -> Mapping[str, EnumCodec]:
    """Return the codec of each option of a game that is an enum."""
    return {
        name: EnumCodec(kind, getattr(MESSAGES[game], kind.__name__), snake(kind.__name__))
        for name, kind in get_type_hints(GAMES[game].Options).items()
        if isinstance(kind, type) and issubclass(kind, StrEnum)
    }


ENUMS: Final = {game: enums_of(game) for game in MESSAGES}


@lru_cache(maxsize=1024)
def _written(game_name: str, options: object) -> bytes:
    """Write every option out; kept, because a service sees few different ones and writes them into every reply."""
    fields: dict[str, Any] = {}
    for name in MESSAGES[game_name].DESCRIPTOR.fields_by_name:
        value = getattr(options, name)
        codec = ENUMS[game_name].get(name)
        if value is not None:
            fields[name] = codec.to_proto[value] if codec else value
    preset = next((name for name, each in GAMES[game_name].PRESETS.items() if each == options), None)
    of_the_game: dict[str, Any] = {game_name: MESSAGES[game_name](**fields)}
    written = Options(preset=f"{game_name}.{preset}" if preset else "", **of_the_game)
    return written.SerializeToString(deterministic=True)


def options_to_proto(game: AnyGame, options: object) -> Options:
    """Write every option out, with the preset that they equal if they equal one."""
    return Options.FromString(_written(game.NAME, options))


def write_options(proto: Options, game: AnyGame, options: object) -> None:
    """Write every option out into an empty message."""
    proto.MergeFromString(_written(game.NAME, options))


def options_from_proto(proto: Options, field: str) -> tuple[AnyGame, Any]:
    """Read a preset and what differs from it: the game and its options."""
    name, _, preset = proto.preset.partition(".")
    if not proto.preset:
        raise invalid(f"{field}.preset", "expected the name of a preset such as 'forty_two.polish', got none")
    game = GAMES.get(name)
    if game is None or preset not in game.PRESETS:
        description = f"expected the name of a preset that this build knows, got {proto.preset[:40]!r}"
        raise CallFault(Fault.UNKNOWN_RULES, f"{field}.preset: {description}", [(f"{field}.preset", description)])
    return game, changed(game, game.PRESETS[preset], proto, field)


def whole_options_from_proto(proto: Options, field: str) -> tuple[AnyGame, Any]:
    """Read options that are written out, as in a state; the preset's name may be absent, as no other option may."""
    name = proto.WhichOneof("game")
    if name is None:
        raise invalid(field, "expected the options of a game, got none")
    message = getattr(proto, name)
    missing = [
        each for each in message.DESCRIPTOR.fields_by_name if each != "round_limit" and not message.HasField(each)
    ]
    if missing:
        raise invalid(f"{field}.{name}.{missing[0]}", "expected every option to be written out, got none")
    game = GAMES[name]
    return game, changed(game, next(iter(game.PRESETS.values())), proto, field)


def changed(game: AnyGame, options: Any, proto: Options, field: str) -> Any:  # noqa: ANN401 - options of that game
    """Return the options with the fields that are present in the message replaced."""
    name = proto.WhichOneof("game")
    if name is None:
        return options
    if name != game.NAME:
        raise invalid(f"{field}.{name}", f"expected options of {game.NAME}, got those of another game")
    values: dict[str, Any] = {}
    for descriptor, value in getattr(proto, name).ListFields():
        path = f"{field}.{name}.{descriptor.name}"
        codec = ENUMS[name].get(descriptor.name)
        values[descriptor.name] = codec.from_proto(value, path) if codec else value
    if "revision" in values and values["revision"] != options.revision:
        check_revision(options.revision, values["revision"], f"{field}.{name}.revision")
    try:
        return replace(options, **values)
    except InvalidOptions as error:
        raise invalid(f"{field}.{name}", str(error)) from None


def check_revision(newest: int, revision: int, field: str) -> None:
    """Refuse a revision of the rules that this build can't play: it needs another build, not another message."""
    if not 1 <= revision <= newest:
        description = f"expected a rules revision of 1 to {newest}, got {revision}"
        raise CallFault(Fault.UNKNOWN_RULES, f"{field}: {description}", [(field, description)])
