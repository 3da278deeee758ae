"""The Locust user: a host that plays one match after another, each on the one channel that it keeps."""

import random
import uuid
from typing import Any, ClassVar, Final

import gevent
from locust import User, constant, task
from locust.exception import StopUser

from dominohall_loadtest.calls import Broken, Calls
from dominohall_loadtest.hosting import HostedMatch, Mix
from dominohall_loadtest.kinds import KINDS
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.tally import TALLY

BROKEN_PAUSE_SECONDS: Final = 0.5


class Host(User):
    """A host. A subclass with another `mix` or `mirror` is another host."""

    wait_time = constant(0)
    mix: ClassVar[Mix] = Mix()
    mirror: ClassVar[type[Mirror]] = Mirror

    def __init__(self, environment: Any) -> None:  # noqa: ANN401 - Locust's own type is a loop of imports
        super().__init__(environment)
        self.dice = random.Random()  # noqa: S311 - it chooses calls, not tiles
        self.calls = Calls(environment.host, environment.events)

    def on_stop(self) -> None:
        """Close the channel."""
        self.calls.close()

    @task
    def host_match(self) -> None:
        """Play one match of the next kind, whatever comes of it."""
        options = self.environment.parsed_options
        if 0 < options.matches <= TALLY.begun:
            raise StopUser
        kind = KINDS[TALLY.begun % len(KINDS)]
        TALLY.begun += 1
        mirror = self.mirror(kind, f"load-{uuid.uuid4()}")
        match = HostedMatch(self.calls, mirror, self.dice, self.mix, options.pause_ms / 1000)
        try:
            match.play()
        except Broken:
            TALLY.broken[kind.name] += 1
            gevent.sleep(BROKEN_PAUSE_SECONDS)  # a service that is down is not to be hammered
        else:
            TALLY.finished[kind.name] += 1
        finally:
            TALLY.moves += mirror.sequence
