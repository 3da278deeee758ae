"""One run: everything is started, everything goes wrong for a while, then everything is counted and checked."""

import itertools
import random
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dominohall.client import Client, ClientError, Patience
from dominohall.v1 import replay_pb2, replay_service_pb2

from dominohall_loadtest.chaos.checking import Fault, Finding, doubled_entries, judge_log
from dominohall_loadtest.chaos.disk import Disk, small_disk
from dominohall_loadtest.chaos.figures import Figures
from dominohall_loadtest.chaos.hosts import Host, Player
from dominohall_loadtest.chaos.ledger import Ledger, MatchBook
from dominohall_loadtest.chaos.proxy import Fate, Odds, Proxy
from dominohall_loadtest.chaos.servers import SERVE, Fleet
from dominohall_loadtest.entries import Mismatch
from dominohall_loadtest.postgres import OwnPostgres, own_postgres

CALM: Final = Patience(call=10.0, whole=40.0)
GOOD: Final = (replay_pb2.VERDICT_VALID, replay_pb2.VERDICT_UNFINISHED)
GREATEST_EXCESS: Final = 60.0
DISK_MEGABYTES: Final = 48
MEGABYTES_A_MINUTE: Final = 64


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to happen in a run."""

    store: str = "sqlite"
    """`sqlite`: one file for all servers. `postgresql`: a database of its own, started and thrown away."""
    transport: str = "grpcio"
    """Which gRPC server the servers answer with: `grpcio` or `native`."""
    seconds: float = 120.0
    servers: int = 3
    hosts: int = 6
    """Hosts that play alone."""
    races: int = 2
    """Pairs of hosts that play the same matches."""
    seed: int = 42
    odds: Odds = field(default_factory=Odds)
    pause: tuple[float, float] = (1.0, 4.0)
    """Seconds between two things that go wrong with servers, disk and database: at least, at most."""
    least_rounds: int = 1
    """Each of these things happens so often, even if there is no time for it."""
    least_calls: int = 0
    """So many calls are made, even if there is no time for them; but it ends after `GREATEST_EXCESS` seconds more."""
    program: Sequence[str] = SERVE
    """The command of a server; a test plants a fault here."""


class Run:
    """The parts of a run while it goes on."""

    def __init__(self, plan: Plan, stack: ExitStack, tell: Callable[[str], object]) -> None:
        self._plan = plan
        self._tell = tell
        self._dice = random.Random(plan.seed)  # noqa: S311 - chaos that can be had again
        self.figures = Figures(
            store=plan.store, transport=plan.transport, servers=plan.servers, hosts=plan.hosts + 2 * plan.races
        )
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dominohall-chaos-")))
        self._disk: Disk | None = None
        self._database: OwnPostgres | None = None
        if plan.store == "postgresql":
            self._database = stack.enter_context(own_postgres())
            arguments: Sequence[str] = ("--store", "postgresql", "--store-url", self._database.url())
        else:
            place = folder / "disk"
            place.mkdir()
            self._disk = small_disk(place, DISK_MEGABYTES + int(MEGABYTES_A_MINUTE * plan.seconds / 60))
            stack.callback(self._disk.close)
            self.figures.disk = self._disk.kind
            arguments = ("--store-path", str(place / "matches.sqlite3"))
        arguments = (*arguments, "--transport", plan.transport)
        prefix = self._disk.prefix if self._disk else ()
        self.fleet = Fleet(plan.servers, arguments, folder, program=plan.program, prefix=prefix)
        stack.callback(self.fleet.close)
        self._proxy = Proxy(self.fleet.ports, plan.odds, plan.seed, hold_seconds=2.0)
        stack.callback(self._proxy.close)
        self._ledger = Ledger()
        self._stop = threading.Event()
        self._hosts = self._gathered()

    def rage(self) -> None:
        """Let the hosts play while everything goes wrong."""
        plan, begun = self._plan, time.monotonic()
        for host in self._hosts:
            host.start()
        troubles = [self._kill]
        if self._disk:
            troubles.append(self._fill_disk)
        if self._database:
            troubles.append(self._restart_database)
        for number, trouble in enumerate(itertools.cycle(troubles)):
            self.fleet.settle()  # so that a slow machine meets less trouble, and not nothing else
            left = begun + plan.seconds - time.monotonic()
            pause = self._dice.uniform(*plan.pause)
            enough = number >= len(troubles) * plan.least_rounds and self._proxy.counts.total() >= plan.least_calls
            if (pause >= left and enough) or left < -GREATEST_EXCESS:
                time.sleep(max(left, 0.0))
                break
            time.sleep(pause)
            trouble()
        self._proxy.calm()
        self.fleet.settle()
        self._stop.set()
        self.figures.seconds = time.monotonic() - begun
        self._tell("calm again: waiting for the last replies")
        for host in self._hosts:
            host.join(120)
            if host.is_alive():
                self._ledger.fault(host.name, "expected the last reply within two minutes of calm, got none")

    def check(self) -> Figures:
        """Hold every log against what the hosts asked for and were told."""
        self._tell("checking every log")
        figures = self.figures
        links: list[tuple[str, bytes]] = []
        with ExitStack() as stack:
            clients = [stack.enter_context(Client(f"127.0.0.1:{port}", patience=CALM)) for port in self.fleet.ports]
            self._end_players()
            for number, book in enumerate(self._ledger.books):
                client = clients[number % len(clients)]
                other = clients[(number + 1) % len(clients)]
                found, own = self._judge(book, client, other)
                figures.findings += found
                links += [(book.match_id, link) for link in own]
        figures.findings += doubled_entries(links)
        self._count()
        return figures

    def close(self) -> None:
        """Close what the hosts hold."""
        for host in self._hosts:
            host.close()

    def _gathered(self) -> list[Host]:
        plan, ports = self._plan, self._proxy.ports
        names = [f"match-{number}" for number in range(plan.hosts)]
        names += [f"race-{number}" for number in range(plan.races) for _ in range(2)]
        return [
            Host(
                ports,
                self._ledger,
                name,
                seed=plan.seed + sum(name.encode()),
                own_seed=plan.seed * 1000 + number,
                stop=self._stop,
            )
            for number, name in enumerate(names)
        ]

    # --- what goes wrong ----------------------------------------------------------------------------------------------

    def _kill(self) -> None:
        self.fleet.kill_some(self._dice)

    def _fill_disk(self) -> None:
        if self._disk:
            self._disk.fill(self.fleet.pids)
            self.figures.disk_fillings += 1
            try:
                time.sleep(self._dice.uniform(0.3, 1.0))
                if self._dice.random() < 0.3:
                    self.fleet.kill(self._dice.randrange(len(self.fleet.ports)))  # a crash while there is no room
            finally:
                self._disk.free(self.fleet.pids)
                self.fleet.revive()

    def _restart_database(self) -> None:
        if self._database:
            if self._dice.random() < 0.5:
                self._database.stop()
            else:
                self._database.kill()
            time.sleep(self._dice.uniform(0.0, 0.5))
            self._database.start()
            self.figures.database_restarts += 1

    # --- what is checked ----------------------------------------------------------------------------------------------

    def _end_players(self) -> None:
        """Let every host go to the head of each of its matches, as the loser of a race does."""
        for host in self._hosts:
            for player in host.players:
                try:
                    if player.match is not None:
                        player.catch_up()
                except (ClientError, Mismatch) as error:
                    what = f"{type(error).__name__} at the end: {error}"
                    self.figures.findings.append(Finding(Fault.DIFFERENT, player.match_id, what))

    def _judge(self, book: MatchBook, client: Client, other: Client) -> tuple[list[Finding], list[bytes]]:
        if not book.acknowledged:  # it was asked for, and the run ended before it was begun
            return [], []
        try:
            log = client.log(book.match_id)
            told_twice = other.log(book.match_id)
            request = replay_service_pb2.VerifyReplayRequest(match_id=book.match_id)
            report = client.call(client.replays.VerifyReplay, request).report
        except ClientError as error:
            return [Finding(Fault.UNVERIFIED, book.match_id, f"{type(error).__name__}: {error}")], []
        findings, links = judge_log(book, log)

        def found(fault: Fault, what: str) -> None:
            findings.append(Finding(fault, book.match_id, what))

        if log != told_twice:
            found(Fault.DIFFERENT, "two servers tell different logs")
        if report.verdict not in GOOD or (links and report.link != links[-1]):
            found(Fault.UNVERIFIED, f"{replay_pb2.Verdict.Name(report.verdict)}: {report.reason}")
        for player in self._players(book.match_id):
            mirror = player.mirror
            if player.match is None or not log.startswith(bytes(mirror.log)) or mirror.sequence != len(links) - 1:
                found(Fault.DIFFERENT, f"a host ended at {mirror.sequence}, the log at {len(links) - 1}")
        return findings, links

    def _players(self, match_id: str) -> list[Player]:
        return [player for host in self._hosts for player in host.players if player.match_id == match_id]

    def _count(self) -> None:
        figures, books, counts = self.figures, self._ledger.books, self._proxy.counts
        begun = [book for book in books if book.acknowledged]
        over = {player.match_id for host in self._hosts for player in host.players if player.mirror.over}
        figures.matches = len(begun)
        figures.finished = len(over)
        figures.raced = sum(book.match_id.startswith("race") for book in begun)
        figures.moves = sum(sequence > 0 for book in begun for sequence in book.acknowledged)
        figures.calls = counts.total()
        figures.retries = sum(host.retries for host in self._hosts)
        figures.forks = sum(player.forks for host in self._hosts for player in host.players)
        figures.kills = self.fleet.kills
        figures.cut_before = counts[Fate.CUT_BEFORE]
        figures.cut_after = counts[Fate.CUT_AFTER]
        figures.dropped_replies = counts[Fate.DROP]
        figures.faults += self._ledger.faults + self.fleet.incidents()


def run(plan: Plan, tell: Callable[[str], object] = lambda _: None) -> Figures:
    """Do all that the plan says and return what came of it."""
    with ExitStack() as stack:
        running = Run(plan, stack, tell)
        stack.callback(running.close)
        tell(
            f"{plan.servers} servers ({plan.transport}) and {running.figures.hosts} hosts on {plan.store}, "
            f"{plan.seconds:.0f} seconds"
        )
        running.rage()
        return running.check()
