"""A report as a picture: each row's figure against its target on a logarithmic scale, as a plain SVG."""

from math import log10
from typing import Final
from xml.sax.saxutils import escape

from dominohall_loadtest.bench.report import Report
from dominohall_loadtest.bench.rows import ROWS, Better, Measured, Row, Verdict, verdict_of
from dominohall_loadtest.bench.tables import written

LEFT: Final = 470
WIDTH: Final = 1000
LINE: Final = 22
TOP: Final = 44
LOW, HIGH = 0.25, 8.0
COLOURS: Final = {Verdict.STRETCH: "#15803d", Verdict.MET: "#4d7c0f", Verdict.MISSED: "#b91c1c"}


def share(row: Row, value: float) -> float:
    """Return how far a value goes towards the target: 1 is the target, 2 twice as good.

    >>> row = Row("a", "b", "c", Better.LOWER, target=1.2)
    >>> share(row, 0.6), share(row, 2.4)
    (2.0, 0.5)
    """
    target = row.target or 1.0
    return value / target if row.better is Better.HIGHER else target / value


def across(part: float) -> float:
    """Return the place of a share on the scale, in pixels from the left."""
    part = min(max(part, LOW), HIGH)
    return LEFT + (WIDTH - LEFT - 90) * log10(part / LOW) / log10(HIGH / LOW)


def as_svg(report: Report) -> str:
    """Draw every row that has a target and a figure: a bar over its rounds, a dot at the median."""
    rows = [(row, report.finding(row.key, row.group)) for row in ROWS if row.target is not None]
    drawn = [(row, finding) for row, finding in rows if isinstance(finding, Measured)]
    height = TOP + LINE * len(drawn) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="16" fill="#475569">how far towards the target (1 = reached; right is better)</text>',
    ]
    for mark in (0.25, 0.5, 1, 2, 4, 8):
        x = across(mark)
        colour = "#0f172a" if mark == 1 else "#e2e8f0"
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 12}" stroke="{colour}"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle" fill="#475569">{mark:g}</text>')
    for number, (row, finding) in enumerate(drawn):
        y = TOP + LINE * number + 10
        colour = COLOURS.get(verdict_of(row, finding), "#475569")
        ends = sorted(across(share(row, value)) for value in finding.values)
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(row.what.replace("`", ""))}</text>')
        parts.append(
            f'<line x1="{ends[0]:.1f}" x2="{ends[-1]:.1f}" y1="{y}" y2="{y}"'
            f' stroke="{colour}" stroke-width="3" opacity="0.4"/>'
        )
        parts.append(f'<circle cx="{across(share(row, finding.figure)):.1f}" cy="{y}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{WIDTH - 80}" y="{y + 4}" fill="{colour}">{written(row, finding.figure)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
