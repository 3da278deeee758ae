"""The log lines of the server: one a call, JSON on a server and readable on a terminal.

A line says which method, which status, how long, which match and which record. It never holds a move, a token, a key
or a tile: what a line may hold is written out in `interceptors`, and nothing else is ever logged.
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from dominohall_service.settings import LogFormat


@contextmanager
def absent(module: str) -> Iterator[None]:
    """Import what is imported here as if a module that it can do without were not installed."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # how Python is told so
    try:
        yield
    finally:
        del sys.modules[module]


with absent("rich"):  # tracebacks in colour, which no line of ours has: a sixth of the time to start
    import structlog

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}


def set_up(log_format: LogFormat, level: str) -> None:
    """Set the process up to write its lines to standard error."""
    readable = log_format is LogFormat.TEXT or (log_format is LogFormat.AUTO and sys.stderr.isatty())
    renderer: list[Any] = [structlog.processors.TimeStamper("iso", utc=True), structlog.processors.add_log_level]
    renderer.append(structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer())
    structlog.configure(
        processors=renderer,
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def logger() -> Any:  # noqa: ANN401 - structlog makes the type by its level
    """Return the logger of the service."""
    return structlog.get_logger("dominohall")


def one_of_every(number: int) -> Callable[[], bool]:
    """Return what says True at the first call, then at every `number`-th after it; from any thread.

    It counts instead of drawing lots, so that what is written can be foreseen and multiplied back.
    """
    numbers = itertools.count()
    return lambda: next(numbers) % number == 0
