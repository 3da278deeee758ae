"""What recent calls worked out, kept within bounds."""

from collections.abc import Hashable
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


class Recent(Generic[ValueT]):
    """What the last few thousand calls worked out, by what it follows from, so that the next need not do it again.

    Nothing depends on it: a value is what working it out again would give, as any other server does. Two generations
    instead of a list of uses: looking up and adding need no lock, and it holds at most twice its size.
    """

    __slots__ = ("_new", "_old", "_size")

    def __init__(self, size: int = 2048) -> None:
        self._size = size
        self._new: dict[Hashable, ValueT] = {}
        self._old: dict[Hashable, ValueT] = {}

    def get(self, key: Hashable) -> ValueT | None:
        """Return what was found for this key, None if that was too long ago."""
        return self._new.get(key) or self._old.get(key)

    def add(self, key: Hashable, value: ValueT) -> None:
        """Remember what was found just now."""
        if len(self._new) >= self._size:
            self._old, self._new = self._new, {}
        self._new[key] = value
