"""The alert rules and the dashboard that the chart ships: they ask for metrics that exist, and lead to the runbook."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from dominohall_service import metrics
from dominohall_service.faults import Fault
from dominohall_service.gate import SCOPES_OF
from grpc import StatusCode
from prometheus_client import REGISTRY, generate_latest
from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "helm" / "dominohall" / "monitoring"
ALERTS: Any = yaml.safe_load((FOLDER / "alerts.yaml").read_text())
RULES: list[Any] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DASHBOARD: Any = json.loads((FOLDER / "dashboard.json").read_text())
PANELS: list[Any] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [rule["expr"] for rule in RULES] + [each["expr"] for panel in PANELS for each in panel["targets"]]
KEYS = {"keys": {"existingSecret": "dominohall-keys"}}
Render = Callable[[dict[str, Any]], list[Any]]
LABELS = {
    "calls_total": {"method", "code"},
    "call_seconds_bucket": {"method", "le"},
    "call_seconds_count": {"method"},
    "faults_total": {"reason"},
    "refusals_total": {"reason", "clause"},
    "keyring_reloads_total": {"result"},
}
"""By which labels metrics are asked for; `instance` is Prometheus's own."""


@pytest.fixture(scope="module")
def names() -> set[str]:
    """Return the names of the samples that a scrape gives, those of histograms with their endings."""
    metrics.meter("ApplyMove").note(("OK", 0.0))
    page = generate_latest(REGISTRY).decode()
    found = {
        sample.name
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name.startswith("dominohall_")
    }
    typed = re.findall(r"^# TYPE (dominohall_\w+) counter$", page, re.MULTILINE)
    return found | set(typed)


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_asks_for_what_exists(query: str, names: set[str]) -> None:
    """Each metric in a rule or panel is one that a scrape gives, and a recorded series is one that a rule records."""
    recorded = {rule["record"] for rule in RULES if "record" in rule}
    asked = set(re.findall(r"(?<![\w:])dominohall_\w+", query))
    series = set(re.findall(r"(?<!\w)dominohall:[\w:]+", query))
    assert asked | series
    assert asked <= names
    assert series <= recorded
    assert query.count("(") == query.count(")")


@pytest.mark.parametrize("query", QUERIES)
def test_every_label_asked_for_exists(query: str) -> None:
    """The labels in a query belong to its metric, and their values are methods, statuses and reasons that exist."""
    values: dict[str, set[str]] = {
        "method": set(SCOPES_OF),
        "code": {code.name for code in StatusCode},
        "reason": {each.value for each in Fault},
    }
    for metric, selector in re.findall(r"dominohall_(\w+)\{([^}]*)\}", query):
        for label, value in re.findall(r'(\w+)=~?"([^"]*)"', selector):
            assert label == "instance" or label in LABELS.get(metric, set()), (metric, label)
            if label in values:
                assert set(value.split("|")) <= values[label], value
            if label == "le":
                assert float(value) in metrics.BUCKETS


def test_every_metric_is_on_the_dashboard(names: set[str]) -> None:
    """Nothing is counted that no panel shows."""
    shown = " ".join(each["expr"] for panel in PANELS for each in panel["targets"])
    stems = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in names}
    assert [stem for stem in sorted(stems) if stem not in shown and f"{stem}_total" not in stems] == []


def test_every_alert_leads_to_the_runbook() -> None:
    """Each alert says how urgent it is and names a section of the operators' page; each of the ten has an alert."""
    page = (ROOT / "docs" / "operations.md").read_text()
    headings = re.findall(r"^#+ +(.*)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    led = set()
    for rule in RULES:
        if "alert" in rule:
            assert rule["labels"]["severity"] in {"page", "ticket"}
            assert rule["annotations"]["summary"]
            name, _, anchor = rule["annotations"]["runbook"].partition("#")
            assert (name, anchor in anchors) == ("operations.md", True), anchor
            led.add(anchor.partition("-")[0])
    assert {str(number) for number in range(1, 11)} <= led


def test_the_dashboard_is_one(names: set[str]) -> None:
    """Panels have ids of their own, a title and a place; none lies over another; the data source can be chosen."""
    assert names
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert panel["title"]
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
    assert all(panel["datasource"]["uid"] == "${datasource}" for panel in PANELS)


def test_the_chart_ships_them_when_asked(render: Render) -> None:
    """Neither is made by default; with both wanted, the objects hold the files as they are, and the labels given."""
    kinds = {"PrometheusRule", "ConfigMap"}
    assert not [each for each in render(KEYS) if each["kind"] in kinds]
    wanted = {"alertRules": {"enabled": True, "labels": {"release": "p"}}, "dashboard": {"enabled": True}}
    made = {each["kind"]: each for each in render({**KEYS, "metrics": wanted}) if each["kind"] in kinds}
    assert made["PrometheusRule"]["spec"] == ALERTS
    assert made["PrometheusRule"]["metadata"]["labels"]["release"] == "p"
    assert json.loads(made["ConfigMap"]["data"]["dominohall.json"]) == DASHBOARD
    assert made["ConfigMap"]["metadata"]["labels"]["grafana_dashboard"] == "1"
    kubernetes_validate.validate(made["ConfigMap"], "1.37", strict=True)


@pytest.mark.parametrize("command", [["check", "rules", FOLDER / "alerts.yaml"], ["test", "rules", "alerts_test.yaml"]])
def test_promtool_accepts_the_rules(command: list[str | Path]) -> None:
    """Prometheus's own checker reads the rules and plays `alerts_test.yaml`; without it, a loud skip."""
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("NO PROMTOOL: the alert rules were not checked by Prometheus itself")
    told = subprocess.run([promtool, *command], check=False, cwd=Path(__file__).parent, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr
