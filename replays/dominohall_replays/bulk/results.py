"""What batches came to, kept for the next run: one JSON object a batch, written create-only under its digest.

The digest is over the very bytes that were judged, the build that judged them and the keys it was given: a result is
never taken for anything else, and an archive that was changed is judged anew where it was changed.
"""

import json
from hashlib import sha256
from threading import Lock
from typing import Any, Final

from dominohall_replays.bulk.findings import BatchResult, result_from_plain
from dominohall_replays.bulk.objects import Objects, UnreadObject

FORMAT: Final = "dominohall-audit-batch/1"
SUFFIX: Final = ".json"
KEEPING: Final = Lock()
"""Held while a result is written: a process that has to end in the middle of a batch ends before or after that."""


def path_of(digest: str) -> str:
    """Return where the result of a batch lies."""
    return f"{digest[:2]}/{digest}{SUFFIX}"


def kept_result(objects: Objects, digest: str) -> BatchResult | None:
    """Return the result that was kept, None if there is none or it is not as it was written."""
    try:
        document = json.loads(objects.read(path_of(digest)))
        if document != _document(digest, document["result"]):
            return None
        return result_from_plain(document["result"])
    except (UnreadObject, ValueError, TypeError, LookupError, AttributeError):
        return None


def keep_result(objects: Objects, digest: str, result: BatchResult) -> None:
    """Keep the result of a batch; one that stands is left as it is."""
    document = _bytes(_document(digest, result.to_plain())) + b"\n"
    with KEEPING:
        objects.create(path_of(digest), document)


def _document(digest: str, result: Any) -> dict[str, Any]:  # noqa: ANN401 - from outside
    return {"format": FORMAT, "batch": digest, "result": result, "check": sha256(_bytes(result)).hexdigest()}


def _bytes(plain: Any) -> bytes:  # noqa: ANN401 - from outside
    return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()
