"""The page of figures: what stands there is what the committed results say, and nothing was written by hand."""

from pathlib import Path

from dominohall_loadtest.bench.plot import as_svg
from dominohall_loadtest.bench.report import parse_report
from dominohall_loadtest.bench.tables import with_block

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_is_that_of_the_committed_run() -> None:
    """Table and picture are rendered from `performance.json`, byte for byte."""
    report = parse_report((DOCS / "performance.json").read_text())
    page = (DOCS / "performance.md").read_text()
    assert with_block(page, report) == page, "run `python -m dominohall_loadtest.bench --only '' --docs`"
    assert (DOCS / "pictures" / "performance.svg").read_text() == as_svg(report)


def test_a_committed_run_is_whole() -> None:
    """Figures of short runs are no figures: none is committed."""
    report = parse_report((DOCS / "performance.json").read_text())
    assert not [group for group, part in report.parts.items() if part.quick]
