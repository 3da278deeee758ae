"""How states and moves are copied and pickled, so that they can be handed to another process.

A compiled class has no fields that may be set from outside, which is what Python would do by itself. So a state goes
as its canonical bytes and a move as its fields, in either build alike.
"""

from collections.abc import Callable
from copyreg import pickle
from dataclasses import fields
from typing import Any

Reduced = tuple[Callable[..., Any], tuple[object, ...]]


def copied_by_bytes(kinds: tuple[type, ...], encode: Callable[[Any], bytes], decode: Callable[[bytes], Any]) -> None:
    """Let values of these classes be copied through their canonical bytes."""

    def reduced(value: object) -> Reduced:
        return decode, (encode(value),)

    for kind in kinds:
        pickle(kind, reduced)


def copied_by_fields(kinds: tuple[type, ...]) -> None:
    """Let values of these dataclasses be copied by making them again from their fields."""
    for kind in kinds:
        pickle(kind, _from_fields)


def _from_fields(value: Any) -> Reduced:  # noqa: ANN401 - any dataclass
    return type(value), tuple([getattr(value, each.name) for each in fields(value)])
