"""The report of a run: a finding for every row, with machine and versions; as JSON, and read from it again."""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from dominohall_loadtest.bench.rows import ROWS, Finding, Measured, NotMeasured, verdict_of

SCHEMA: Final = 1
LOAD_BEFORE: Final = "load average before"
PACKAGES: Final = ("dominohall", "grpcio", "protobuf", "cryptography", "msgpack", "pygrpc-native")


@dataclass(frozen=True)
class Part:
    """What one group found, when, and the absolute figures it was computed from."""

    findings: Mapping[str, Finding]
    figures: Mapping[str, Any] = field(default_factory=dict)
    taken: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="minutes"))
    quick: bool = False


@dataclass(frozen=True)
class Report:
    """A run: the machine and the versions it ran with, and a part for each group that was measured."""

    machine: Mapping[str, str]
    versions: Mapping[str, str]
    parts: Mapping[str, Part]

    def finding(self, key: str, group: str) -> Finding:
        """Return what was found for a row."""
        part = self.parts.get(group)
        if part is None:
            return NotMeasured("its group was not run")
        return part.findings.get(key, NotMeasured("its group left it out"))

    def to_json(self) -> str:
        """Write the report, every row with its target and verdict."""
        rows = []
        for row in ROWS:
            finding = self.finding(row.key, row.group)
            part = self.parts.get(row.group)
            found: dict[str, Any] = {"verdict": str(verdict_of(row, finding))}
            if isinstance(finding, Measured):
                found |= {"figure": finding.figure, "values": list(finding.values), "how": finding.how}
            else:
                found["why"] = finding.why
            taken = {"taken": part.taken, "quick": part.quick} if part else {}
            rows.append({**asdict(row), **found, **taken})
        figures = {group: part.figures for group, part in self.parts.items()}
        document = {"schema": SCHEMA, "machine": self.machine, "versions": self.versions, "rows": rows}
        return json.dumps({**document, "figures": figures}, indent=1) + "\n"


def parse_report(text: str) -> Report:
    """Read what `to_json` wrote; targets and verdicts are today's, not the file's."""
    document = json.loads(text)
    if document.get("schema") != SCHEMA:
        raise ValueError(f"expected a report of schema {SCHEMA}, got {document.get('schema')!r}")
    findings: dict[str, dict[str, Finding]] = {}
    about: dict[str, tuple[str, bool]] = {}
    for each in document["rows"]:
        if "taken" not in each:
            continue
        found: Finding = NotMeasured(each["why"]) if "why" in each else Measured(tuple(each["values"]), each["how"])
        findings.setdefault(each["group"], {})[each["key"]] = found
        about[each["group"]] = (each["taken"], each["quick"])
    parts = {group: Part(found, document["figures"].get(group, {}), *about[group]) for group, found in findings.items()}
    return Report(document["machine"], document["versions"], parts)


def this_machine() -> dict[str, str]:
    """Say what this machine is."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    return {
        "processor": model,
        "cores": str(len(os.sched_getaffinity(0))),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def installed_versions() -> dict[str, str]:
    """Return the versions of what was measured."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
