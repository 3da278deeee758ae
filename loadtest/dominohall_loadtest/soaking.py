"""What a soak found: whether memory is flat, and whether every match that was played verifies afterwards."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

from dominohall_loadtest.growth import Slope, slope_of
from dominohall_loadtest.usage import Usage

MOST_MORE: Final = 4
"""Threads and open files that the second half may add."""
MIB: Final = 1024


@dataclass(frozen=True)
class Reading:
    """What the service used at a moment of the run, and how many calls it had answered."""

    seconds: float
    calls: int
    usage: Usage


@dataclass(frozen=True)
class Verified:
    """What `replay verify` said of every match in the store."""

    listed: int
    valid: int
    unfinished: int
    wrong: tuple[str, ...]
    """Match id and verdict of each that is neither."""
    seconds: float


@dataclass(frozen=True)
class Soak:
    """One soak, at its end."""

    run: dict[str, Any]
    """The figures of the load test."""
    code: int
    """Its exit code."""
    readings: Sequence[Reading]
    verified: Verified
    store_bytes: int
    most_bytes: float
    """Growth of private memory a call that still counts as flat."""

    @property
    def second_half(self) -> Sequence[Reading]:
        """The readings from the middle of the run on: caches are full by then."""
        end = self.readings[-1].seconds
        return [each for each in self.readings if each.seconds >= end / 2]

    @cached_property
    def an_hour(self) -> Slope:
        """Growth of private memory in KiB an hour."""
        return self._slope([each.seconds / 3600 for each in self.second_half])

    @cached_property
    def a_call(self) -> Slope:
        """Growth of private memory in bytes a call."""
        return self._slope([float(each.calls) for each in self.second_half]).times(1024)

    def _slope(self, xs: Sequence[float]) -> Slope:
        return slope_of(xs, [float(each.usage.private_kib) for each in self.second_half])

    @property
    def is_flat(self) -> bool:
        """Whether memory grows by no more than is allowed."""
        return self.a_call.slope <= self.most_bytes

    @property
    def is_level(self) -> bool:
        """Whether threads and open files stay as many."""
        late = self.second_half
        quarter = max(1, len(late) // 4)
        before, after = late[:quarter], late[-quarter:]
        threads = max(each.usage.threads for each in after) - max(each.usage.threads for each in before)
        files = max(each.usage.files for each in after) - max(each.usage.files for each in before)
        return max(threads, files) <= MOST_MORE

    @property
    def all_verified(self) -> bool:
        """Whether the matches that the hosts finished are valid in the store, all of them, and no other is wrong."""
        matches, found = self.run["matches"], self.verified
        cut = matches["cut_off"]
        return (
            not found.wrong
            and matches["finished"] <= found.valid <= matches["finished"] + cut
            and found.listed == found.valid + found.unfinished
            and matches["begun"] - cut <= found.listed <= matches["begun"]
        )

    @property
    def held(self) -> bool:
        """Whether everything was as it must be."""
        return self.code == 0 and self.is_flat and self.is_level and self.all_verified

    def __str__(self) -> str:
        first, middle, last = self.readings[0], self.second_half[0], self.readings[-1]
        use = [each.usage for each in (first, middle, last)]
        cpu = last.usage.cpu_seconds - first.usage.cpu_seconds
        calls, seconds = last.calls - first.calls, last.seconds - first.seconds
        peak = max(each.usage.private_kib for each in self.readings)
        found, finished = self.verified, self.run["matches"]["finished"]
        rows = [
            (
                "soak",
                f"{seconds / 60:.1f} min, {self.run['users']} hosts, {calls:,} calls, {self.run['moves']:,} moves",
            ),
            ("private memory", f"{self._mib(use)} MiB at the start, half way and the end; most {peak / MIB:.1f}"),
            ("memory with files", " ".join(f"{each.rss_kib / MIB:.1f}" for each in use) + " MiB"),
            ("growth, second half", f"{_said(self.an_hour)} KiB an hour"),
            ("", f"{_said(self.a_call)} bytes a call; up to {self.most_bytes:g} is flat: {self._flat()}"),
            ("threads", " ".join(str(each.threads) for each in use)),
            ("open files", " ".join(str(each.files) for each in use) + ("" if self.is_level else "   MORE AND MORE")),
            ("processor", f"{cpu / seconds:.0%} of a core, {1e6 * cpu / max(calls, 1):.0f} us a call"),
            ("store", f"{self.store_bytes / 2**20:.0f} MiB, {found.listed} matches"),
            ("verified afterwards", f"{found.valid} valid of {finished} finished, {found.unfinished} unfinished"),
            ("wrong", str(len(found.wrong))),
        ]
        lines = [f"{name:<22}{value}" for name, value in rows]
        lines += [f"  {each}" for each in found.wrong[:20]]
        lines += [] if self.all_verified else ["NOT ALL VERIFIED"]
        lines += [] if self.code == 0 else [f"the load test itself ended with {self.code}"]
        return "\n".join([*lines, "the soak held" if self.held else "THE SOAK DID NOT HOLD"])

    @staticmethod
    def _mib(use: Sequence[Usage]) -> str:
        return " ".join(f"{each.private_kib / MIB:.1f}" for each in use)

    def _flat(self) -> str:
        if not self.is_flat:
            return "NOT FLAT"
        return "flat" if self.a_call.high <= self.most_bytes else "flat, though so short a run can't be sure"

    def to_json(self) -> dict[str, Any]:
        """Return the soak as plain values."""
        return {
            "held": self.held,
            "flat": self.is_flat,
            "level": self.is_level,
            "all_verified": self.all_verified,
            "kib_an_hour": asdict(self.an_hour),
            "bytes_a_call": asdict(self.a_call),
            "most_bytes_a_call": self.most_bytes,
            "store_bytes": self.store_bytes,
            "verified": asdict(self.verified),
            "readings": [
                {"seconds": each.seconds, "calls": each.calls} | each.usage._asdict() for each in self.readings
            ],
            "run": self.run,
        }


def _said(slope: Slope) -> str:
    return f"{slope.slope:+,.2f} (95 %: {slope.low:+,.2f} to {slope.high:+,.2f})"
