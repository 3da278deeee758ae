"""A report as a table: for a terminal, and as Markdown for a file and for `docs/performance.md`."""

from collections.abc import Iterator
from typing import Final

from dominohall_loadtest.bench.report import LOAD_BEFORE, Report
from dominohall_loadtest.bench.rows import ROWS, Better, Finding, Measured, NotMeasured, Row, Verdict, verdict_of

BEGIN: Final = "<!-- bench: written by `python -m dominohall_loadtest.bench --docs`, from performance.json -->"
END: Final = "<!-- bench: end -->"
SIGNS: Final = {Better.HIGHER: "≥", Better.LOWER: "≤"}


def written(row: Row, value: float) -> str:
    """Write a figure with its unit: three digits are more than any of them is good for."""
    return f"{value:.3g}{'x' if row.unit == 'x' else ' ' + row.unit}"


def goal(row: Row, value: float | None) -> str:
    """Write a target or a stretch; nothing for a row without one."""
    return "" if value is None else f"{SIGNS[row.better]} {written(row, value)}"


def spread(row: Row, finding: Finding) -> str:
    """Write the lowest and the highest round."""
    if isinstance(finding, NotMeasured) or len(finding.values) == 1:
        return ""
    return f"{written(row, min(finding.values))} to {written(row, max(finding.values))}"


def cells(report: Report) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each row: what, target, stretch, measured, spread, verdict."""
    for row in ROWS:
        finding = report.finding(row.key, row.group)
        figure = written(row, finding.figure) if isinstance(finding, Measured) else ""
        said = verdict_of(row, finding)
        words = f"{said}: {finding.why}" if isinstance(finding, NotMeasured) else str(said)
        yield row.what, goal(row, row.target), goal(row, row.stretch), figure, spread(row, finding), words


def for_terminal(report: Report) -> str:
    """Return the table for a terminal."""
    table = [("", "target", "stretch", "measured", "spread", "verdict"), *cells(report)]
    table = [(row[0].replace("`", ""), *row[1:]) for row in table]
    widths = [max(len(row[at]) for row in table) for at in range(5)]
    lines = []
    for row in table:
        columns = [row[0].ljust(widths[0]), *(row[at].rjust(widths[at]) for at in range(1, 5)), row[5]]
        lines.append("  ".join(columns).rstrip())
    return "\n".join(lines) + f"\n\n{sentence(report)}\n"


def sentence(report: Report) -> str:
    """Count the verdicts of the rows that have a target."""
    aimed = [verdict_of(row, report.finding(row.key, row.group)) for row in ROWS if row.target is not None]
    counts = [f"{aimed.count(each)} {each}" for each in Verdict if each in aimed]
    return f"Of {len(aimed)} rows with a target: {', '.join(counts)}."


def as_markdown(report: Report) -> str:
    """Return the table with machine, versions and how each figure was got."""
    lines = ["| | target | stretch | measured | spread | verdict |", "|---|---|---|---|---|---|"]
    for row, each in zip(ROWS, cells(report), strict=True):
        finding = report.finding(row.key, row.group)
        missed = verdict_of(row, finding) is Verdict.MISSED
        lines.append("| " + " | ".join((*each[:5], f"**{each[5]}**" if missed else each[5])) + " |")
    machine = ", ".join(f"{name} {value}" for name, value in report.machine.items())
    versions = ", ".join(f"{name} {value}" for name, value in report.versions.items())
    taken = sorted({part.taken[:10] for part in report.parts.values()})
    quick = sorted(group for group, part in report.parts.items() if part.quick)
    lines += ["", sentence(report), "", f"Taken {' to '.join(dict.fromkeys((taken[0], taken[-1])))}, on: {machine}."]
    lines += [f"Versions: {versions}."]
    loads = [part.figures[LOAD_BEFORE] for part in report.parts.values() if LOAD_BEFORE in part.figures]
    lines += [f"Load average before the groups, the run's own among it: {min(loads)} to {max(loads)}."] if loads else []
    lines += [f"Short runs, good for little: {', '.join(quick)}."] if quick else []
    notes = [(row, report.finding(row.key, row.group)) for row in ROWS]
    how = [f"* {row.what}: {found.how}." for row, found in notes if isinstance(found, Measured) and found.how]
    return "\n".join([*lines, "", *how]) + "\n"


def with_block(page: str, report: Report) -> str:
    """Return a page with the marked block replaced by this report; `ValueError` if the page has none."""
    if BEGIN not in page or END not in page:
        raise ValueError("expected a page with a marked block, got one without")
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{as_markdown(report)}\n{END}{rest.partition(END)[2]}"
