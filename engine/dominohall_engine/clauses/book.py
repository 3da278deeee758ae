"""The book of clauses: what each id says, in which language, for which preset; and the digest that a log pins."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from hashlib import sha256
from importlib import resources
from tomllib import loads
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from dominohall_engine.errors import DominohallError
from dominohall_engine.revisions import NEWEST

LANGUAGES: Final = ("en", "pl", "ru")
"""English is normative; Polish and Russian say the same in the words of people who play there."""

DIGEST_DOMAIN: Final = b"dominohall/rules/1\0"

FILES: Final = ("f42_pl.toml", "f42_ru.toml", "lin.toml", "differences.toml", "decisions.toml")
"""The texts in the order in which `clauses_of` gives them."""

_OPTION: Final = {"en": "option", "pl": "opcja", "ru": "параметр"}


class UnknownClause(DominohallError, LookupError):
    """An id that is in no text."""


class UnknownRules(DominohallError, LookupError):
    """A game, preset, revision or language that the book does not have."""


class Kind(StrEnum):
    """Where a sentence stands."""

    RULE = "rule"
    """It restates a sentence of the text."""
    REMARK = "remark"
    """It restates a sentence of the text that carries no rule: a story, a recommendation."""
    DECISION = "decision"
    """It settles what a text leaves open, or says in two ways."""


class Clause(NamedTuple):
    """One numbered sentence of the rules, in one language."""

    id: str
    """`F42-PL-20` (a text), `A-PL-04` (a decision on an ambiguity of that text), `D-06` (any other decision)."""
    text: str
    language: str
    kind: Kind
    presets: tuple[str, ...]
    """Where it holds, as on the wire: `forty_two.polish`."""
    on: tuple[str, ...]
    """For a decision: the clauses that it is about."""
    option: str | None
    """The field of the game's `Options` that can decide otherwise; the text names it too."""
    sources: tuple[str, ...]
    """Keys of the sources in `docs/rules/index.md` that were held against a decision."""


def clause(id: str, language: str = "en", revision: int | None = None) -> Clause:  # noqa: A002 - the word of the page
    """Return the clause with this id, as a rules revision had it or as it stands now.

    `UnknownClause` if there is none, `UnknownRules` for another language.
    """
    check_language(language)
    entry = _book().get(id)
    if entry is None:
        raise UnknownClause(f"expected the id of a clause such as F42-PL-20, got {id[:40]!r}")
    return _in_language(id, entry, language, revision)


def clauses_of(
    game: str, preset: str | None = None, language: str = "en", revision: int | None = None
) -> tuple[Clause, ...]:
    """Return the clauses of a game (`forty_two`), or of one preset of it (`polish`): its text, then the decisions.

    As a rules revision of the game had them, or as they stand now. `UnknownRules` for a game or preset that no clause
    belongs to.
    """
    check_language(language)
    found = tuple(
        _in_language(id_, entry, language, revision)
        for id_, entry in _book().items()
        if any(_is_of(each, game, preset) for each in entry["presets"])
        and (revision is None or entry.get("since", 1) <= revision)
    )
    if not found:
        raise UnknownRules(f"expected a game and a preset of it, got {game[:40]!r} and {preset and preset[:40]!r}")
    return found


def rules_digest(game: str, revision: int | None = None) -> bytes:
    """Return the SHA-256 digest of the normative sentences of a game, which stands in the header of every log.

    ``SHA-256("dominohall/rules/1" || 0x00 || for each clause: length of id, id, length of text, text)`` over the
    English clauses of that game (`clauses_of(game)`) that carry a rule, remarks left out, sorted by the bytes of
    their ids; ids and texts in UTF-8, lengths in bytes as 4 bytes big-endian. Polish and Russian wording, remarks,
    messages and sources may be improved without touching it; any other change is a new rules revision.

    Without a revision the newest is meant. Raises `UnknownRules` for an unknown game or revision.
    """
    newest = NEWEST.get(game, 0)
    wanted = newest if revision is None else revision
    if newest and not 1 <= wanted <= newest:
        known = ", ".join(map(str, range(1, newest + 1)))
        raise UnknownRules(f"expected a rules revision of {known}, got {wanted}")
    return _digest(game, wanted)


@cache
def _digest(game: str, revision: int) -> bytes:
    digest = sha256(DIGEST_DOMAIN)
    for each in sorted(clauses_of(game, revision=revision), key=lambda each: each.id.encode()):
        if each.kind is not Kind.REMARK:
            for part in (each.id.encode(), each.text.encode()):
                digest.update(len(part).to_bytes(4, "big") + part)
    return digest.digest()


def check_language(language: str) -> None:
    """Refuse a language that the texts are not written in."""
    if language not in LANGUAGES:
        raise UnknownRules(f"expected a language of {', '.join(LANGUAGES)}, got {language[:40]!r}")


def read_data(name: str) -> dict[str, Any]:
    """Read one of the data files of this package."""
    return loads((resources.files(__package__) / name).read_text(encoding="utf-8"))


@cache
def _book() -> Mapping[str, Mapping[str, Any]]:
    """Read all texts: the fields of every clause by its id, in the order of the files."""
    book: dict[str, Mapping[str, Any]] = {}
    for name in FILES:
        data = read_data(name)
        presets = data.pop("presets", [])
        for id_, entry in data.items():
            book[id_] = {"presets": presets} | entry
    return MappingProxyType(book)


def _in_language(id_: str, entry: Mapping[str, Any], language: str, revision: int | None) -> Clause:
    text, option = entry[language], entry.get("option")
    for number, later in entry.get("revision", {}).items():  # written in ascending order
        if revision is None or int(number) <= revision:
            text = later[language]
    if option:
        text = f"{text.removesuffix('.')} ({_OPTION[language]} `{option}`)."
    return Clause(
        id_,
        text,
        language,
        Kind.DECISION if "on" in entry else Kind(entry.get("kind", "rule")),
        tuple(entry["presets"]),
        tuple(entry.get("on", ())),
        option,
        tuple(entry.get("sources", ())),
    )


def _is_of(wire_name: str, game: str, preset: str | None) -> bool:
    """Say whether `forty_two.polish` is of this game, and this preset of it if one is named."""
    return wire_name == f"{game}.{preset}" if preset is not None else wire_name.startswith(f"{game}.")
