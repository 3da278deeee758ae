"""Bytes a move: in a log, and in an archive with its index. Counted, so every run gives the same."""

import json
from statistics import median

from dominohall_loadtest.bench.bench import Bench
from dominohall_loadtest.bench.loading import material
from dominohall_loadtest.bench.replays import generated
from dominohall_loadtest.bench.report import Part
from dominohall_loadtest.bench.rows import Measured


def measure(bench: Bench) -> Part:
    """Count what real matches came to, and what generated ones come to in segments."""
    recordings = material(bench).recordings
    a_move = sorted(len(each.log) / len(each.moves) for each in recordings)
    mean = sum(len(each.log) for each in recordings) / sum(len(each.moves) for each in recordings)
    archive = generated(bench, "compact")
    moves = json.loads((archive / "manifest.json").read_text())["moves"]
    segments = [path for path in archive.rglob("*") if path.is_file() and path.name != "manifest.json"]
    size = sum(path.stat().st_size for path in segments)
    findings = {
        "bytes.log": Measured((median(a_move),), f"median of {len(a_move)} matches of every preset, mean {mean:.1f}"),
        "bytes.archive": Measured(
            (size / moves,), f"{moves:,} moves of every preset by the built-in player, segments and their index"
        ),
    }
    return Part(findings, {"log, bytes a move": [round(each, 1) for each in a_move]}, quick=bench.quick)
