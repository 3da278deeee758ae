"""Hosts that play whole matches through the chaos, some of them two on one match, each with an engine of its own."""

import random
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from dominohall.client import (
    Busy,
    Client,
    Forked,
    HostedMatch,
    Linked,
    Patience,
    Unsure,
)
from dominohall.v1 import match_pb2, move_pb2, record_pb2
from dominohall_engine.game import Phase
from dominohall_engine.moves import LOT_CODE, SHAKE_CODE

from dominohall_loadtest.chaos.ledger import Ledger
from dominohall_loadtest.entries import NO_HASH, Mismatch, read_entry
from dominohall_loadtest.kinds import KINDS, Kind
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.wire import CHANCE_CODES, LOT, SHAKE, move_to_proto

PATIENCE: Final = Patience(call=1.0, whole=8.0, first_pause=0.02, greatest_pause=0.5)
SURRENDER_SECONDS: Final = 60.0
"""A move that is unanswered for so long is a fault: the weather is never that bad."""
FORGETS: Final = 0.004
"""The share of turns before which a host loses all that it knows of the match."""
RESTARTS: Final = 0.01
"""The share of turns before which a host starts again from what it had stored."""
BATCHES: Final = 0.05
LONGEST_BATCH: Final = 6
SHORT_TARGET: Final = 50
"""Points: the least that the options of both games allow."""
OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),  # each host has connections of its own, so that a cut is one host's
    ("grpc.max_reconnect_backoff_ms", 500),
)
CHANCE: Final = {Phase.SHAKE: (SHAKE, SHAKE_CODE), Phase.LOT: (LOT, LOT_CODE)}


class Player:
    """One host at one match: what it was told, and the engine's own idea of it."""

    def __init__(self, client: Client, ledger: Ledger, kind: Kind, match_id: str, dice: random.Random) -> None:
        self._client = client
        self._ledger = ledger
        self._dice = dice
        self.kind: Final = kind
        self.match_id: Final = match_id
        self.forks = 0
        self.match: HostedMatch | None = None
        self.mirror = Mirror(kind, match_id)

    def play(self, stop: threading.Event) -> None:
        """Play until the match is over or the run ends; `ClientError` or `Mismatch` for what must not happen."""
        self._ledger.ask(self.match_id, 0, b"")
        self.match = self._insist(lambda: self._client.start(self.match_id, options=self.kind.to_proto()))
        self._begin(self.match)
        while not stop.is_set():
            self._be_forgetful()
            if self.mirror.over:  # by the last move, or by another host while this one had forgotten
                return
            try:
                self._move()
            except Forked:
                self.forks += 1
                self.catch_up()

    def catch_up(self) -> None:
        """Go to the head of the store, and follow what was missed."""
        match = self._hosted
        for linked in self._insist(match.resync):
            follow(self.mirror, linked)
        self.mirror.stands(message_of(match), full=match.state is not None)

    @property
    def _hosted(self) -> HostedMatch:
        if self.match is None:
            raise Mismatch("expected a match that was started")
        return self.match

    def _begin(self, match: HostedMatch) -> None:
        header = match.newest
        if header is None:
            raise Mismatch("expected the header of a match that was started")
        self._ledger.acknowledge(self.match_id, 0, header.entry)
        begin(self.mirror, header)
        self.mirror.stands(message_of(match), full=True)

    def _be_forgetful(self) -> None:
        chosen = self._dice.random()
        if chosen < FORGETS:
            self.match = self._insist(lambda: self._client.resume(self.match_id))
            entries = self._insist(lambda: self._client.entries(self.match_id))
            self.mirror = Mirror(self.kind, self.match_id)
            begin(self.mirror, entries[0])
            for linked in entries[1 : self.match.sequence + 1]:
                follow(self.mirror, linked)
            self.mirror.stands(message_of(self.match), full=True)
        elif chosen < FORGETS + RESTARTS:
            self.match = self._client.restore(self._hosted.kept)

    def _move(self) -> None:
        moves, written = self._chosen()
        match, first = self._hosted, self.mirror.sequence + 1
        for sequence, move in enumerate(moves, first):
            self._ledger.ask(self.match_id, sequence, move)
        if len(written) == 1:
            with_state = self._dice.random() < 0.3
            made = [self._insist(lambda: match.apply(written[0], with_state=with_state))]
        else:
            made = self._insist(lambda: match.apply_all(written))
        for move, linked in zip(moves, made, strict=True):
            self._ledger.acknowledge(self.match_id, linked.sequence, linked.entry)
            follow(self.mirror, linked, move)
        self.mirror.stands(message_of(match), full=match.state is not None)

    def _chosen(self) -> tuple[list[bytes], list[move_pb2.Move]]:
        """Choose what is sent next: one legal move, or now and then several."""
        game, state = self.kind.game, self.mirror.state
        if game.turn(state) is None:
            message, code = CHANCE[game.phase(state)]
            return [bytes((code,))], [message]
        count = self._dice.randint(2, LONGEST_BATCH) if self._dice.random() < BATCHES else 1
        moves: list[Any] = []
        while len(moves) < count and game.turn(state) is not None:
            moves.append(self._dice.choice(game.legal_moves(state)))
            state = game.apply(state, moves[-1])
        return [game.encode_move(move) for move in moves], [move_to_proto(move) for move in moves]

    def _insist(self, call: Any) -> Any:  # noqa: ANN401 - any call of the client and its reply
        """Make the same call until it is answered, as a host does whose player waits."""
        deadline = time.monotonic() + SURRENDER_SECONDS
        while True:
            try:
                return call()
            except (Unsure, Busy):
                if time.monotonic() > deadline:
                    raise


class Host(threading.Thread):
    """One host: it plays one match after another, as long as the run goes on. `name_of` names the n-th of them.

    Two hosts with the same names and the same seed for kinds race on every match.
    """

    def __init__(  # noqa: PLR0913 - what a host is
        self, ports: Sequence[int], ledger: Ledger, name: str, *, seed: int, own_seed: int, stop: threading.Event
    ) -> None:
        super().__init__(name=f"host-{name}-{own_seed}", daemon=True)
        addresses = ",".join(f"127.0.0.1:{port}" for port in ports)
        self._client = Client(f"ipv4:{addresses}", patience=PATIENCE, options=OPTIONS)
        self._ledger = ledger
        self._names = name
        self._kinds = random.Random(seed)  # noqa: S311 - chaos that can be had again
        self._dice = random.Random(own_seed)  # noqa: S311
        self._stopping = stop
        self.players: list[Player] = []

    @property
    def retries(self) -> int:
        """How many calls this host repeated."""
        return self._client.retries

    def run(self) -> None:
        """Play until the run ends; what goes wrong ends one match and is a fault in the ledger."""
        while not self._stopping.is_set():
            kind = short(self._kinds.choice(KINDS), self._kinds)
            match_id = f"{self._names}-{len(self.players)}"
            player = Player(self._client, self._ledger, kind, match_id, self._dice)
            self.players.append(player)
            try:
                player.play(self._stopping)
            except Exception as error:  # noqa: BLE001 - a host that breaks is a fault of the run, whatever broke it
                self._ledger.fault(match_id, f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """Close the channel."""
        self._client.close()


def short(kind: Kind, dice: random.Random) -> Kind:
    """Return a kind whose matches end sooner: most of them are played to their end within a short run."""
    if dice.random() < 0.3:
        return kind
    return Kind(kind.name, kind.preset, {**kind.changes, "target": SHORT_TARGET})


def begin(mirror: Mirror, header: Linked) -> None:
    """Let a mirror begin from a header."""
    mirror.link = read_entry(header.entry, NO_HASH).link
    mirror.log += header.entry


def follow(mirror: Mirror, linked: Linked, asked: bytes | None = None) -> None:
    """Let a mirror judge and follow an entry: the move that was asked for, or any that somebody else made."""
    written: bytes = read_entry(linked.entry, mirror.link).record[2]
    wanted = written if asked is None else asked
    move = None if wanted[0] in CHANCE_CODES else mirror.game.decode_move(wanted)
    mirror.moved(move, record_pb2.Record(sequence=linked.sequence, link=linked.link, entry=linked.entry))


def message_of(match: HostedMatch) -> match_pb2.Match:
    """Return a hosted match as a reply carried it."""
    message = match_pb2.Match.FromString(match.kept)
    if match.state is not None:
        message.state.CopyFrom(match.state)
    return message
