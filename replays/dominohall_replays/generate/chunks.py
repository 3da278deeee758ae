"""A part of an archive: some matches played and written, and the faults that fall into it."""

from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from dominohall_replays.archive_format import FOOTER as SEGMENT_FOOTER
from dominohall_replays.archive_format import MAGIC_2, Segment, pack, pack_compact, path_of, read_footer
from dominohall_replays.bulk.objects import Objects, objects_at
from dominohall_replays.export import log_path
from dominohall_replays.generate.faults import LOG_FAULTS, flipped, planted
from dominohall_replays.generate.matches import OWNER, Made, match_from, preset_of
from dominohall_replays.verdicts import Verdict

ROUNDS_A_CHUNK: Final = 4096
MATCHES_A_CHUNK: Final = 512


class Form(StrEnum):
    """What is written."""

    LOG = "log"
    """A file a match."""
    COMPACT = "compact"
    """Archive segments of compact logs; logs that do not hold have no compact form, and segments of their own."""


SEGMENT_FAULTS: Final = ("segment_flipped", "head_differs", "row_unreadable")
"""What can be wrong with a segment of compact logs: a bit of it, the head of a log, a byte behind its choices."""
FAULTS: Final = {Form.LOG: tuple(LOG_FAULTS), Form.COMPACT: (*LOG_FAULTS, *SEGMENT_FAULTS)}
"""The kinds of faults that are planted, one after another."""


class Chunk(NamedTuple):
    """What one process is to make. Of `matches` and `rounds` one is given: the other is whatever comes of it."""

    target: str
    seed: int
    number: int
    presets: tuple[str, ...]
    form: Form
    matches: int | None
    rounds: int | None
    faults: tuple[int, ...]
    """The numbers of the faults that are planted here, each in a match of its own."""


class Planted(NamedTuple):
    """A fault, as the manifest has it."""

    number: int
    kind: str
    verdict: str | None
    """What `verify` must say, None where the log can't be got at any more."""
    owner: str
    match_id: str
    sequence: int | None
    """The entry at which it must be found, None if none can be named."""
    place: str
    """The file or segment that it lies in, by its path below the target."""


class Written(NamedTuple):
    """What became of a chunk."""

    matches: int
    rounds: int
    moves: int
    log_bytes: int
    """Bytes of the logs as they are."""
    written_bytes: int
    planted: tuple[Planted, ...]


class _Faulty(NamedTuple):
    kind: str
    number: int
    made: Made
    chance: Random

    def planted(self, verdict: Verdict | None, sequence: int | None, place: str) -> Planted:
        said = None if verdict is None else str(verdict)
        return Planted(self.number, self.kind, said, OWNER, self.made.row.match_id, sequence, place)


def write_chunk(chunk: Chunk) -> Written:
    """Play the matches of a chunk and write them; `StoreUnavailable` if the target does not take them."""
    objects = _Counted(objects_at(chunk.target))
    made = _matches(chunk)
    faulty = [_faulty(chunk, number) for number in chunk.faults]
    if chunk.form is Form.LOG:
        for each in made:
            objects.create(_file(each), each.log)
        found = [_plant_file(each, objects) for each in faulty]
    else:
        if made:
            _segment(pack_compact([each.row for each in made]), objects)
        found = [_plant_compact(each, objects) for each in faulty]
    everything = [*made, *(each.made for each in faulty)]
    return Written(
        len(everything),
        sum(each.rounds for each in everything),
        sum(each.row.sequence for each in everything),
        sum(len(each.log) for each in everything),
        objects.written,
        tuple(found),
    )


def _matches(chunk: Chunk) -> list[Made]:
    made: list[Made] = []
    rounds = 0
    while len(made) < chunk.matches if chunk.matches is not None else rounds < (chunk.rounds or 0):
        preset = preset_of(chunk.presets, chunk.number + len(made))
        made.append(match_from(chunk.seed, f"{chunk.number}/{len(made)}", preset))
        rounds += made[-1].rounds
    return made


def _faulty(chunk: Chunk, number: int) -> _Faulty:
    kinds = FAULTS[chunk.form]
    made = match_from(chunk.seed, f"fault/{number}", preset_of(chunk.presets, number // len(kinds)))
    chance = Random(f"{chunk.seed}/fault/{number}/place")  # noqa: S311 - the same place each time
    return _Faulty(kinds[number % len(kinds)], number, made, chance)


def _plant_file(each: _Faulty, objects: "_Counted") -> Planted:
    forged = planted(each.kind, each.made, each.chance)
    name = _file(each.made)
    objects.create(name, forged.log)
    return each.planted(forged.verdict, forged.sequence, name)


def _plant_compact(each: _Faulty, objects: "_Counted") -> Planted:
    """Write a segment of one log with a fault in it."""
    row, head = each.made.row, each.made.back.head
    if each.kind in LOG_FAULTS:
        forged = planted(each.kind, each.made, each.chance)
        segment = pack([(OWNER, head, forged.log)])
        return each.planted(forged.verdict, forged.sequence, _segment(segment, objects))
    if each.kind == "head_differs":
        segment = pack_compact([row._replace(link=flipped(row.link, 0))])
        return each.planted(Verdict.HEAD_DIFFERS, row.sequence, _segment(segment, objects))
    if each.kind == "row_unreadable":
        segment = pack_compact([row._replace(body=row.body + b"\1")])
        return each.planted(Verdict.UNREADABLE, None, _segment(segment, objects))
    segment = pack_compact([row])
    end, _, _ = read_footer(segment.data[-SEGMENT_FOOTER.size :], len(segment.data))
    place = each.chance.randrange(len(MAGIC_2), end)
    segment = segment._replace(data=flipped(segment.data, place, each.chance.randrange(8)))
    return each.planted(None, None, _segment(segment, objects))


def _file(made: Made) -> str:
    return log_path(Path(), OWNER, made.row.match_id).as_posix()


def _segment(segment: Segment, objects: "_Counted") -> str:
    path = path_of(segment.name)
    objects.create(path, segment.data)
    return path


class _Counted:
    """Objects, and how many bytes were written into them."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.written = 0

    def create(self, name: str, data: bytes) -> None:
        """Write an object."""
        self._objects.create(name, data)
        self.written += len(data)
