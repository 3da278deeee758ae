"""What stands beside the log of a finished match: a signature over its last head, and the revealed match secret.

Both come from the keyring and from nothing that is stored, so a file that is written now has the same bytes as one
that is written later, as long as the signing key is the same. Before the end there is neither: the secret would tell
every shake to come, and a head that the match goes on behind is signed on request (`SignHead`).
"""

from dominohall_replays.errors import UnreadableLog
from dominohall_replays.reading import LoggedHeader, LoggedMove, read_entry
from dominohall_replays.records import Entry, Head, revealed_secret
from dominohall_replays.signatures import signature_item

from dominohall_service.faults import CallFault
from dominohall_service.keys import Keys


def attachments(keys: Keys, first: Entry, last: Entry) -> list[bytes]:
    """Return the attachments of a match with this first and last entry; none while it goes on.

    A part that the keyring has no key for is left out: the log then says that it is unsigned, or its deal unproven.
    """
    try:
        begun, ended = read_entry(first), read_entry(last)
    except UnreadableLog:
        return []  # a store that was meddled with: its log is judged as it is
    if not isinstance(begun, LoggedHeader) or not isinstance(ended, LoggedMove) or ended.terminal is None:
        return []
    header = begun.header
    found = []
    signed = keys.sign(header.owner, Head(header.match_id, last.sequence, last.link))
    if signed is not None:
        found.append(signature_item(signed))
    if header.deal_key_id is not None:
        try:
            secret = keys.secret(header.deal_key_id, header.owner, header.match_id, for_dealing=False)
        except CallFault:
            return found
        found.append(revealed_secret(secret))
    return found
