"""Who calls, and in which language they want to be answered: read from a call's metadata."""

from typing import Final

import grpc
from dominohall_engine.clauses import best_language

DEFAULT_OWNER: Final = "default"


def caller_owner(_context: grpc.ServicerContext) -> str:
    """Return the owner that this caller's matches belong to.

    There is one owner as long as callers are not told apart; everything else in the service asks here, and records,
    tokens and deals already carry the owner.
    """
    return DEFAULT_OWNER


def caller_language(context: grpc.ServicerContext) -> str:
    """Return the language of messages to this caller, from `accept-language`; English if it asks for none of ours."""
    for name, value in context.invocation_metadata():
        if name == "accept-language" and isinstance(value, str):
            return best_language(value)
    return "en"
