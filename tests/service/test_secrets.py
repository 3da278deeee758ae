"""A whole run of a real process, every byte of what it says searched for every secret that it was given."""

import base64
import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.move_pb2 import Lot, Move, Shake
from dominohall.v1.options_pb2 import Options
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceStub
from dominohall_replays.deals import match_secret, shake_salt, shake_seed
from dominohall_service.keyring import KeyKind, new_keyring, write_keyring
from dominohall_service.settings import Settings, StoreKind
from google.protobuf.json_format import MessageToJson

OWNER, MATCH = "hall-1", "watched"


def spellings(secret: bytes) -> set[bytes]:
    """Return how a secret could be written: raw, in base64 of both kinds, in hex, as Python prints bytes."""
    plain, safe = base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"=")
    return {secret, plain, safe, secret.hex().encode(), secret.hex().upper().encode(), repr(secret)[2:-1].encode()}


def planted(secrets: dict[str, bytes], said: bytes) -> set[str]:
    """Return the names of the secrets that were said, whole or in their first 16 bytes."""
    return {
        name
        for name, secret in secrets.items()
        if any(way in said for part in (secret, secret[:18]) for way in spellings(part))
    }


class Run:
    """A server process with secrets, and all that it ever said to anybody but the owner of a match."""

    def __init__(self, folder: Path, transport: str) -> None:
        ring, signer = new_keyring(), ed25519.Ed25519PrivateKey.generate()
        write_keyring(folder / "keyring.json", ring)
        by_name: Any = jwt.algorithms.get_default_algorithms()["EdDSA"]
        jwk = {**by_name.to_jwk(signer.public_key(), as_dict=True), "kid": "one"}
        (folder / "jwks.json").write_text(json.dumps({"keys": [jwk]}))
        claims: dict[str, Any] = {"iss": "i", "aud": "a", "sub": OWNER, "exp": int(time.time()) + 600}
        claims["scope"] = "host replays.read admin"
        self.bearer = jwt.encode(claims, signer, "EdDSA", {"kid": "one"})
        self.signature = self.bearer.rpartition(".")[2].encode()
        secret = match_secret(ring.active(KeyKind.DEAL).secret, OWNER, MATCH)
        raw = (serialization.Encoding.Raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
        self.secrets = {kind.value: ring.active(kind).secret for kind in KeyKind}
        self.secrets |= {"seed": shake_seed(secret, 0), "salt": shake_salt(secret, 0), "match": secret}
        self.secrets |= {"signer": signer.private_bytes(*raw), "bearer": self.bearer.encode(), "cut": self.signature}
        flags: dict[str, object] = {
            "keyring": folder / "keyring.json",
            "store-path": folder / "store.sqlite3",
            "log-format": "json",
            "transport": transport,
        }
        flags |= {"auth-jwks": folder / "jwks.json", "auth-issuer": "i", "auth-audience": "a", "log-level": "debug"}
        flags |= {"port": 0, "health-port": 0, "metrics-port": 0, "durability": "process"}
        command = [sys.executable, "-m", "dominohall_service.command", "serve"]
        command += [f"--{name}={value}" for name, value in flags.items()]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = bytearray()
        self.ports: dict[str, Any] = {}
        self.ready = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        assert self.ready.wait(30), bytes(self.said)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if b'"listening"' in line:
                self.ports = json.loads(line)
                self.ready.set()
        self.ready.set()

    def fail(self, call: Any, request: Any, given: str) -> None:
        """Make a call that must fail, and keep all that it says."""
        with pytest.raises(grpc.RpcError) as caught:
            call(request, metadata=(("authorization", given),))
        error: Any = caught.value
        self.said += repr(error.details()).encode() + b"".join(
            value if isinstance(value, bytes) else value.encode() for _, value in error.trailing_metadata()
        )


@pytest.fixture
def run(tmp_path: Path, transport: str) -> Iterator[Run]:
    """Run one server."""
    one = Run(tmp_path, transport)
    yield one
    one.process.kill()
    one.process.wait()
    one.reader.join()
    if one.process.stdout is not None:
        one.process.stdout.close()


def test_nothing_that_the_service_says_holds_a_secret(run: Run) -> None:
    """Log lines at their most talkative, errors and metrics of a whole run: no key, token or tile in them.

    Every kind of call is made, well and wrongly, with edited tokens and wrong credentials; then the server is stopped.
    """
    good = (("authorization", f"Bearer {run.bearer}"),)
    with grpc.insecure_channel(f"127.0.0.1:{run.ports['port']}") as channel:
        matches: Any = MatchServiceStub(channel)
        logs: Any = ReplayServiceStub(channel)
        start = wire.StartMatchRequest(match_id=MATCH, options=Options(preset="fives.linear"))
        match = matches.StartMatch(start, metadata=good).match
        for made in range(200):
            if made >= 60 and match.state.HasField("turn"):  # where no shake or lot is due, so that these are refused
                break
            legal = matches.ListLegalMoves(wire.ListLegalMovesRequest(match=Match(token=match.token)), metadata=good)
            match = matches.ApplyMove(
                wire.ApplyMoveRequest(match=Match(token=match.token), move=legal.moves[0]), metadata=good
            ).match
            run.secrets[f"token {match.sequence}"] = match.token
            if match.state.HasField("outcome"):
                break
        edited = match.token[:-1] + bytes((match.token[-1] ^ 1,))
        bearer = f"Bearer {run.bearer}"
        for token in (edited, match.token[:40], b"", bytes(300)):
            run.fail(matches.ApplyMove, wire.ApplyMoveRequest(match=Match(token=token), move=Move(lot=Lot())), bearer)
        for move in (Move(shake=Shake()), Move(), Move(lot=Lot())):
            run.fail(matches.ApplyMove, wire.ApplyMoveRequest(match=Match(token=match.token), move=move), bearer)
        for given in ("", run.bearer, f"{bearer[:-4]}AAAA", bearer + "x", "Basic " + run.bearer):
            run.fail(matches.ListGames, wire.ListGamesRequest(), given)
        run.fail(logs.VerifyReplay, replays.VerifyReplayRequest(), bearer)
        run.fail(logs.StepReplay, replays.StepReplayRequest(log=b"\x93\x00", sequence=1), bearer)
        report = logs.VerifyReplay(replays.VerifyReplayRequest(match_id=MATCH), metadata=good)
        run.said += MessageToJson(report).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{run.ports['metrics_port']}/metrics") as answer:
        run.said += answer.read()
    run.process.terminate()
    assert run.process.wait(30) == 0
    run.reader.join()
    said = bytes(run.said)
    assert said.count(b'"call"') > 20
    assert planted(run.secrets, said) == set()
    for words in (b'"6-4"', b'"hand"', b'"tiles"', b"order"):
        assert words not in b"\n".join(line for line in said.splitlines() if b'"event": "call"' in line)


def test_the_search_finds_what_is_planted() -> None:
    """The search above finds a secret in each of its spellings, also when it is cut."""
    secret = bytes(range(200, 232))
    for way in spellings(secret) | spellings(secret[:20]):
        assert planted({"it": secret}, b"before " + way + b" after") == {"it"}
    assert planted({"it": secret}, b"nothing here") == set()


def test_settings_print_no_password() -> None:
    """What Python prints of the settings leaves the store's address out, which may hold a password."""
    settings = Settings(store=StoreKind.POSTGRESQL, store_url="postgresql://hall:pa55word@db/hall")
    assert "pa55word" not in repr(settings)
    assert "pa55word" not in str(settings)
