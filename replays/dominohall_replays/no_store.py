"""No store: for hosts that keep the records themselves (`--store none`).

It accepts every append and remembers nothing, so only determinism is promised: the same move on the same token gives
the same entry, and two different moves on one token are both accepted. A host that keeps the records notices the fork
by their sequence.
"""

from collections.abc import Iterator, Sequence

from dominohall_replays.records import Entry, Head
from dominohall_replays.store import Page, UnknownMatch, check_page_size, check_run


class NoStore:
    """A store that keeps nothing."""

    def append(self, owner: str, match_id: str, entries: Sequence[Entry]) -> None:  # noqa: ARG002 - the store's face
        """Accept the entries and forget them."""
        check_run(entries)

    def head(self, owner: str, match_id: str) -> Head | None:  # noqa: ARG002 - the store's face
        """Return None: nothing is known of any match."""
        return None

    def entries(self, owner: str, match_id: str, from_sequence: int = 0) -> Iterator[Entry]:  # noqa: ARG002
        """Raise `UnknownMatch`."""
        raise UnknownMatch

    def matches(self, owner: str | None = None, *, page_size: int = 100, page_token: str = "") -> Page:  # noqa: ARG002
        """List nothing."""
        check_page_size(page_size)
        return Page((), "")

    def close(self) -> None:
        """There is nothing to let go of."""
