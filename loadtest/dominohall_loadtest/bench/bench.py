"""What every group of measurements is given: tools, places, and how much time it may take."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Final

from dominohall_loadtest.bench.programs import PROGRAMS
from dominohall_loadtest.bench.report import Part

CHECKOUT: Final = Path(__file__).parents[3]
ROOMS: Final = ("engine", "replays", "service", "proto", "loadtest")


@dataclass(frozen=True)
class Bench:
    """One run. `quick` takes the shortest laps that go through everything: its figures are good for little."""

    scratch: Path
    """A folder that is thrown away."""
    quick: bool = False
    peers: Path = CHECKOUT / ".venv/peers"
    """The environment of the peers: a virtual environment, and `node_modules` beside it."""
    compiled: Path = CHECKOUT / ".venv/compiled"
    """Where the compiled wheel is unpacked."""
    patience: float = 300.0
    """After so many seconds a group begins no further round."""
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)  # noqa: T201

    @property
    def rounds(self) -> int:
        """How often everything takes its turn."""
        return 2 if self.quick else 5

    def turns(self) -> Iterator[int]:
        """Yield the numbers of the rounds; on a busy machine fewer than there should be, but two at least."""
        begun = monotonic()
        for number in range(self.rounds):
            if number >= 2 and monotonic() - begun > self.patience:
                self.say(f"    {number} rounds, not {self.rounds}: the machine is busy")
                return
            yield number

    def seconds(self, full: float) -> float:
        """Return how long a lap takes that takes so many seconds in a full run."""
        return full / 10 if self.quick else full

    @property
    def peers_python(self) -> str:
        """Return the Python that has the peers; `RuntimeError` without them."""
        python = self.peers / "bin/python"
        if not python.exists():
            raise RuntimeError("the peers are not installed: `make bench` installs them")
        return str(python)

    @property
    def any_python(self) -> str:
        """Return the Python that has the peers, so that all are driven by the same one; this one without them."""
        python = self.peers / "bin/python"
        return str(python) if python.exists() else sys.executable

    @property
    def compiled_path(self) -> str:
        """Return the folder of the compiled packages; `RuntimeError` without them."""
        if not any(self.compiled.glob("dominohall_engine/**/*.so")):
            raise RuntimeError("the compiled build is not there: `make bench` makes it, and needs a C compiler")
        return str(self.compiled)

    def tool(self, name: str, package: str) -> str:
        """Return the path of a program; `RuntimeError` names Debian's package where it is missing."""
        found = shutil.which(name)
        if found is None:
            raise RuntimeError(f"{name} is missing (Debian: apt-get install {package})")
        return found

    @cached_property
    def load(self) -> str:
        """Compile the client of `load.c`."""
        return self._compile("load")

    @cached_property
    def spin(self) -> str:
        """Compile the loop of `spin.c`."""
        return self._compile("spin")

    def _compile(self, name: str) -> str:
        compiler = self.tool("gcc", "gcc libc6-dev")
        program = self.scratch / name
        command = [compiler, "-O2", "-o", str(program), str(PROGRAMS / f"{name}.c"), "-lm"]
        subprocess.run(command, check=True)  # noqa: S603 - our own source
        return str(program)


def path_of(*folders: str) -> Mapping[str, str]:
    """Return the environment in which Python finds these folders first, in this order."""
    return {"PYTHONPATH": ":".join(folders)}


def rooms() -> tuple[str, ...]:
    """Return the source roots of this checkout."""
    return tuple(str(CHECKOUT / room) for room in ROOMS)


Group = Callable[[Bench], Part]
"""Measures the rows of one group. What it raises (`RuntimeError`, `OSError`) is why none of them was measured."""
