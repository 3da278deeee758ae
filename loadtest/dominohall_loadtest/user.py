"""The Locust user: a host that plays one match after another, each on the one channel that it keeps."""

import random
import time
import uuid
from typing import Any, ClassVar, Final

import gevent
from locust import User, constant, task
from locust.exception import StopUser
from locust.runners import WorkerRunner

from dominohall_loadtest.beginnings import played_elsewhere
from dominohall_loadtest.calls import Broken, Calls
from dominohall_loadtest.hosting import HostedMatch
from dominohall_loadtest.kinds import KINDS
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.mix import Chances, Mix
from dominohall_loadtest.replaying import Listing
from dominohall_loadtest.tally import TALLY

BROKEN_PAUSE_SECONDS: Final = 0.5


class Host(User):
    """A host. A subclass with other `chances` or another `mirror` is another host."""

    wait_time = constant(0)
    chances: ClassVar[Chances] = Chances(Mix())
    mirror: ClassVar[type[Mirror]] = Mirror

    def __init__(self, environment: Any) -> None:  # noqa: ANN401 - Locust's own type is a loop of imports
        super().__init__(environment)
        self.dice = random.Random()  # noqa: S311 - it chooses calls, not tiles
        self.calls = Calls(environment.host, environment.events)
        self.listing = Listing()

    def on_stop(self) -> None:
        """Close the channel."""
        self.calls.close()

    @task
    def host_match(self) -> None:
        """Play one match of the next kind, whatever comes of it."""
        options = self.environment.parsed_options
        alone = not isinstance(self.environment.runner, WorkerRunner)
        if alone and 0 < options.matches <= TALLY.begun:  # of many processes, the master ends the run
            raise StopUser
        kind = KINDS[TALLY.begun % len(KINDS)]
        TALLY.begun += 1
        imported = None
        if TALLY.imports_taken and self.chances.due("import_match", self.dice):
            imported = played_elsewhere(kind, self.dice)
        mirror = self.mirror(kind, match_id(), imported)
        pause = options.pause_ms / 1000
        match = HostedMatch(self.calls, mirror, self.dice, self.chances, self.listing, pause_seconds=pause)
        TALLY.playing.append(mirror)
        try:
            if not match.play():
                TALLY.begun -= 1
                TALLY.imports_taken = False
                return
        except Broken:
            TALLY.broken[kind.name] += 1
            gevent.sleep(BROKEN_PAUSE_SECONDS)  # a service that is down is not to be hammered
        else:
            TALLY.finished[kind.name] += 1
        finally:
            TALLY.playing.remove(mirror)
            TALLY.moves_before += mirror.sequence


def match_id() -> str:
    """Make an id that sorts by the time of its match, as the store likes them best."""
    return f"load-{time.time_ns():016x}-{uuid.uuid4().hex[:12]}"
