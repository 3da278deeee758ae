"""Both readers, written apart from one page, say the same of every log: sound, damaged or forged.

The quick form runs with all tests. The long form, ten thousand matches and as many forgeries, is one command:
`pytest -m slow tests/second_reader`. A log follows from its seed, which a failure names.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from dominohall_replays import deals
from dominohall_replays.log import read_log
from dominohall_replays.packing import pack
from dominohall_replays.reading import LoggedHeader, LoggedMove, OpenedShake
from dominohall_replays.records import Head
from dominohall_replays.redact import opened_tiles
from dominohall_replays.verify import Report, Verdict, verify

FIXTURES = Path(__file__).parents[2] / "replays" / "fixtures" / "v1"
WITHOUT_FAULT = {Verdict.VALID, Verdict.UNFINISHED, Verdict.REDACTED, Verdict.UNSIGNED}
SecondReader = Callable[..., list[dict[str, Any]]]


def said_by_first(report: Report) -> tuple[Any, ...]:
    """Return what our reader says of a log; what it says of the deal counts where there is no fault."""
    head = None if report.head is None else (report.head.sequence, report.head.link.hex())
    said = (report.verdict.value, report.sequence, report.offset, report.moves, head)
    if report.verdict not in WITHOUT_FAULT:
        return said
    return *said, report.signature.value, report.deal.value, report.origin.value


def said_by_second(report: dict[str, Any]) -> tuple[Any, ...]:
    """Return what the second reader says of it."""
    head = report["head"] and (report["head"]["sequence"], report["head"]["link"])
    said = (report["verdict"], report["sequence"], report["offset"], report["moves"], head)
    if report["verdict"] not in WITHOUT_FAULT:
        return said
    return *said, report["signature"], report["deal"], report["origin"]


def agree_on_matches(seeds: Iterable[int], play: Callable[[int], Any], second: SecondReader) -> Counter[str]:
    """Hold both readers together over matches as they were recorded, down to the digest of the last state."""
    matches = {seed: play(seed) for seed in seeds}
    seconds = second([match.log for match in matches.values()])
    verdicts: Counter[str] = Counter()
    for (seed, match), report in zip(matches.items(), seconds, strict=True):
        first = verify(match.log)
        assert said_by_second(report) == said_by_first(first), f"match {seed}: {report['reason']} | {first.reason}"
        assert report["digest"] == match.digest, f"match {seed}"
        verdicts[first.verdict] += 1
    return verdicts


def agree_on_forgeries(
    seeds: Iterable[int],
    forge: Callable[[int], tuple[str, bytes]],
    second: SecondReader,
    keys: dict[bytes, bytes] | None,
) -> Counter[str]:
    """Hold both readers together over forgeries, with public keys or without."""
    forgeries = {seed: forge(seed) for seed in seeds}
    seconds = second([log for _, log in forgeries.values()], keys=keys)
    verdicts: Counter[str] = Counter()
    for (seed, (kind, log)), report in zip(forgeries.items(), seconds, strict=True):
        first = verify(log, public_keys=keys)
        assert said_by_second(report) == said_by_first(first), (
            f"forgery {seed}, {kind}: {report['reason']} | {first.reason}"
        )
        verdicts[first.verdict] += 1
    return verdicts


def test_fixtures(judged_by_second: SecondReader) -> None:
    """The readers agree on logs that were written once and stay."""
    logs = {path.name: path.read_bytes() for path in sorted(FIXTURES.glob("*.dominohall"))}
    assert logs
    for (name, log), report in zip(logs.items(), judged_by_second(list(logs.values())), strict=True):
        assert said_by_second(report) == said_by_first(verify(log)), name


def test_matches(judged_by_second: SecondReader, played_by_chance: Callable[[int], Any]) -> None:
    """The readers agree on some hundred matches of chance, of presets and of options of chance."""
    verdicts = agree_on_matches(range(150), played_by_chance, judged_by_second)
    assert set(verdicts) <= {Verdict.VALID, Verdict.UNFINISHED, Verdict.TRUNCATED}


def test_forgeries(judged_by_second: SecondReader, forged_by_chance: Any, public_keys: dict[bytes, bytes]) -> None:
    """The readers agree on some hundred forgeries, which come to nearly every verdict."""
    verdicts = agree_on_forgeries(range(300), forged_by_chance, judged_by_second, None)
    verdicts += agree_on_forgeries(range(300, 400), forged_by_chance, judged_by_second, public_keys)
    assert len(verdicts) >= 12, verdicts


def test_openings_of_any_places(judged_by_second: SecondReader, played_by_chance: Callable[[int], Any]) -> None:
    """The readers agree on single openings of no place, of one, of some and of all 28, beside shakes and imports."""
    chance, logs = random.Random(28), []
    for match in map(played_by_chance, range(24)):
        for each in (match.log, match.imported(chance).log):
            whole = [entry.opened for entry in entries_of(each) if isinstance(entry.opened, OpenedShake)]
            for size in (0, 1, chance.randrange(2, 28), 28):
                log = each
                for shake in whole:
                    places = tuple(sorted(chance.sample(range(28), size)))
                    log = log.replace(pack([16, *shake]), opened_tiles(deals.openings(*shake, places)))
                logs.append(log)
    verdicts: Counter[str] = Counter()
    for log, report in zip(logs, judged_by_second(logs), strict=True):
        first = verify(log)
        assert said_by_second(report) == said_by_first(first), f"{report['reason']} | {first.reason}"
        verdicts[first.verdict] += 1
    assert verdicts[Verdict.REDACTED] > 60


def entries_of(log: bytes) -> list[LoggedHeader | LoggedMove]:
    """Return the entries of a log."""
    found = read_log(log)
    return [found.first, *found]


def test_kept_heads(judged_by_second: SecondReader, played_by_chance: Callable[[int], Any]) -> None:
    """The readers agree on a log that is held against a head: its own, another's, one beyond its end."""
    match = next(match for match in map(played_by_chance, range(99)) if len(match.entries) > 9)
    log, cut = match.log, b"".join(entry.data for entry in match.entries[:6])
    entry = match.entries[6]
    for head in (Head(match.header.match_id, 6, entry.link), Head(match.header.match_id, 6, bytes(32))):
        for each in (log, cut):
            first = verify(each, expected_head=head)
            (second,) = judged_by_second([each], head=head)
            assert said_by_second(second) == said_by_first(first)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 11_000, 500))
def test_ten_thousand_matches(first: int, judged_by_second: SecondReader, played_by_chance: Any) -> None:
    """The readers agree on ten thousand matches."""
    verdicts = agree_on_matches(range(first, first + 500), played_by_chance, judged_by_second)
    assert verdicts.total() == 500


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 13_000, 500))
def test_ten_thousand_forgeries(
    first: int, judged_by_second: SecondReader, forged_by_chance: Any, public_keys: dict[bytes, bytes]
) -> None:
    """The readers agree on ten thousand forgeries, and on two thousand more with public keys."""
    keys = public_keys if first >= 11_000 else None
    verdicts = agree_on_forgeries(range(first, first + 500), forged_by_chance, judged_by_second, keys)
    assert len(verdicts) >= 12, verdicts
