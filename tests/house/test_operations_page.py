"""The page for operators names only what exists: settings, metrics, reasons, log lines, commands."""

import re
from pathlib import Path

import typer
from dominohall_engine.violations import Reason
from dominohall_service import metrics
from dominohall_service.command.app import app
from dominohall_service.faults import Fault
from dominohall_service.settings import Settings, table
from prometheus_client import REGISTRY, generate_latest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text()
RUNBOOK = PAGE.partition("## Runbook\n")[2].partition("\n## ")[0]
SUFFIX = re.compile(r"_(bucket|sum|count)$")


def metric_names() -> set[str]:
    """Return the names of the service's metrics, as a scrape tells them."""
    assert metrics.METERS is not None  # the module registers what is asked for here
    told = re.findall(r"^# TYPE (dominohall_\w+) ", generate_latest(REGISTRY).decode(), re.MULTILINE)
    return {name for name in told if not name.endswith("_created")}


def test_the_table_of_settings_is_the_code_s() -> None:
    """Every setting stands on the page with its flag, variable, default and meaning: the table that the code writes."""
    assert table() in PAGE


def test_the_table_of_metrics_is_complete() -> None:
    """The page lists exactly the metrics that a scrape finds."""
    assert set(re.findall(r"^\| `(dominohall_\w+)` \| (?:\||`)", PAGE, re.MULTILINE)) == metric_names()


def test_every_metric_that_is_named_exists() -> None:
    """No metric is named, here or in a query, that the service does not have."""
    named = {SUFFIX.sub("", name) for name in re.findall(r"\bdominohall_[a-z_]+\b", PAGE)}
    assert named <= metric_names()


def test_every_reason_that_is_named_exists() -> None:
    """Each word in capitals is a reason or a status, and each label value too."""
    statuses = {"UNAVAILABLE", "UNKNOWN", "UNAUTHENTICATED", "PERMISSION_DENIED", "OK"}
    named = set(re.findall(r'(?:`|=")([A-Z]{2}[A-Z_]*)(?:`|")', PAGE.partition("## Settings")[0]))
    assert len(named) > 15
    assert named <= {*Fault, *Reason, *statuses, "OLD_ID", "LOCATION"}


def test_the_runbook_has_ten_entries_each_with_its_three_parts() -> None:
    """Each of the ten says how it looks, what to do, and how to know that it is over."""
    entries = re.split(r"^### ", RUNBOOK, flags=re.MULTILINE)[1:]
    assert [entry.partition(".")[0] for entry in entries] == [str(number) for number in range(1, 11)]
    for entry in entries:
        assert re.findall(r"^\*\*(.*?)\*\*:", entry, re.MULTILINE) == ["Looks like", "Do", "Over when"], entry


def test_every_log_line_that_is_named_is_written() -> None:
    """An event quoted behind `line` or `lines` stands in the service's code as it is on the page."""
    code = "".join(path.read_text() for path in (ROOT / "service").rglob("*.py"))
    flat = re.sub(r"\s+", " ", RUNBOOK)
    found = re.findall(r"\blines? (?:of )?(``.+?``|`[^`]+`)(?: (?:and|or) (`[^`]+`))?", flat)
    named = {
        event.strip("` ") if "``" not in event else event[2:-2].strip() for pair in found for event in pair if event
    }
    assert len(named) >= 10
    assert [event for event in named if f'"{event}"' not in code] == []


def test_every_command_that_is_named_exists() -> None:
    """Each `dominohall ...` on the page is a command with the flags that it is shown with."""
    group = typer.main.get_command(app)
    shown = re.findall(r"dominohall ((?:keys|replay|serve|archive|demo|rules)\b[^`\n]*)", PAGE)
    assert len(shown) > 8
    for line in shown:
        words, command = line.split(), group
        while words and hasattr(command, "commands"):
            assert words[0] in command.commands, line
            command = command.commands[words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_every_setting_that_is_named_exists() -> None:
    """Each flag on the page is a setting of the service, or belongs to another program's line."""
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", PAGE)) - metric_names()
    labels = {"request_id", "match_id", "key_id"}
    assert named - labels <= set(Settings.__dataclass_fields__)
