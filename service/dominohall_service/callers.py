"""Who calls, as the gate found it, and in which language they want to be answered."""

import threading
from typing import Final

import grpc
from dominohall_engine.clauses import best_language

DEFAULT_OWNER: Final = "default"
"""The one owner there is where callers are not told apart."""
LONGEST_OWNER: Final = 128
"""Characters of an owner's name."""


class CallerOfThread(threading.local):
    """Whose call this thread answers: set by the gate when a call enters, before anything asks."""

    owner: str | None = None


CALLER: Final = CallerOfThread()


def is_owner(name: str) -> bool:
    """Tell whether a name can be an owner's: 1 to 128 printable characters."""
    return 0 < len(name) <= LONGEST_OWNER and name.isprintable()


def caller_owner(_context: grpc.ServicerContext) -> str:
    """Return the owner that this caller's matches belong to; records, tokens and deals carry it."""
    if CALLER.owner is None:
        raise RuntimeError("expected a call that came through the gate")
    return CALLER.owner


def caller_language(context: grpc.ServicerContext) -> str:
    """Return the language of messages to this caller, from `accept-language`; English if it asks for none of ours."""
    for name, value in context.invocation_metadata():
        if name == "accept-language" and isinstance(value, str):
            return best_language(value)
    return "en"
