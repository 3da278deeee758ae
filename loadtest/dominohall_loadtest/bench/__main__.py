"""The command: `python -m dominohall_loadtest.bench [--only GROUP,...] [--quick] [--out FOLDER] [--keep] [--docs]`.

It prints the table and leaves `bench.json`, `bench.md` and `bench.svg` in a folder. `--only ''` measures nothing:
the table is that of the committed run, or with `--keep` of the folder's. Exit code 0 whatever the verdicts, because a
benchmark informs and tests decide; 2 for arguments that can't be used.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from dominohall_loadtest.bench import engine, instructions, latency, native, processes, replays, server, sizes, starting
from dominohall_loadtest.bench.bench import CHECKOUT, Bench, Group
from dominohall_loadtest.bench.plot import as_svg
from dominohall_loadtest.bench.report import LOAD_BEFORE, Part, Report, installed_versions, parse_report, this_machine
from dominohall_loadtest.bench.rows import GROUPS, ROWS, NotMeasured
from dominohall_loadtest.bench.tables import as_markdown, for_terminal, with_block

MEASURES: Final[Mapping[str, Group]] = {
    "server": server.measure,
    "instructions": instructions.measure,
    "native": native.measure,
    "latency": latency.measure,
    "processes": processes.measure,
    "engine": engine.measure,
    "replays": replays.measure,
    "bytes": sizes.measure,
    "starting": starting.measure,
}
PAGE: Final = CHECKOUT / "docs/performance.md"
COMMITTED: Final = CHECKOUT / "docs/performance.json"
PICTURE: Final = CHECKOUT / "docs/pictures/performance.svg"


def main(arguments: list[str]) -> int:
    """Measure what was asked for, print the table, and write the files."""
    parser = ArgumentParser(prog="python -m dominohall_loadtest.bench", description=__doc__)
    parser.add_argument("--only", default=",".join(GROUPS), help=f"groups to measure: {','.join(GROUPS)}; '' for none")
    parser.add_argument("--quick", action="store_true", help="the shortest laps: to see that everything works")
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="where the files go (bench-results)")
    parser.add_argument("--patience", type=float, default=300, help="seconds after which a group begins no round (300)")
    parser.add_argument("--keep", action="store_true", help="rows of other groups stay as they are in that folder")
    parser.add_argument("--docs", action="store_true", help="put the table of that folder into docs/performance.md")
    parser.add_argument("--peers", type=Path, default=CHECKOUT / ".venv/peers", help="the peers' environment")
    parser.add_argument("--compiled", type=Path, default=CHECKOUT / ".venv/compiled", help="the compiled packages")
    asked = parser.parse_args(arguments)
    groups = [each for each in asked.only.split(",") if each]
    unknown = [each for each in groups if each not in GROUPS]
    if unknown:
        parser.error(f"expected groups of {','.join(GROUPS)}, got {unknown[0]}")
    if groups:
        report = run(asked, groups)
        asked.out.mkdir(parents=True, exist_ok=True)
        (asked.out / "bench.json").write_text(report.to_json())
        (asked.out / "bench.md").write_text(as_markdown(report))
        (asked.out / "bench.svg").write_text(as_svg(report))
    else:
        report = parse_report((asked.out / "bench.json" if asked.keep else COMMITTED).read_text())
    sys.stdout.write(for_terminal(report))
    if asked.docs:
        COMMITTED.write_text(report.to_json())
        PICTURE.write_text(as_svg(report))
        PAGE.write_text(with_block(PAGE.read_text(), report))
    return 0


def run(asked: Namespace, groups: Sequence[str]) -> Report:
    """Measure these groups one after another."""
    with TemporaryDirectory(prefix="dominohall-bench-") as scratch:
        bench = Bench(Path(scratch), asked.quick, asked.peers, asked.compiled, asked.patience)
        parts = {group: measured(bench, group) for group in groups}
    before = asked.out / "bench.json"
    if asked.keep and before.exists():
        parts = {**parse_report(before.read_text()).parts, **parts}
    return Report(this_machine(), installed_versions() | peers_versions(asked.peers), parts)


def measured(bench: Bench, group: str) -> Part:
    """Measure one group; what goes wrong is why its rows have no figure, and the run goes on."""
    bench.say(f"--- {group}")
    load = round(os.getloadavg()[0], 1)
    try:
        part = MEASURES[group](bench)
    except (RuntimeError, OSError, ValueError, ImportError, subprocess.SubprocessError) as error:
        why = NotMeasured(str(error)[:300] or type(error).__name__)
        bench.say(f"    {why.why}")
        part = Part({row.key: why for row in ROWS if row.group == group}, quick=bench.quick)
    return replace(part, figures={**part.figures, LOAD_BEFORE: load})


def peers_versions(peers: Path) -> dict[str, str]:
    """Return the versions of the peers that are installed."""
    python = peers / "bin/python"
    if not python.exists():
        return {}
    listing = [f"{name}=={{version('{name}')}}" for name in ("open-spiel", "dominoes")]
    program = f'from importlib.metadata import version; print(f"{" ".join(listing)}")'
    found = subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=False)  # noqa: S603
    return dict(each.split("==", 1) for each in found.stdout.split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
