"""The map of a header, read strictly: every key in its place, every value of its kind and in its range."""

from typing import Any, Final, NoReturn, TypeVar

from dominohall_engine.options import Plain

from dominohall_replays.errors import UnreadableLog, UnwritableRecord
from dominohall_replays.packing import Item
from dominohall_replays.records import FORMAT, Header, Initial, check_header

HEADER_KEYS: Final = (
    "format",
    "match_id",
    "owner",
    "game",
    "rules_revision",
    "rules_digest",
    "options",
    "first",
    "labels",
    "commitment",
    "deal_key_id",
    "marks",
    "initial",
)

ValueT = TypeVar("ValueT")


def header_of(fields: dict[str, Item]) -> Header:
    """Read the map of the header; `UnreadableLog` names byte 0, where the header begins."""
    if fields.get("format") != FORMAT:
        raise UnreadableLog(f"expected the format {FORMAT}", 0)
    if tuple(fields) != HEADER_KEYS:
        raise UnreadableLog(f"expected the header's keys in this order: {', '.join(HEADER_KEYS)}", 0)
    digest = _field(fields, "rules_digest", bytes)
    header = Header(
        _field(fields, "match_id", str),
        _field(fields, "owner", str),
        _field(fields, "game", str),
        _field(fields, "rules_revision", int),
        digest,
        _options(_field(fields, "options", dict)),
        _optional(fields, "first", int),
        _texts(_field(fields, "labels", list), "labels"),
        _optional(fields, "commitment", bytes),
        _optional(fields, "deal_key_id", bytes),
        _texts(_field(fields, "marks", list), "marks"),
        _initial(_optional(fields, "initial", list)),
    )
    try:
        check_header(header)
    except UnwritableRecord as error:
        raise UnreadableLog(str(error), 0) from None
    return header


def _field(fields: dict[str, Item], name: str, kind: type[ValueT]) -> ValueT:
    value = fields[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        _refuse(name)
    return value


def _optional(fields: dict[str, Item], name: str, kind: type[ValueT]) -> ValueT | None:
    return None if fields[name] is None else _field(fields, name, kind)


def _options(found: dict[Any, Any]) -> dict[str, Plain]:
    if list(found) != sorted(found) or any(isinstance(value, bytes | list | dict) for value in found.values()):
        _refuse("options")
    return found


def _texts(found: list[Any], name: str) -> tuple[str, ...]:
    if not all(isinstance(each, str) for each in found):
        _refuse(name)
    return tuple(found)


def _initial(found: list[Any] | None) -> Initial | None:
    if found is None:
        return None
    if [type(each) for each in found] not in ([bytes, bytes], [bytes, type(None)]):
        _refuse("initial")
    return Initial(*found)


def _refuse(name: str) -> NoReturn:
    raise UnreadableLog(f"{name}: expected another kind of value", 0)
