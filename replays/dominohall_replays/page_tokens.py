"""Page tokens of the stores: where the next page begins, by the key of the last match of the one before."""

import base64
import binascii
import json


def page_token_of(owner: str, match_id: str) -> str:
    """Return the token of the page behind a match."""
    return base64.urlsafe_b64encode(json.dumps([owner, match_id]).encode()).decode()


def read_page_token(token: str) -> tuple[str, str]:
    """Return the match that a page begins behind; `ValueError` for a token that no store gave."""
    try:
        match json.loads(base64.b64decode(token, altchars=b"-_", validate=True)):
            case [str(owner), str(match_id)]:
                f"{owner}{match_id}".encode()  # half a surrogate is no text
                return owner, match_id
    except (binascii.Error, ValueError):
        pass
    raise ValueError("expected a page token that this store gave")
