"""A server with a planted fault: every append leaves sixty-four kilobytes behind that nobody lets go of.

It is what the soak is for. Everything else is the real server.
"""

import sys
from collections.abc import Sequence

from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import Entry
from dominohall_service import command

APPEND = SqliteStore.append
LEAKED: list[bytearray] = []


def leaking_append(self: SqliteStore, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
    """Append, and keep something."""
    APPEND(self, owner, match_id, entries)
    LEAKED.append(bytearray(b"\1" * 65536))


SqliteStore.append = leaking_append  # type: ignore[method-assign]
sys.argv[1:1] = ["serve"]
command.main()
