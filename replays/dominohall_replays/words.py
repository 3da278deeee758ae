"""The words of pages of evidence, in the languages of the clauses.

The texts are data (`words.toml` beside this file). The words for suits, places and the rest come from the engine's
messages, so a page and a refusal name things alike.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from tomllib import loads
from typing import Any, Final

from dominohall_engine.clauses.book import check_language, read_data
from dominohall_engine.forty_two.tables import SUIT_NAMES
from dominohall_engine.tiles import NAMES

MINUS: Final = "\N{MINUS SIGN}"


class Words:
    """The words of one language: call it with a key and the facts that its sentence needs."""

    def __init__(self, language: str) -> None:
        check_language(language)
        self.language: Final = language

    def __call__(self, key: str, /, **facts: object) -> str:
        """Return the text of a key, facts filled in; `KeyError` for a key or a fact that there is none of."""
        text: str = _texts()[key][self.language]
        if not facts:
            return text
        said = text.format_map(facts)
        return said[:1].upper() + said[1:] if text.startswith("{side}") else said

    def has(self, key: str) -> bool:
        """Say whether there is a text under a key."""
        return key in _texts()

    def suit(self, suit: int | str) -> str:
        """Name a suit: `fours`, `doubles`."""
        name = suit if isinstance(suit, str) else SUIT_NAMES[suit]
        return _of_engine("suit", name, self.language)

    def place(self, name: str) -> str:
        """Name a place of a layout of fives: `the left end`."""
        return _of_engine("place", name, self.language)

    def side(self, seats: Iterable[int]) -> str:
        """Name a side by its seats: `seats 0+2`."""
        names = [str(seat) for seat in seats]
        return self("seat" if len(names) == 1 else "seats", seats="+".join(names))

    def tiles(self, tiles: Iterable[int]) -> str:
        """List tiles in a sentence."""
        return ", ".join([NAMES[tile] for tile in tiles]) or self("none")


def signed(number: int) -> str:
    """Write a difference with its sign.

    >>> signed(12), signed(0)
    ('+12', '0')
    """
    return f"+{number}" if number > 0 else str(number).replace("-", MINUS)


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    """Read the texts, by `section.name`."""
    data: dict[str, dict[str, dict[str, str]]] = loads(
        (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
    )
    return {f"{section}.{name}": text for section, texts in data.items() for name, text in texts.items()} | data["any"]


@cache
def _engine_words() -> Mapping[str, Any]:
    words: Mapping[str, Any] = read_data("messages.toml")["words"]
    return words


def _of_engine(kind: str, name: str, language: str) -> str:
    text: str = _engine_words()[kind][name][language]
    return text
