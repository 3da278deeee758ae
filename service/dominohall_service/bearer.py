"""Bearer tokens: JWTs of hosts, checked against the public keys of a JWKS file.

The algorithm is never the token's choice: a key has one by its type, the settings say which of those are allowed, and a
token must name the one of its key. Symmetric keys are refused, so that no public key can be used as a secret.
`PyJWT` checks signature, expiry, issuer and audience; what it found is remembered for the same token, within limits.
"""

import base64
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic, time
from typing import Any, Final

import jwt

from dominohall_service import journal
from dominohall_service.callers import LONGEST_OWNER, is_owner
from dominohall_service.faults import CallFault, Fault
from dominohall_service.keys import stamp

ALGORITHMS: Final = ("EdDSA", "ES256", "RS256")
LONGEST_BEARER: Final = 8192
"""Characters; a longer one is refused unread."""
MOST_REMEMBERED: Final = 4096
"""Tokens whose check is remembered."""
MOST_KEYS: Final = 64
FEWEST_RSA_BITS: Final = 2048
BY_TYPE: Final = {("OKP", "Ed25519"): "EdDSA", ("EC", "P-256"): "ES256", ("RSA", ""): "RS256"}
PRIVATE: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})


class UnusableJwks(ValueError):
    """A JWKS file that can't be used; the message says why and never holds a key."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the owner of its matches, what it may do, and until when (seconds of the epoch)."""

    owner: str
    scopes: frozenset[str]
    until: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Demands:
    """What a bearer token has to be."""

    issuer: str
    audience: str
    algorithms: Sequence[str] = ALGORITHMS
    skew_seconds: float = 30.0
    owner_claim: str = "sub"
    scope_claim: str = "scope"


class BearerChecker:
    """Checks bearer tokens against the keys of a file, which is read again when it changes.

    A file that can't be used is reported and passed over: the keys stay as they are. A new file forgets every check,
    so a key that was taken out lets nobody in from then on. Raises `UnusableJwks` if the first reading fails.
    """

    def __init__(self, path: Path, demands: Demands, poll_seconds: float) -> None:
        self._path = path
        self._demands = demands
        self._poll_seconds = poll_seconds
        self._seen = stamp(path)
        self._keys = read_jwks(path, demands.algorithms)
        self._looked = monotonic()
        self._remembered: OrderedDict[str, Caller] = OrderedDict()
        self._lock = Lock()

    def check(self, token: str) -> Caller:
        """Return whose token this is; raises the fault of a token that is none, or is over."""
        self._reload_if_changed()
        with self._lock:
            keys, caller = self._keys, self._remembered.get(token)
            if caller is not None:
                self._remembered.move_to_end(token)
        if caller is None:
            caller = self._read(token, keys)
            with self._lock:
                if keys is self._keys:
                    self._remembered[token] = caller
                    if len(self._remembered) > MOST_REMEMBERED:
                        self._remembered.popitem(last=False)
        elif time() >= caller.until + self._demands.skew_seconds:
            raise expired()
        return caller

    def _read(self, token: str, keys: Mapping[str, jwt.PyJWK]) -> Caller:
        if len(token) > LONGEST_BEARER:
            raise bad("one of at most 8192 characters, got a longer one")
        try:
            key = keys.get(key_id_of(token))
            if key is None:
                raise bad("one signed with a key of the JWKS file (kid), got another")
            if not signed_by(token, key):
                raise bad("a token signed by the key that it names, got another")
            claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                issuer=self._demands.issuer,
                audience=self._demands.audience,
                leeway=self._demands.skew_seconds,
                options={"require": ["exp", "iss", "aud", self._demands.owner_claim]},
            )
        except jwt.ExpiredSignatureError:
            raise expired() from None
        except jwt.PyJWTError as error:
            raise bad(WORDS.get(type(error), "a JWT that is whole and signed by its key, got another")) from None
        except (TypeError, ValueError, OverflowError, RecursionError):
            raise bad("a JWT, got something else") from None
        return Caller(
            owner_from(claims[self._demands.owner_claim], self._demands.owner_claim),
            scopes_from(claims.get(self._demands.scope_claim)),
            float(claims["exp"]),
        )

    def _reload_if_changed(self) -> None:
        now = monotonic()
        if now - self._looked < self._poll_seconds:
            return
        with self._lock:
            if now - self._looked < self._poll_seconds:
                return
            self._looked = now
            seen = stamp(self._path)
            if seen == self._seen:
                return
            self._seen = seen
            try:
                self._keys = read_jwks(self._path, self._demands.algorithms)
            except UnusableJwks as error:
                journal.logger().error("JWKS file not reloaded, the keys stay as they were", problem=str(error))
                return
            self._remembered.clear()
        journal.logger().info("JWKS file reloaded", keys=len(self._keys))


def key_id_of(token: str) -> str:
    """Return which key a token says that it is signed by; only looked up, and believed once `jwt.decode` agrees."""
    head = json.loads(base64.urlsafe_b64decode(token.partition(".")[0] + "=="))
    key_id = head.get("kid") if isinstance(head, dict) else None
    return key_id if isinstance(key_id, str) else ""


def signed_by(token: str, key: jwt.PyJWK) -> bool:
    """Tell whether the key signed the token: asked before all else, so that forged ones cost next to nothing.

    `jwt.decode` asks it again for the few that pass: it decides, this only spares work.
    """
    signed, _, signature = token.rpartition(".")
    return key.Algorithm.verify(signed.encode(), key.key, base64.urlsafe_b64decode(signature + "=="))


WORDS: Final[Mapping[type[Exception], str]] = {
    jwt.InvalidAudienceError: "a token for this audience, got another",
    jwt.InvalidIssuerError: "a token of the issuer that is set, got another",
    jwt.ImmatureSignatureError: "a token that is good already, got one for later",
    jwt.InvalidIssuedAtError: "a token with the time it was issued, got another",
    jwt.MissingRequiredClaimError: "a token with exp, iss, aud and the claim of its owner, got one without",
    jwt.InvalidAlgorithmError: "a token that names the algorithm of its key, got another",
    jwt.InvalidSignatureError: "a token signed by the key that it names, got another",
}


def bad(expected: str) -> CallFault:
    """Return the fault of a bearer token that lets nobody in; the message never holds any of it."""
    return CallFault(Fault.BEARER_INVALID, f"authorization: expected {expected}")


def expired() -> CallFault:
    """Return the fault of a bearer token that was good once."""
    return CallFault(Fault.BEARER_EXPIRED, "authorization: expected a token that is still good, got one that is over")


def owner_from(value: object, claim: str) -> str:
    """Read the name of an owner: 1 to 128 printable characters."""
    if not isinstance(value, str) or not is_owner(value):
        raise bad(f"an owner of 1 to {LONGEST_OWNER} printable characters in the claim {claim}, got none")
    return value


def scopes_from(value: object) -> frozenset[str]:
    """Read scopes: words in one text, or a list of them."""
    words = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(word for word in words if isinstance(word, str))


def read_jwks(path: Path, algorithms: Sequence[str]) -> dict[str, jwt.PyJWK]:
    """Read the keys of a JWKS file whose algorithm is allowed, by their ids.

    Keys for encryption and of other algorithms are passed over, as an issuer's file may hold them. A private key has
    no business here: the file is refused.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UnusableJwks(f"expected a JSON file, got {type(error).__name__}") from None
    listed = content.get("keys") if isinstance(content, dict) else None
    if not isinstance(listed, list) or len(listed) > MOST_KEYS:
        raise UnusableJwks(f"expected an object with a list of at most {MOST_KEYS} keys, got another")
    found: dict[str, jwt.PyJWK] = {}
    for number, each in enumerate(listed):
        if not isinstance(each, dict):
            raise UnusableJwks(f"keys[{number}]: expected an object, got another")
        if PRIVATE & each.keys():
            raise UnusableJwks(f"keys[{number}]: expected a public key, got a private or symmetric one")
        algorithm = BY_TYPE.get((str(each.get("kty")), str(each.get("crv", ""))), "")
        if algorithm not in algorithms or each.get("use", "sig") != "sig" or each.get("alg", algorithm) != algorithm:
            continue
        key_id = each.get("kid")
        if not isinstance(key_id, str) or not key_id or key_id in found:
            raise UnusableJwks(f"keys[{number}]: expected an id (kid) of its own, got none or a used one")
        found[key_id] = key_from(each, algorithm, number)
    if not found:
        raise UnusableJwks(f"expected a key for {', '.join(algorithms)}, got none")
    return found


def key_from(each: dict[str, Any], algorithm: str, number: int) -> jwt.PyJWK:
    """Read one public key."""
    try:
        key = jwt.PyJWK(each, algorithm)
        size = getattr(key.key, "key_size", FEWEST_RSA_BITS)
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise UnusableJwks(f"keys[{number}]: expected a key for {algorithm}, got {type(error).__name__}") from None
    if algorithm == "RS256" and size < FEWEST_RSA_BITS:
        raise UnusableJwks(f"keys[{number}]: expected at least {FEWEST_RSA_BITS} bits, got {size}")
    return key
