"""Replays of Dominohall: the log that settles a dispute, its verification, and the stores that keep it.

The format is specified in `docs/replay-format.md`. Import from the modules: `records` and `log` (writing, reading),
`verify` (verdicts), `deals` (secrets, shakes, openings), `store`, `sqlite_store`, `no_store`, `export`, `report`.
"""
