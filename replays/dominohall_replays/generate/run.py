"""A whole archive: its chunks, written one after another or by several processes, and the manifest."""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from typing import Final

from dominohall_engine.games import PRESETS

from dominohall_replays.bulk.objects import objects_at
from dominohall_replays.errors import ReplayError
from dominohall_replays.generate.chunks import (
    MATCHES_A_CHUNK,
    ROUNDS_A_CHUNK,
    Chunk,
    Form,
    Planted,
    Written,
    write_chunk,
)
from dominohall_replays.generate.matches import check_presets

MANIFEST: Final = "manifest.json"
FORMAT: Final = "dominohall-generated/1"
CHUNKS_A_WORKER: Final = 2


class AlreadyGenerated(ReplayError):
    """Something was generated at this place before."""


@dataclass(frozen=True)
class Wanted:
    """What is to be made. `matches` or `rounds` is given, at least 1; the last match goes over the rounds."""

    seed: int = 0
    matches: int | None = None
    rounds: int | None = None
    presets: tuple[str, ...] = PRESETS
    """One match each in turn."""
    form: Form = Form.LOG
    faults: int = 0
    """How many matches with a fault there are beside those."""

    def __post_init__(self) -> None:
        """Refuse what can't be made: `ValueError`."""
        asked = [each for each in (self.matches, self.rounds) if each is not None]
        if len(asked) != 1:
            raise ValueError("expected either matches or rounds")
        if asked[0] < 1 or self.faults < 0 or self.seed < 0 or not self.presets:
            raise ValueError("expected a seed and faults from 0 on, matches and rounds from 1 on, one preset or more")
        check_presets(self.presets)


@dataclass
class Generated:
    """What was made."""

    matches: int = 0
    """Matches, those with a fault among them."""
    rounds: int = 0
    moves: int = 0
    log_bytes: int = 0
    """Bytes of the logs as they are, before a fault was planted."""
    written_bytes: int = 0
    """Bytes of the files or segments."""
    planted: list[Planted] = field(default_factory=list)

    def add(self, written: Written) -> None:
        """Add what became of a chunk."""
        self.matches += written.matches
        self.rounds += written.rounds
        self.moves += written.moves
        self.log_bytes += written.log_bytes
        self.written_bytes += written.written_bytes
        self.planted += written.planted

    def to_plain(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "matches": self.matches,
            "rounds": self.rounds,
            "moves": self.moves,
            "log_bytes": self.log_bytes,
            "written_bytes": self.written_bytes,
            "faults": [each._asdict() for each in self.planted],
        }


def generate(
    target: str,
    wanted: Wanted,
    *,
    workers: int = 1,
    on_progress: Callable[[Generated], None] = lambda _generated: None,
) -> Generated:
    """Make an archive in a folder or at an address that obstore knows (`s3://BUCKET/PREFIX`).

    `AlreadyGenerated` if there is a manifest already; `StoreUnavailable` or `UnusableLocation` if the target can't be
    written to. Logs of form `log` are files, of form `compact` archive segments.
    """
    objects = objects_at(target)
    if _stands(target):
        raise AlreadyGenerated(f"expected a place without a {MANIFEST}, found one")
    made = Generated()
    for written in _written(list(_chunks(target, wanted)), workers):
        made.add(written)
        on_progress(made)
    made.planted.sort(key=lambda each: each.number)
    objects.create(MANIFEST, json.dumps(manifest_of(wanted, made), indent=1).encode() + b"\n")
    return made


def manifest_of(wanted: Wanted, made: Generated) -> dict[str, object]:
    """Return what the manifest says."""
    return {
        "format": FORMAT,
        "seed": wanted.seed,
        "presets": list(wanted.presets),
        "form": str(wanted.form),
        **made.to_plain(),
    }


def _stands(target: str) -> bool:
    from dominohall_replays.bulk.objects import UnreadObject  # noqa: PLC0415 - as `objects_at`

    try:
        objects_at(target).read(MANIFEST)
    except UnreadObject:
        return False
    return True


def _chunks(target: str, wanted: Wanted) -> Iterator[Chunk]:
    """Cut the work into chunks; faults fall into them in turn."""
    total, size = (wanted.matches, MATCHES_A_CHUNK) if wanted.matches else (wanted.rounds or 0, ROUNDS_A_CHUNK)
    count = -(-total // size)
    for number in range(count):
        part = min(size, total - number * size)
        yield Chunk(
            target,
            wanted.seed,
            number,
            wanted.presets,
            wanted.form,
            part if wanted.matches else None,
            None if wanted.matches else part,
            tuple(range(number, wanted.faults, count)),
        )


def _written(chunks: list[Chunk], workers: int) -> Iterable[Written]:
    """Write chunks here or in so many processes; the order of the results is that of the chunks."""
    if workers == 1 or len(chunks) == 1:
        yield from map(write_chunk, chunks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = iter(chunks)
        running = [pool.submit(write_chunk, each) for each in islice(waiting, workers * CHUNKS_A_WORKER)]
        try:
            while running:
                yield running.pop(0).result()
                running += [pool.submit(write_chunk, each) for each in islice(waiting, 1)]
        finally:
            pool.shutdown(cancel_futures=True)
