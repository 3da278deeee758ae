"""The rules in words: every clause that a refusal cites, and the messages of the refusals, in three languages.

The texts are data (`*.toml` beside this file), read when somebody first asks and never by the rules themselves. The
English sentences are normative; `docs/rules/` is rendered from the same files by `clauses.pages`, so page and message
can't differ.

>>> clause("F42-PL-15").text
'No bid is lower than 30.'
>>> clause("F42-PL-15", "pl").text
'Najniższa odzywka to 30.'
>>> best_language("ru-RU, en;q=0.8")
'ru'
"""

from dominohall_engine.clauses.book import (
    LANGUAGES,
    Clause,
    Kind,
    UnknownClause,
    UnknownRules,
    clause,
    clauses_of,
    rules_digest,
)
from dominohall_engine.clauses.messages import best_language, message

__all__ = [
    "LANGUAGES",
    "Clause",
    "Kind",
    "UnknownClause",
    "UnknownRules",
    "best_language",
    "clause",
    "clauses_of",
    "message",
    "rules_digest",
]
