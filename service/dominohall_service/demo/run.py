"""The demo from its first to its last act: play, record, re-simulate, verify, forge, stop."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

import grpc
from dominohall.v1 import fives_pb2, match_pb2, options_pb2, replay_service_pb2, replay_service_pb2_grpc, view_pb2
from dominohall_engine import forty_two
from dominohall_replays.export import SUFFIX
from dominohall_replays.fold import Step
from dominohall_replays.rounds import Retold, retell
from dominohall_replays.verify import verify

from dominohall_service.demo.dispute import settle
from dominohall_service.demo.forgery import every_flip, forge
from dominohall_service.demo.refusals import Refused, try_illegal, wrong_tile
from dominohall_service.demo.report import DemoReport, MatchLine
from dominohall_service.demo.server import running_service
from dominohall_service.demo.story import Story
from dominohall_service.demo.table import CALL_SECONDS, Fixture, Played, play

TABLES: Final = 3
"""Matches played at the same time: enough for their records to share writes to the disk."""
FLIPS: Final = 100


def fixtures(seed: int) -> list[Fixture]:
    """Return the matches of the demo; their ids follow from the seed, and their deals from their ids."""
    name = hashlib.sha256(f"dominohall/demo/{seed}".encode()).hexdigest()[:8]

    def fives(seats: int, *, partners: bool) -> options_pb2.Options:
        changed = fives_pb2.FivesOptions(seats=seats, partners=partners)
        return options_pb2.Options(preset="fives.linear", fives=changed)

    return [
        Fixture(f"{name}-42-polish", "Texas 42, Polish text", options_pb2.Options(preset="forty_two.polish")),
        Fixture(f"{name}-42-russian", "Forty-Two, Russian text", options_pb2.Options(preset="forty_two.russian")),
        Fixture(f"{name}-fives-2", "Linear, 2 seats", fives(2, partners=False)),
        Fixture(f"{name}-fives-3", "Linear, 3 seats", fives(3, partners=False)),
        Fixture(f"{name}-fives-4", "Linear, 4 seats", fives(4, partners=False)),
        Fixture(f"{name}-fives-pairs", "Linear, 2 pairs", fives(4, partners=True)),
    ]


def run(seed: int, folder: Path, story: Story) -> DemoReport:
    """Run the whole demo, leave the replays in `folder`, and tell the story meanwhile."""
    started = perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    recorded = record(seed, folder, story)
    lines, told = [], []
    for played, log in zip(recorded.played, recorded.logs, strict=True):
        path = folder / (played.fixture.match_id + SUFFIX)
        path.write_bytes(log)
        told.append(retell(log))
        lines.append(match_line(played, log, path, told[-1]))
    story.matches(lines)
    story.one_round(lines[0], told[0])
    story.one_layout(lines[-1], told[-1])
    story.refusal(recorded.refused)
    play, other = temptation(told[0])
    dispute = settle(recorded.logs[0], play, other, folder, lines[0].match_id)
    story.dispute(dispute)
    forgeries = tuple(forge(recorded.logs[0], play, other, folder, lines[0].match_id))
    tried, caught = every_flip(recorded.logs[1], FLIPS)
    story.forgeries(forgeries, tried, caught)
    report = DemoReport(
        seed=seed,
        folder=str(folder),
        matches=tuple(lines),
        refusal=recorded.refused,
        dispute=dispute,
        forgeries=forgeries,
        flips_tried=tried,
        flips_caught=caught,
        drained=recorded.drained,
        seconds=round(perf_counter() - started, 1),
    )
    story.end(report)
    return report


def temptation(told: Retold) -> tuple[Step, int]:
    """Return a played tile from the middle of a match, and one that the seat held and was not allowed to play."""
    tempted = []
    for step in told.steps:
        if isinstance(step.move, forty_two.Play):
            seen = forty_two.view(step.before, step.move.seat)
            legal = {move.tile for move in seen.legal_moves if isinstance(move, forty_two.Play)}
            tempted += [(step, tile) for tile in seen.hand or () if tile not in legal][:1]
    return tempted[len(tempted) // 2]


class Recorded(NamedTuple):
    """What is left when the service has gone: what the host was told, and the logs."""

    played: list[Played]
    logs: list[bytes]
    refused: Refused
    drained: bool


def record(seed: int, folder: Path, story: Story) -> Recorded:
    """Play every match against a service of the demo's own, fetch the logs, and stop the service."""
    matches = fixtures(seed)
    with running_service(seed, folder) as service:
        story.service_started(service.address)
        with grpc.insecure_channel(service.address) as channel:
            watcher = RefusalWatcher(channel)
            with story.playing([each.title for each in matches]) as tick, ThreadPoolExecutor(TABLES) as tables:

                def at_a_table(each: Fixture) -> Played:
                    watch = watcher if each is matches[0] else None
                    return play(channel, each, watch=watch, moved=lambda match: tick(each.title, match))

                played = list(tables.map(at_a_table, matches))
            logs = [fetch(channel, each.match_id) for each in matches]
        drained = service.stop()
    if watcher.refused is None:
        raise RuntimeError("expected a seat that must follow suit in a whole match of forty-two, found none")
    return Recorded(played, logs, watcher.refused, drained)


class RefusalWatcher:
    """Tries one illegal move, the first time that a seat could be tempted to."""

    def __init__(self, channel: grpc.Channel) -> None:
        """Watch over this channel; `refused` is None until it was tried."""
        self.refused: Refused | None = None
        self._channel = channel

    def __call__(self, match: match_pb2.Match, view: view_pb2.View) -> None:
        """Look at a match before its seat acts."""
        tile = wrong_tile(view) if self.refused is None else None
        if tile is not None:
            self.refused = try_illegal(self._channel, match, view, tile)


def fetch(channel: grpc.Channel, match_id: str) -> bytes:
    """Fetch the whole log of a match, as the service streams it."""
    stub = replay_service_pb2_grpc.ReplayServiceStub(channel)
    chunks = stub.GetReplay(replay_service_pb2.GetReplayRequest(match_id=match_id), timeout=CALL_SECONDS)
    return b"".join(chunk.entries for chunk in chunks)


def match_line(played: Played, log: bytes, path: Path, retold: Retold) -> MatchLine:
    """Put together what the host knows of a match and what its log proves."""
    report = verify(log)
    last = played.last.state
    told = (
        tuple(side.points for side in last.sides),
        last.outcome.HasField("winner_side") and last.outcome.winner_side,
    )
    outcome = retold.outcome
    proved = outcome is not None and (outcome.scores, False if outcome.winner is None else outcome.winner)
    winner = last.sides[last.outcome.winner_side].seats if last.outcome.HasField("winner_side") else ()
    return MatchLine(
        match_id=played.fixture.match_id,
        title=played.fixture.title,
        preset=played.fixture.options.preset,
        seats=sum(len(side.seats) for side in last.sides),
        partners=len(last.sides[0].seats) > 1,
        rounds=len(retold.rounds),
        moves=len(retold.steps),
        scores=tuple(side.points for side in last.sides),
        winner=tuple(winner),
        calls=played.calls,
        file=path.name,
        log_bytes=len(log),
        verdict=report.verdict.value,
        result_agrees=told == proved,
    )
