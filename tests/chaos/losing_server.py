"""A server with a planted fault: one append in a hundred is acknowledged and never written.

It is what the checker is for. Everything else is the real server.
"""

import sys
from collections.abc import Sequence
from itertools import count

from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import Entry
from dominohall_service import command

APPEND = SqliteStore.append
NUMBERS = count(1)


def losing_append(self: SqliteStore, owner: str, match_id: str, entries: Sequence[Entry]) -> None:
    """Append, but for every hundredth time: then only say so."""
    if next(NUMBERS) % 100:
        APPEND(self, owner, match_id, entries)


SqliteStore.append = losing_append  # type: ignore[method-assign]
sys.argv[1:1] = ["serve"]
command.main()
