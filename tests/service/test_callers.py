"""Who may come in: bearer tokens, scopes, owners. Every stranger is sent away, by every method, at little cost."""

import base64
import hmac
import json
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.move_pb2 import Abandon, Lot, Move, TimedMove
from dominohall.v1.options_pb2 import Options
from dominohall_service.allowance import Allowance
from dominohall_service.bearer import BearerChecker, Demands, UnusableJwks, read_jwks
from dominohall_service.faults import CallFault, Fault
from dominohall_service.gate import SCOPES_OF, GuardedGate, UnusableGate, gate_of
from dominohall_service.server import CannotStart, Server
from dominohall_service.settings import Settings
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

ISSUER, AUDIENCE = "https://login.example", "dominohall"
ED_KEY = ed25519.Ed25519PrivateKey.generate()
EC_KEY = ec.generate_private_key(ec.SECP256R1())
RSA_KEY = rsa.generate_private_key(65537, 2048)
KEYS: dict[str, tuple[str, Any]] = {
    "one": ("EdDSA", ED_KEY),
    "two": ("ES256", EC_KEY),
    "three": ("RS256", RSA_KEY),
}


def public(kid: str, algorithm: str, key: Any) -> dict[str, Any]:
    """Write a public key as a JWKS has it."""
    by_name: Any = jwt.algorithms.get_default_algorithms()[algorithm]
    return {**by_name.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig"}


def written(path: Path, **keys: tuple[str, Any]) -> Path:
    """Write a JWKS file, as a new file in the place of the old one."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"keys": [public(kid, *key) for kid, key in keys.items()]}))
    return new.replace(path)


def token(kid: str = "one", *, key: Any = None, algorithm: str | None = None, **claims: Any) -> str:
    """Sign a bearer token; a claim that is None is left out."""
    now = int(time.time())
    base = {"iss": ISSUER, "aud": AUDIENCE, "sub": "hall-1", "exp": now + 300, "scope": "host replays.read admin"}
    kept = {name: value for name, value in {**base, **claims}.items() if value is not None}
    return jwt.encode(kept, key or KEYS[kid][1], algorithm or KEYS[kid][0], {"kid": kid})


def bearer(text: str) -> dict[str, Any]:
    """Return the metadata of a call with this token."""
    return {"metadata": (("authorization", f"Bearer {text}"),)}


def demands(**more: Any) -> Demands:
    """Return what the tests demand of tokens."""
    return Demands(issuer=ISSUER, audience=AUDIENCE, **more)


@pytest.fixture
def guarded(open_hall: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Open a hall that takes bearer tokens."""

    def open_one(**more: Any) -> Any:
        jwks = written(tmp_path / "jwks.json", **KEYS)
        return open_hall(auth_jwks=jwks, auth_issuer=ISSUER, auth_audience=AUDIENCE, **more)

    return open_one


def start(hall: Any, match_id: str, given: str) -> Match:
    """Start a match as the holder of a token."""
    request = wire.StartMatchRequest(match_id=match_id, options=Options(preset="forty_two.polish"))
    reply = hall.matches.StartMatch(request, **bearer(given))
    return Match(token=reply.match.token, match_id=match_id)


def test_every_allowed_algorithm_lets_its_owner_in(guarded: Callable[..., Any]) -> None:
    """A token of each algorithm, by the key that its kid names, plays a match of its own."""
    hall = guarded()
    for kid in KEYS:
        match = start(hall, f"match-{kid}", token(kid, sub=f"owner-{kid}"))
        request = wire.ApplyMoveRequest(match=match, move=Move(lot=Lot()))
        assert hall.matches.ApplyMove(request, **bearer(token(kid, sub=f"owner-{kid}"))).match.sequence == 1
        listed = hall.replays.ListReplays(replays.ListReplaysRequest(), **bearer(token(kid, sub=f"owner-{kid}")))
        assert [each.match_id for each in listed.replays] == [f"match-{kid}"]


def unsigned() -> str:
    """Return a token of the algorithm `none`."""
    return jwt.encode({"iss": ISSUER, "aud": AUDIENCE, "sub": "x", "exp": 2**33}, "", "none", {"kid": "one"})


def confused() -> str:
    """Return a token that uses a public key as the secret of HS256."""
    head, claims, _ = token().split(".")
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"one"}').decode().rstrip("=")
    secret = ED_KEY.public_key().public_bytes_raw()
    code = base64.urlsafe_b64encode(hmac.digest(secret, f"{head}.{claims}".encode(), "sha256")).decode().rstrip("=")
    return f"{head}.{claims}.{code}"


NOW = int(time.time())
WRONG: dict[str, Callable[[], str]] = {
    "another key": lambda: token(key=ed25519.Ed25519PrivateKey.generate()),
    "an unknown kid": lambda: jwt.encode({"sub": "x"}, ED_KEY, "EdDSA", {"kid": "nine"}),
    "no kid": lambda: jwt.encode({"sub": "x"}, ED_KEY, "EdDSA"),
    "another algorithm than its key's": lambda: token("one", key=EC_KEY, algorithm="ES256"),
    "algorithm none": unsigned,
    "a public key as secret": confused,
    "another issuer": lambda: token(iss="https://elsewhere.example"),
    "no issuer": lambda: token(iss=None),
    "another audience": lambda: token(aud="chess"),
    "no audience": lambda: token(aud=None),
    "no expiry": lambda: token(exp=None),
    "good only later": lambda: token(nbf=NOW + 3600),
    "no owner": lambda: token(sub=None),
    "an empty owner": lambda: token(sub=""),
    "an owner of control characters": lambda: token(sub="a\x00b"),
    "an owner too long": lambda: token(sub="a" * 129),
    "nothing": lambda: "",
    "no JWT": lambda: "abc",
    "three dots": lambda: "...",
    "huge": lambda: "a" * 8193,
    "a cut one": lambda: token()[:-5],
    "a changed one": lambda: token().replace(".", ".e", 1),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_token_lets_nobody_in(what: str, tmp_path: Path) -> None:
    """Each kind of wrong token is BEARER_INVALID, in a message that holds nothing of it."""
    checker = BearerChecker(written(tmp_path / "jwks.json", **KEYS), demands(), 5.0)
    given = WRONG[what]()
    with pytest.raises(CallFault) as caught:
        checker.check(given)
    assert caught.value.fault is Fault.BEARER_INVALID
    assert len(given) < 4 or given not in caught.value.message


def test_what_a_call_without_a_good_token_sees(guarded: Callable[..., Any], fails: Callable[..., Any]) -> None:
    """Each way of not being let in has its own reason, and an expired token says that a new one helps."""
    hall, request = guarded(), wire.ListGamesRequest()
    cases: dict[str, dict[str, Any]] = {
        "BEARER_MISSING": {},
        "BEARER_INVALID": bearer(WRONG["another key"]()),
        "BEARER_EXPIRED": bearer(token(exp=NOW - 3600)),
    }
    for reason, more in cases.items():
        failed = fails(hall.matches.ListGames, request, **more)
        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, reason)
    for metadata in ((("authorization", "Basic eDp5"),), bearer(token())["metadata"] * 2, (("authorization", ""),)):
        assert fails(hall.matches.ListGames, request, metadata=metadata).reason == "BEARER_MISSING"


def test_the_clock_of_the_issuer_may_be_off_a_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the skew an expired token is good, beyond it is not, also when its check is remembered."""
    checker = BearerChecker(written(tmp_path / "jwks.json", **KEYS), demands(skew_seconds=30), 3600.0)
    assert checker.check(token(exp=int(time.time()) - 5)).owner == "hall-1"
    with pytest.raises(CallFault):
        checker.check(token(exp=NOW - 600))
    good = token(exp=int(time.time()) + 100)
    checker.check(good)
    monkeypatch.setattr("dominohall_service.bearer.time", lambda: time.time() + 131)
    with pytest.raises(CallFault) as caught:
        checker.check(good)
    assert caught.value.fault is Fault.BEARER_EXPIRED


def test_a_key_that_is_taken_out_lets_nobody_in(
    guarded: Callable[..., Any], fails: Callable[..., Any], tmp_path: Path
) -> None:
    """A changed JWKS file counts without a restart: new keys work, old ones don't, remembered or not; junk doesn't."""
    hall = guarded(keyring_poll_seconds=0.05)
    request, old = wire.ListGamesRequest(), bearer(token("one"))
    hall.matches.ListGames(request, **old)
    (tmp_path / "jwks.json").write_text("{")
    time.sleep(0.1)
    hall.matches.ListGames(request, **old)
    new = ed25519.Ed25519PrivateKey.generate()
    written(tmp_path / "jwks.json", four=("EdDSA", new))
    time.sleep(0.1)
    assert fails(hall.matches.ListGames, request, **old).reason == "BEARER_INVALID"
    hall.matches.ListGames(request, **bearer(token("four", key=new, algorithm="EdDSA")))


REQUESTS: dict[str, Callable[[Match], Any]] = {
    "ListLegalMoves": lambda match: wire.ListLegalMovesRequest(match=match),
    "ApplyMove": lambda match: wire.ApplyMoveRequest(match=match, move=Move(lot=Lot())),
    "ApplyMoves": lambda match: wire.ApplyMovesRequest(match=match, moves=[TimedMove(move=Move(lot=Lot()))]),
    "ViewMatch": lambda match: wire.ViewMatchRequest(match=match, seat=0),
    "ResumeMatch": lambda match: wire.ResumeMatchRequest(match_id=match.match_id),
    "GetReplay": lambda match: replays.GetReplayRequest(match_id=match.match_id),
    "StepReplay": lambda match: replays.StepReplayRequest(match_id=match.match_id, sequence=0),
    "SignHead": lambda match: replays.SignHeadRequest(match_id=match.match_id),
    "VerifyReplay": lambda match: replays.VerifyReplayRequest(match_id=match.match_id),
    "JudgeReplay": lambda match: replays.JudgeReplayRequest(
        match_id=match.match_id, options=Options(preset="forty_two.polish")
    ),
}
NO_MATCH = {"ListGames", "ListReplays", "StartMatch", "ImportMatch", "ServerReflectionInfo"}


def method(hall: Any, name: str) -> Any:
    """Return a method of either service."""
    return getattr(hall.matches, name, None) or getattr(hall.replays, name)


def test_every_method_is_tried_as_a_stranger() -> None:
    """No method is forgotten here: each takes a match of somebody, or is known to take none."""
    assert REQUESTS.keys() | NO_MATCH == SCOPES_OF.keys()


@pytest.mark.parametrize("name", REQUESTS)
def test_a_stranger_gets_nothing(name: str, guarded: Callable[..., Any], fails: Callable[..., Any]) -> None:
    """Another owner can't move, view, resume, read or sign: a token is OTHER_OWNER, an id NOT_FOUND. The owner can."""
    hall = guarded(insecure_dev_keys=True)
    match = start(hall, "mine", token())
    failed = fails(method(hall, name), REQUESTS[name](match), **bearer(token(sub="stranger")))
    by_token = hasattr(REQUESTS[name](match), "match")
    assert failed.reason == ("OTHER_OWNER" if by_token else "MATCH_NOT_FOUND")
    assert failed.code is (grpc.StatusCode.PERMISSION_DENIED if by_token else grpc.StatusCode.NOT_FOUND)
    reply = method(hall, name)(REQUESTS[name](match), **bearer(token()))
    assert list(reply) if name == "GetReplay" else reply is not None


def test_the_same_id_of_two_owners_is_two_matches(guarded: Callable[..., Any]) -> None:
    """An id of one owner neither blocks nor shows another's: links and deals differ, and lists hold one's own."""
    hall = guarded()
    mine, yours = start(hall, "same", token()), start(hall, "same", token(sub="you"))
    assert mine.token != yours.token
    lot = Move(lot=Lot())
    hall.matches.ApplyMove(wire.ApplyMoveRequest(match=mine, move=lot), **bearer(token()))
    request = replays.ListReplaysRequest()
    assert [e.sequence for e in hall.replays.ListReplays(request, **bearer(token())).replays] == [1]
    assert [e.sequence for e in hall.replays.ListReplays(request, **bearer(token(sub="you"))).replays] == [0]
    assert not hall.replays.ListReplays(request, **bearer(token(sub="third"))).replays


@pytest.mark.parametrize("scope", ["host", "replays.read", "admin", "", "hosts"])
def test_a_scope_opens_its_methods_alone(scope: str, guarded: Callable[..., Any], fails: Callable[..., Any]) -> None:
    """Each method asks for its scope: without it SCOPE_MISSING, before anything of the request is looked at."""
    hall = guarded()
    match = start(hall, "mine", token())
    given = bearer(token(scope=scope))
    for name, request in REQUESTS.items():
        if scope in SCOPES_OF[name]:
            reply = method(hall, name)(request(match), **given)
            assert list(reply) if name == "GetReplay" else reply is not None
        else:
            failed = fails(method(hall, name), request(match), **given)
            assert (failed.code, failed.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING")


def test_reflection_is_for_administrators(guarded: Callable[..., Any]) -> None:
    """Where callers are told apart, reflection answers those with the scope admin alone."""

    def services(**more: Any) -> list[str]:
        with grpc.insecure_channel(f"127.0.0.1:{hall.server.port}") as channel:
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
            asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
            (reply,) = stub.ServerReflectionInfo(asked, **more)
            return [each.name for each in reply.list_services_response.service]

    hall = guarded()
    assert "dominohall.v1.MatchService" in services(**bearer(token()))
    for more in ({}, bearer(token(scope="host replays.read"))):
        with pytest.raises(grpc.RpcError, match=r"UNAUTHENTICATED|PERMISSION_DENIED"):
            services(**more)


def test_sending_away_costs_less_than_letting_in(guarded: Callable[..., Any]) -> None:
    """Calls of functions in the worker, counted: whoever is sent away costs less than the same call let in.

    What anybody can make, a forged token or none, costs less than a call with a token that is remembered. What the
    issuer really signed, expired or without the scope, costs less than a token that is seen for the first time. The
    request of who is sent away is never parsed, which a request of junk bytes shows by not being INVALID_MESSAGE.
    """
    counts: list[int] = []

    def count(_frame: Any, event: str, _argument: Any) -> None:
        if event in {"call", "c_call"}:
            counts[0] += 1

    def cost(given: str | None) -> int:
        request = wire.ApplyMoveRequest(match=match, move=Move(lot=Lot())).SerializeToString()
        counts[:] = [0]
        call: Any = channel.unary_unary("/dominohall.v1.MatchService/ApplyMove")
        more = bearer(given) if given is not None else {}
        try:
            call(request, **more)
        except grpc.RpcError as error:
            assert error.code() in {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED}  # noqa: PT017
        time.sleep(0.05)
        return counts[0]

    threading.setprofile(count)
    counts.append(0)
    try:
        hall = guarded(workers=1)
    finally:
        threading.setprofile(None)
    assert sys.getprofile() is None
    match = start(hall, "mine", token())
    with grpc.insecure_channel(f"127.0.0.1:{hall.server.port}") as channel:
        known = token(jti="1")
        first, remembered = cost(known), cost(known)
        for given in (None, "abc", WRONG["another key"](), WRONG["an unknown kid"]()):
            assert 0 < cost(given) < remembered
        for given in (token(exp=NOW - 3600), token(scope="")):
            assert 0 < cost(given) < first
        junk: Any = channel.unary_unary("/dominohall.v1.MatchService/ApplyMove")
        with pytest.raises(grpc.RpcError) as caught:
            junk(b"\xff" * 9)
        error: Any = caught.value
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED


def test_the_memory_of_checks_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many good tokens come, only so many are remembered, and wrong ones never."""
    monkeypatch.setattr("dominohall_service.bearer.MOST_REMEMBERED", 20)
    checker = BearerChecker(written(tmp_path / "jwks.json", **KEYS), demands(), 3600.0)
    for number in range(40):
        checker.check(token(jti=str(number)))
    with pytest.raises(CallFault):
        checker.check(WRONG["another key"]())
    assert len(checker._remembered) == 20


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "JSON"),
        ("[]", "list of"),
        ('{"keys": 1}', "list of"),
        ('{"keys": []}', "expected a key"),
        ('{"keys": [1]}', "an object"),
        ('{"keys": [{"kty": "oct", "k": "AAAA", "kid": "a"}]}', "private or symmetric"),
        ('{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AAAA", "kid": "a"}]}', "key for EdDSA"),
        ('{"keys": [{"kty": ["OKP"], "crv": {}, "kid": "a"}]}', "expected a key"),
    ],
)
def test_a_jwks_file_that_can_not_be_used(content: str, expected: str, tmp_path: Path) -> None:
    """A file without a usable public key, or with a private one, is refused in a sentence without any key."""
    path = tmp_path / "jwks.json"
    path.write_text(content)
    with pytest.raises(UnusableJwks, match=expected):
        read_jwks(path, ("EdDSA",))


def test_keys_share_no_id_and_are_long_enough(tmp_path: Path) -> None:
    """An id is one key's, RSA has 2048 bits or more, and keys of an algorithm that is not allowed are no keys."""
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": [public("one", *KEYS["one"])] * 2}))
    with pytest.raises(UnusableJwks, match="an id"):
        read_jwks(path, ("EdDSA",))
    written(path, short=("RS256", rsa.generate_private_key(65537, 1024)))  # noqa: S505
    with pytest.raises(UnusableJwks):
        read_jwks(path, ("RS256",))
    assert set(read_jwks(written(path, **KEYS), ("EdDSA", "ES256"))) == {"one", "two"}


@pytest.mark.parametrize(
    "settings",
    [
        {"keyring": Path("k")},
        {"auth": "none", "host": "hall.example"},
        {"insecure_dev_keys": True, "host": "[::]"},
        {"auth": "none", "auth_jwks": Path("j")},
        {"auth": "jwt"},
        {"auth_jwks": Path("j")},
        {"auth_jwks": Path("nowhere"), "auth_issuer": "i", "auth_audience": "a"},
        {"auth_jwks": Path("j"), "auth_issuer": "i", "auth_audience": "a", "auth_algorithms": "HS256"},
        {"auth": "mtls"},
    ],
)
def test_a_server_that_would_let_in_anybody_does_not_start(settings: dict[str, Any], tmp_path: Path) -> None:
    """Being open has to be said in words, and beyond loopback twice; half a description of a gate is refused."""
    with pytest.raises(UnusableGate, match="expected"):
        gate_of(Settings(**settings))
    if "keyring" not in settings:
        base = {"insecure_dev_keys": True, "store_path": tmp_path / "store", "port": 0}
        if settings != {"auth": "jwt"}:
            with pytest.raises(CannotStart, match="expected"):
                Server(Settings(**{**base, **settings}))


@pytest.mark.parametrize(
    "settings",
    [
        {"auth": "none"},
        {"auth": "none", "host": "[::1]"},
        {"auth": "none", "host": "[::]", "trust_network": True},
        {"insecure_dev_keys": True},
    ],
)
def test_being_open_is_possible_in_words(settings: dict[str, Any]) -> None:
    """On loopback `auth none` is enough; beyond it `trust_network` as well; development keys mean it."""
    assert gate_of(Settings(**settings)) is not None


def test_a_caller_that_takes_too_much_waits_and_others_do_not(
    guarded: Callable[..., Any], fails: Callable[..., Any]
) -> None:
    """Beyond its bucket a caller is CALLER_LIMIT with a time to wait, while another is answered."""
    hall = guarded(caller_calls_per_second=0.01, caller_burst=3)
    request = wire.ListGamesRequest()
    for _ in range(3):
        hall.matches.ListGames(request, **bearer(token()))
    failed = fails(hall.matches.ListGames, request, **bearer(token()))
    assert (failed.code, failed.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "CALLER_LIMIT")
    assert 90 < failed.details["RetryInfo"].retry_delay.seconds <= 100
    hall.matches.ListGames(request, **bearer(token(sub="another")))


def test_a_caller_with_too_much_at_once_waits_and_others_do_not(guarded: Callable[..., Any], tmp_path: Path) -> None:
    """Of two calls of one caller that wait for the store one is CALLER_LIMIT at once; another caller is answered."""
    hall = guarded(max_calls_per_caller=1)
    match = start(hall, "mine", token())
    move = wire.ApplyMoveRequest(match=match, move=Move(lot=Lot()))
    over: SimpleQueue[Any] = SimpleQueue()
    with closing(sqlite3.connect(tmp_path / "store.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # nobody else writes until this ends
        for _ in range(2):
            hall.matches.ApplyMove.future(move, **bearer(token())).add_done_callback(over.put)
        refused = over.get()
        assert refused.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "1 calls at once" in refused.details()
        hall.matches.ListGames(wire.ListGamesRequest(), **bearer(token(sub="another")))
        other.execute("ROLLBACK")
        assert over.get().result().match.sequence == 1


def test_abandoning_needs_the_owner_too(guarded: Callable[..., Any], fails: Callable[..., Any]) -> None:
    """A stranger can't end a match either, and after trying the owner finds it as it was."""
    hall = guarded()
    match = start(hall, "mine", token())
    request = wire.ApplyMoveRequest(match=match, move=Move(abandon=Abandon(reason="spite")))
    assert fails(hall.matches.ApplyMove, request, **bearer(token(sub="x"))).reason == "OTHER_OWNER"
    resumed = hall.matches.ResumeMatch(wire.ResumeMatchRequest(match_id="mine"), **bearer(token()))
    assert resumed.match.token == match.token


def test_a_stream_that_is_given_up_is_given_back(guarded: Callable[..., Any], tmp_path: Path) -> None:
    """Streams that callers cancel don't count for ever, whichever thread closes them."""
    hall = guarded(max_streams_per_caller=2)
    start(hall, "mine", token())
    request = replays.GetReplayRequest(match_id="mine")
    for _ in range(20):
        hall.replays.GetReplay(request, **bearer(token())).cancel()
    deadline = time.monotonic() + 20
    while True:
        try:
            assert list(hall.replays.GetReplay(request, **bearer(token())))
            break
        except grpc.RpcError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    allowance = Allowance(0.0, 1, 0, 1)
    enter, leave = GuardedGate(lambda _: ("a", frozenset({"replays.read"})), allowance).door("GetReplay", stream=True)
    context: Any = None
    owner = enter(context)
    with pytest.raises(CallFault, match="1 streams"):
        enter(context)
    closing = threading.Thread(target=leave, args=(owner,))
    closing.start()
    closing.join()
    assert enter(context) == "a"
