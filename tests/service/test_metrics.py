"""The metrics of a real server, read from its /metrics: each one counts, and strangers can't make labels."""

import random
import re
import urllib.request
from collections import defaultdict
from threading import Event
from time import monotonic
from typing import Any

import grpc
import pytest
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1 import replay_service_pb2 as replays
from dominohall.v1.match_pb2 import Match
from dominohall.v1.move_pb2 import Bid, Move, Shake
from dominohall.v1.options_pb2 import Options
from dominohall_engine.clauses import clauses_of, rules_digest
from dominohall_engine.games import GAMES
from dominohall_engine.revisions import NEWEST
from dominohall_engine.violations import Reason
from dominohall_service.faults import Fault
from dominohall_service.gate import SCOPES_OF
from dominohall_service.keyring import KeyKind, development_keyring
from prometheus_client.parser import text_string_to_metric_families

SHAKE = Move(shake=Shake())
KEY_ID = development_keyring().active(KeyKind.SEAL).id.hex()


def text(hall: Any) -> str:
    """Fetch /metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{hall.server.metrics_port}/metrics") as answer:
        return str(answer.read().decode())


def samples(hall: Any) -> dict[str, float]:
    """Return every sample of ours as `name{label=value,...}`; what isn't there is 0."""
    found: dict[str, float] = defaultdict(float)
    for family in text_string_to_metric_families(text(hall)):
        for sample in family.samples:
            if sample.name.startswith("dominohall_") and not sample.name.endswith("_created"):
                labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
                found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def difference(hall: Any, before: dict[str, float], name: str) -> float:
    """Return by how much a sample grew."""
    return samples(hall)[name] - before[name]


def test_a_move_is_seen_everywhere(open_hall: Any) -> None:
    """One recorded move: a call with its time, a move of its game, an append in a group of one, a commit, a seal."""
    hall = open_hall()
    match = hall.start("seen", "forty_two.russian")
    before = samples(hall)
    hall.apply(match, SHAKE)
    for name in (
        "dominohall_calls_total{code=OK,method=ApplyMove}",
        "dominohall_call_seconds_count{method=ApplyMove}",
        "dominohall_call_seconds_bucket{le=+Inf,method=ApplyMove}",
        "dominohall_moves_total{game=forty_two}",
        "dominohall_store_append_seconds_count",
        "dominohall_store_commit_seconds_count",
        "dominohall_store_group_appends_count",
        "dominohall_store_group_appends_sum",
        "dominohall_store_group_appends_bucket{le=1.0}",
        f"dominohall_seals_total{{key_id={KEY_ID}}}",
    ):
        assert difference(hall, before, name) == 1, name
    for name in ("dominohall_call_seconds_sum{method=ApplyMove}", "dominohall_store_append_seconds_sum"):
        assert difference(hall, before, name) > 0, name


def test_a_token_of_another_process_counts_as_opened(open_hall: Any) -> None:
    """A token that this server did not seal is counted under its key, so that an operator sees old keys in use."""
    match = open_hall().start("elsewhere")
    hall = open_hall()
    before = samples(hall)
    hall.legal(match)
    assert difference(hall, before, f"dominohall_openings_total{{key_id={KEY_ID}}}") == 1


def test_a_fork_is_counted(open_hall: Any, fails: Any) -> None:
    """Two different moves at one place: one fork, and the fault beside it."""
    hall = open_hall()
    match = hall.apply(hall.start("forked", "forty_two.russian"), SHAKE)
    first, second = hall.legal(match)[:2]
    hall.apply(match, first)
    before = samples(hall)
    assert fails(hall.matches.ApplyMove, wire.ApplyMoveRequest(match=match, move=second)).reason == "FORKED"
    assert difference(hall, before, "dominohall_forks_total") == 1
    assert difference(hall, before, "dominohall_faults_total{reason=FORKED}") == 1
    assert difference(hall, before, "dominohall_calls_total{code=ABORTED,method=ApplyMove}") == 1


def test_a_refusal_is_counted_by_its_clause(open_hall: Any, fails: Any) -> None:
    """A bid that is too low counts once, under its reason and the clause that decides, and no move beside it."""
    hall = open_hall()
    match = hall.apply(hall.start("refused", "forty_two.russian"), SHAKE)
    before = samples(hall)
    low = Move(bid=Bid(seat=match.state.turn, points=29))
    fails(hall.matches.ApplyMove, wire.ApplyMoveRequest(match=match, move=low))
    grown = {name for name, value in samples(hall).items() if value != before[name] and "refusals" in name}
    assert grown == {"dominohall_refusals_total{clause=F42-RU-07,reason=BID_TOO_LOW}"}
    assert difference(hall, before, *grown) == 1
    assert difference(hall, before, "dominohall_moves_total{game=forty_two}") == 0


def test_a_stream_counts_while_it_is_read(open_hall: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply that is being streamed is in flight until its end, and then counts as a call."""
    hall = open_hall()
    hall.start("streamed")
    before = samples(hall)
    seen: list[float] = []
    entries = hall.server._store.entries

    def watched(*arguments: Any, **more: Any) -> Any:
        seen.append(samples(hall)["dominohall_streams"])
        return entries(*arguments, **more)

    monkeypatch.setattr(hall.server._store, "entries", watched)
    list(hall.replays.GetReplay(replays.GetReplayRequest(match_id="streamed")))
    assert seen
    assert seen[0] == before["dominohall_streams"] + 1
    assert difference(hall, before, "dominohall_calls_total{code=OK,method=GetReplay}") == 1
    assert difference(hall, before, "dominohall_streams") == 0


def test_a_stream_that_its_caller_leaves_is_cancelled(open_hall: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that leaves in the middle of a stream is counted as CANCELLED, and the stream is in flight no more."""
    hall = open_hall()
    hall.start("left")
    stored = list(hall.server._store.entries("default", "left"))
    over = Event()

    def endless(*_: Any, **__: Any) -> Any:
        while not over.is_set():
            yield from stored

    before = samples(hall)
    monkeypatch.setattr(hall.server._store, "entries", endless)
    stream = hall.replays.GetReplay(replays.GetReplayRequest(match_id="left"))
    try:
        next(stream)
        assert difference(hall, before, "dominohall_streams") == 1
        stream.cancel()
        deadline = monotonic() + 20
        while difference(hall, before, "dominohall_streams") and monotonic() < deadline:
            pass
        assert difference(hall, before, "dominohall_streams") == 0
        assert difference(hall, before, "dominohall_calls_total{code=CANCELLED,method=GetReplay}") == 1
        assert difference(hall, before, "dominohall_calls_total{code=OK,method=GetReplay}") == 0
    finally:
        over.set()


def test_what_runs_is_told(open_hall: Any) -> None:
    """The build, the rules of each game with the digest that logs pin, readiness, and calls that wait."""
    hall = open_hall()
    found = samples(hall)
    for game in GAMES:
        digest, revision = rules_digest(game).hex(), NEWEST[game]
        assert found[f"dominohall_rules_info{{digest={digest},game={game},revision={revision}}}"] == 1
    assert [name for name in found if name.startswith("dominohall_build_info{python=")]
    assert found["dominohall_ready"] == 1
    assert found["dominohall_calls_waiting"] == 0
    hall.server._observers.set_ready(False)
    assert samples(hall)["dominohall_ready"] == 0


def test_hostile_callers_make_no_labels(open_hall: Any, fails: Any) -> None:
    """Whatever callers name matches, methods, presets, requests and tokens: each label is from a closed list."""
    hall = open_hall(max_waiting_calls=1)
    rng = random.Random(5)
    channel = grpc.insecure_channel(f"127.0.0.1:{hall.server.port}")
    match = hall.apply(hall.start("hostile", "forty_two.russian"), SHAKE)
    for number in range(40):
        name = f"evil-{rng.randrange(1 << 40):x}"
        hall.server._workers.waiting += number % 2
        raw: Any = channel.unary_unary(f"/dominohall.v1.MatchService/{name}")
        fails(raw, b"")
        hall.server._workers.waiting -= number % 2
        fails(hall.matches.ResumeMatch, wire.ResumeMatchRequest(match_id=name), metadata=(("x-request-id", name),))
        fails(hall.matches.StartMatch, wire.StartMatchRequest(match_id=name, options=Options(preset=name)))
        fails(hall.matches.ViewMatch, wire.ViewMatchRequest(match=Match(token=b"\1" + rng.randbytes(40)), seat=0))
        bid = Move(bid=Bid(seat=match.state.turn, points=number % 30))
        fails(hall.matches.ApplyMove, wire.ApplyMoveRequest(match=match, move=bid))
    channel.close()
    page = text(hall)
    assert "evil" not in page
    closed = {
        "method": {*SCOPES_OF, "unknown"},
        "code": {code.name for code in grpc.StatusCode},
        "reason": {*Fault, *Reason},
        "clause": {"", *(each.id for game in GAMES for each in clauses_of(game))},
        "game": set(GAMES),
    }
    seen = set()
    for line in page.splitlines():
        if line.startswith("dominohall_"):
            for label, value in re.findall(r'(\w+)="([^"]*)"', line):
                seen.add(label)
                assert value in closed.get(label, {value}), line
    assert seen <= {*closed, "le", "key_id", "result", "revision", "digest", "version", "python"}
    assert len(page.splitlines()) < 1500
