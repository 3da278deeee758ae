"""What the `Options` of every game share: validation, and the plain form in which they are logged.

Options are frozen dataclasses whose fields are enums, booleans, whole numbers in a stated range, or None. The log
writes every one of them out, so a default that changes later can't change an old verdict.
"""

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any, Final, TypeVar, get_type_hints

from dominohall_engine.errors import InvalidOptions

Plain = str | bool | int | None
OptionsT = TypeVar("OptionsT")


_KINDS: Final[dict[type, Mapping[str, Any]]] = {}
"""The type of each option, looked up once a game: it would cost more than all the rest of reading options."""


def _kinds_of(options: type) -> Mapping[str, Any]:
    found = _KINDS.get(options)
    if found is None:
        found = _KINDS[options] = get_type_hints(options)
    return found


def check_whole_number(name: str, value: object, low: int, high: int) -> None:
    """Refuse an option that is not a whole number in ``low..high``."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidOptions(f"{name}: expected a whole number from {low} to {high}, got {value!r}")


def check_types(options: Any) -> None:  # noqa: ANN401 - any dataclass of options
    """Refuse an option whose value is not of its field's type."""
    for name, kind in _kinds_of(type(options)).items():
        value = getattr(options, name)
        if isinstance(kind, type) and not (isinstance(value, kind) and not (kind is int and isinstance(value, bool))):
            wanted = f"one of {', '.join(kind)}" if issubclass(kind, StrEnum) else kind.__name__
            raise InvalidOptions(f"{name}: expected {wanted}, got {value!r}")


def options_to_plain(options: Any) -> dict[str, Plain]:  # noqa: ANN401 - any dataclass of options
    """Write every option out under its name, enums as their text."""
    return {
        field.name: value.value if isinstance(value := getattr(options, field.name), StrEnum) else value
        for field in fields(options)
    }


def options_from_plain(kind: type[OptionsT], plain: Mapping[str, Plain]) -> OptionsT:
    """Read options back: every field of `kind` must be there and nothing else; `InvalidOptions` otherwise."""
    hints = _kinds_of(kind)
    if set(plain) != set(hints):
        missing, unknown = sorted(set(hints) - set(plain)), sorted(set(plain) - set(hints))
        raise InvalidOptions(f"expected exactly the options of {kind.__module__}: missing {missing}, unknown {unknown}")
    values: dict[str, Any] = {}
    for name, value in plain.items():
        wanted = hints[name]
        if isinstance(wanted, type) and issubclass(wanted, StrEnum):
            if value not in list(wanted):
                raise InvalidOptions(f"{name}: expected one of {', '.join(wanted)}, got {value!r}")
            values[name] = wanted(value)
        else:
            values[name] = value
    return kind(**values)
