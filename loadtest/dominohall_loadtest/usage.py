"""What a process uses, read from /proc: processor time, memory, threads, open files. Linux only."""

import os
from pathlib import Path
from typing import Final, NamedTuple

TICKS: Final = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """One reading."""

    cpu_seconds: float
    """User and system time since the process began."""
    rss_kib: int
    """Memory in RAM, mapped files included."""
    private_kib: int
    """Memory in RAM that is nobody's file (RssAnon): the heap. What leaks is in here."""
    threads: int
    files: int
    """Open file descriptors."""


def usage_of(pid: int) -> Usage | None:
    """Read what a process uses now; None if it is gone, or not ours to look at, or /proc is not there."""
    place = Path(f"/proc/{pid}")
    try:
        lines = (place / "status").read_text().splitlines()
        times = (place / "stat").read_text().rpartition(")")[2].split()[11:13]
        files = sum(1 for _ in (place / "fd").iterdir())
    except OSError:
        return None
    status = {name: value.split()[0] for name, _, value in (line.partition(":") for line in lines) if value.split()}
    if "VmRSS" not in status:
        return None  # it has ended, and nobody has waited for it yet
    cpu = sum(int(each) for each in times) / TICKS
    return Usage(cpu, int(status["VmRSS"]), int(status["RssAnon"]), int(status["Threads"]), files)
