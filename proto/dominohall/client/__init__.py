"""A client of Dominohall for hosts: it repeats what may be repeated, checks what it is told, and names what went wrong.

    from dominohall.client import Client

    with Client("dns:///dominohall.example:50051", credentials=tls(), token=token) as client:
        match = client.start("match-7", preset="forty_two.polish")
        while not match.over:
            match.apply(match.legal_moves().moves[0])

It knows no rules and needs the extra `dominohall[client]`: grpcio, grpcio-status and protobuf. `docs/client.md` is the
ten-minute tutorial.
"""

from dominohall.client.channels import tls
from dominohall.client.errors import (
    BrokenReply,
    Busy,
    CallFailed,
    ClientError,
    Forked,
    HistoryMissing,
    Refused,
    Unsure,
)
from dominohall.client.hosting import Client, HostedMatch
from dominohall.client.links import Linked, read_entry
from dominohall.client.retrying import Patience

__all__ = [
    "BrokenReply",
    "Busy",
    "CallFailed",
    "Client",
    "ClientError",
    "Forked",
    "HistoryMissing",
    "HostedMatch",
    "Linked",
    "Patience",
    "Refused",
    "Unsure",
    "read_entry",
    "tls",
]
