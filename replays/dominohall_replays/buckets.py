"""Buckets: an address that obstore knows is opened, and what it says becomes what a store says.

An address is `s3://BUCKET/PREFIX`, with keys and endpoint from the AWS_* variables, or `gs://`, `az://`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from obstore.exceptions import BaseError
from obstore.store import from_url

from dominohall_replays.store import StoreUnavailable


def bucket_at(address: str, patience: float) -> Any:  # noqa: ANN401 - obstore has a type for each kind of address
    """Open an address; obstore's `BaseError` or `ValueError` if it is none. Nothing is asked of it yet.

    `patience` is the seconds that a request may take before it counts as failed; failed ones are repeated for twice
    that time. A plain-HTTP endpoint is used only where AWS_ALLOW_HTTP says so.
    """
    return from_url(
        address,
        client_options={
            "timeout": timedelta(seconds=patience),
            "allow_http": os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true",
        },
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=2 * patience)},
    )


@contextmanager
def reaching(what: str) -> Iterator[None]:
    """Turn what a place says into `StoreUnavailable`; `what` is the place in words."""
    try:
        yield
    except (BaseError, OSError) as error:
        raise StoreUnavailable(f"{what} can't be reached: {told(error)}") from None


def told(error: Exception) -> str:
    """Return the first line of an error: the rest are addresses and requests."""
    return (str(error).splitlines() or [type(error).__name__])[0]
