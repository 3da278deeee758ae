"""A refusal in words: one sentence made from a violation's reason and facts, in the language that was asked for."""

from collections.abc import Mapping
from functools import cache
from re import ASCII
from re import compile as pattern
from string import Formatter
from types import MappingProxyType
from typing import Any, Final

from dominohall_engine.clauses.book import LANGUAGES, check_language, read_data
from dominohall_engine.violations import Fact, Violation

LONGEST_HEADER: Final = 500
"""How many characters of an accept-language header are read; what lies beyond is a range too many."""

_QUALITY: Final = pattern(r"q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", ASCII)


def message(violation: Violation, language: str = "en") -> str:
    """Return one sentence for a player: what is refused and why, with the facts filled in.

    Of a reason's templates the first is taken whose facts are all there; the last of them needs none. Nothing but
    the violation is read, so the sentence tells what the violation tells. `UnknownRules` for another language.
    """
    check_language(language)
    for template, needed in _templates()[violation.reason][language]:
        if needed <= violation.facts.keys():
            return template.format_map({name: _in_words(name, violation.facts[name], language) for name in needed})
    raise AssertionError(violation.reason)  # the last template needs no fact


def best_language(accept_language: str) -> str:
    """Return the language of `LANGUAGES` that an accept-language header prefers (RFC 9110, section 12.5.4).

    A range matches by its first subtag (`pl-PL` is Polish); the highest quality wins, the first named of equal ones;
    `*` stands for the languages not named. English if nothing fits, and for an empty header. Ranges that can't be
    read are passed over, and only the first 500 characters are read: the header comes from outside.
    """
    ranges = accept_language[:LONGEST_HEADER].split(",")
    if len(accept_language) > LONGEST_HEADER:
        ranges.pop()  # it may have been cut
    quality: dict[str, int] = {}
    for each in ranges:
        tag, *parameters = each.strip().lower().split(";")
        thousandths = _thousandths(parameters)
        if thousandths is not None:
            name = tag.strip().partition("-")[0]
            quality[name] = max(thousandths, quality.get(name, 0))
    rest = quality.get("*", 0)
    named = [name for name in quality if name in LANGUAGES]
    others = [name for name in LANGUAGES if name not in quality]
    best = max([*named, *others], key=lambda name: quality.get(name, rest))
    return best if quality.get(best, rest) else LANGUAGES[0]


def _thousandths(parameters: list[str]) -> int | None:
    """Read a range's quality in thousandths, 1000 if it names none; None if it can't be read."""
    if not parameters:
        return 1000
    found = _QUALITY.fullmatch(parameters[0].strip()) if len(parameters) == 1 else None
    if found is None:
        return None
    whole, _, part = found[1].partition(".")
    return int(whole + part.ljust(3, "0"))


def _in_words(name: str, fact: Fact, language: str) -> str:
    """Write a fact as people say it: a suit, place or phase by its word, several tiles or places with commas."""
    words = _words().get(name, {})
    each_of = fact if isinstance(fact, tuple) else (str(fact),)
    return ", ".join([words.get(each.lower(), {}).get(language, each) for each in each_of]) or "-"


@cache
def _data() -> Mapping[str, Any]:
    return read_data("messages.toml")


@cache
def _templates() -> Mapping[str, Mapping[str, tuple[tuple[str, frozenset[str]], ...]]]:
    """Read the templates of every reason in every language, each with the names of the facts that it needs."""
    return MappingProxyType(
        {
            reason: {
                language: tuple((template, _fields(template)) for template in by_language[language])
                for language in LANGUAGES
            }
            for reason, by_language in _data()["messages"].items()
        }
    )


def _fields(template: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name)


@cache
def _words() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Read the words of facts: by the fact's name, then its value, then the language."""
    words = _data()["words"]
    return MappingProxyType({name: words[kind] for name, kind in _data()["kinds"].items()})
