"""`python -m dominohall_replays`: look at logs and judge them, with nothing but the `[replays]` extra installed.

Exit codes: 0 valid, or valid so far; 1 a verdict against a log; 2 input that is no use (no such file or match, no log
of this format, rules that this build does not have).
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from dominohall_replays import fairness
from dominohall_replays.errors import ReplayError, TruncatedLog, UnreadableLog
from dominohall_replays.export import SUFFIX, export_match, log_bytes
from dominohall_replays.fold import Fold, LogFault, step
from dominohall_replays.forks import NoFork, check_fork, fork_of, format_fork, parse_fork
from dominohall_replays.log import Source, read_log
from dominohall_replays.receipts import parse_public_keys, parse_receipt
from dominohall_replays.records import Head
from dominohall_replays.redact import When, redact
from dominohall_replays.report import (
    AGAINST,
    GOOD,
    UNUSABLE_INPUT,
    describe,
    exit_code,
    head_to_plain,
    line_text,
    line_to_plain,
    report_lines,
    report_to_plain,
)
from dominohall_replays.signatures import PublicKeys, SignedHead
from dominohall_replays.sqlite_store import SqliteStore
from dominohall_replays.store import StoredMatch
from dominohall_replays.verdicts import NO_PROOF, UNUSABLE
from dominohall_replays.verify import verify


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except LogFault as fault:
        print(fault, file=sys.stderr)  # noqa: T201 - the command speaks to its terminal
        return UNUSABLE_INPUT if fault.verdict in UNUSABLE else AGAINST
    except (ReplayError, OSError, ValueError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        inside = isinstance(error, UnreadableLog) and bool(error.sequence)
        return AGAINST if inside or isinstance(error, TruncatedLog) else UNUSABLE_INPUT
    return code


def _verify(options: argparse.Namespace) -> int:
    head = None
    keys = parse_public_keys(options.keys.read_bytes()) if options.keys else None
    if options.store is None and _is_document(Path(options.log)):
        return _check_proof(options, keys)
    receipts = [parse_receipt(each.read_bytes()) for each in options.receipt]
    source = _source(options)
    if options.head:
        sequence, _, link = options.head.partition(":")
        head = Head(read_log(source).header.match_id, int(sequence), bytes.fromhex(link))
    report = verify(source, expected_head=head, public_keys=keys, receipts=receipts)
    _say(options, report_to_plain(report), report_lines(report))
    useless = any(found.statement in NO_PROOF for found in report.receipts)
    return exit_code(report) or (UNUSABLE_INPUT if useless else GOOD)


def _check_proof(options: argparse.Namespace, keys: PublicKeys | None) -> int:
    if keys is None:
        raise ValueError("expected --keys FILE to check a proof of a fork with")
    fork = parse_fork(Path(options.log).read_bytes())
    match_id = fork.branches[0].signed.match_id
    reason = f"two histories of {match_id} were signed, different at sequence {fork.sequence}"
    try:
        check_fork(fork, keys)
        proven = True
    except NoFork as error:
        proven, reason = False, str(error)
    plain = {"match_id": match_id, "sequence": fork.sequence, "proven": proven, "reason": reason}
    _say(options, plain, [f"{'fork proven' if proven else 'fork not proven'}: {reason}"])
    return GOOD if proven else AGAINST


def _is_document(path: Path) -> bool:
    """Say whether a file begins as a JSON object does; no log does."""
    with path.open("rb") as file:
        return file.read(1) == b"{"


def _fork(options: argparse.Namespace) -> int:
    sides: list[SignedHead | Source] = [
        parse_receipt(path.read_bytes()) if _is_document(path) else path for path in (Path(options.log), options.other)
    ]
    try:
        fork = fork_of(*sides)
    except NoFork as error:
        _say(options, {"proof": None, "reason": str(error)}, [f"no fork: {error}"])
        return AGAINST
    with options.out.open("x", encoding="utf-8") as file:
        file.write(format_fork(fork))
    _say(options, {"proof": str(options.out), "sequence": fork.sequence}, [f"written: {options.out}"])
    return GOOD


def _redact(options: argparse.Namespace) -> int:
    when = When.AFTER_ROUND if options.after_round else When.AT_ONCE
    data = redact(_source(options), None if options.spectator else options.seat, when)
    with options.out.open("xb") as file:
        file.write(data)
    _say(options, {"written": str(options.out), "bytes": len(data)}, [f"written: {options.out}"])
    return GOOD


def _fairness(options: argparse.Namespace) -> int:
    paths = [each for path in options.logs for each in (sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path])]
    report = fairness.examine(paths)
    _say(options, fairness.report_to_plain(report), fairness.lines_of(report))
    return AGAINST if report.alarms else GOOD


def _show(options: argparse.Namespace) -> int:
    lines = describe(read_log(_source(options)))
    if options.json:
        for line in lines:
            _print(json.dumps(line_to_plain(line)))
    else:
        for line in lines:
            _print(line_text(line))
    return GOOD


def _step(options: argparse.Namespace) -> int:
    log = read_log(_source(options))
    game = Fold(log).game
    state, head = step(log, options.sequence)
    outcome = game.outcome(state)
    plain = {
        "head": head_to_plain(head),
        "phase": str(game.phase(state)),
        "round": game.shakes(state),
        "turn": game.turn(state),
        "scores": list(game.view(state, None).scores),
        "winner": None if outcome is None else outcome.winner,
        "state": game.encode(state).hex(),
    }
    _say(options, plain, [f"{name:<7} {value}" for name, value in plain.items()])
    return GOOD


def _list(options: argparse.Namespace) -> int:
    with closing(_store(options)) as store:
        for match in _all_matches(store, options.owner):
            plain = {"owner": match.owner, **(head_to_plain(match.head) or {})}
            _print(
                json.dumps(plain)
                if options.json
                else f"{match.owner or '-'}  {match.head.match_id}  {match.head.sequence}"
            )
    return GOOD


def _all_matches(store: SqliteStore, owner: str | None) -> Iterator[StoredMatch]:
    token = ""
    while True:
        page = store.matches(owner, page_token=token)
        yield from page.matches
        token = page.next_page_token
        if not token:
            return


def _export(options: argparse.Namespace) -> int:
    with closing(_store(options)) as store:
        export_match(store, options.owner or "", options.log, options.to)
    _say(options, {"written": str(options.to)}, [f"written: {options.to}"])
    return GOOD


def _source(options: argparse.Namespace) -> Source:
    """Return the log that is asked for: a file, or with --store the match of that id."""
    if options.store is None:
        return Path(options.log)
    with closing(_store(options)) as store:
        return log_bytes(store.entries(options.owner or "", options.log))


def _store(options: argparse.Namespace) -> SqliteStore:
    if not options.store.is_file():
        raise FileNotFoundError(f"expected the file of a store, found none at {options.store}")
    return SqliteStore(options.store)


def _say(options: argparse.Namespace, plain: dict[str, Any], lines: Iterator[str] | list[str]) -> None:
    _print(json.dumps(plain) if options.json else "\n".join(lines))


def _print(text: str) -> None:
    print(text)  # noqa: T201 - the command speaks to its terminal


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dominohall_replays",
        description="Look at the logs of matches and judge them.",
        epilog="exit codes: 0 valid or valid so far, 1 a verdict against, 2 unusable input",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Any, sentence: str, *, log: bool = True) -> argparse.ArgumentParser:  # noqa: ANN401
        command = commands.add_parser(name, help=sentence, description=sentence)
        command.set_defaults(run=run)
        if log:
            command.add_argument("log", metavar="LOG", help="a log file, or with --store a match id")
        command.add_argument(
            "--store", type=Path, required=name in {"list", "export"}, help="the SQLite file of a store"
        )
        command.add_argument("--owner", help="the owner of the match in the store (default: the empty one)")
        command.add_argument("--json", action="store_true", help="print JSON, one object a line")
        return command

    judging = add("verify", _verify, "Say whether a log, or a proof of a fork, holds.")
    judging.add_argument("--head", metavar="SEQUENCE:LINK", help="a head that you kept; the log must contain it")
    judging.add_argument("--keys", type=Path, metavar="FILE", help="the public keys of the service")
    judging.add_argument(
        "--receipt", type=Path, metavar="FILE", action="append", default=[], help="a signed head that you kept"
    )
    add("show", _show, "Tell a match move by move.")
    add("step", _step, "Show the state after one entry.").add_argument("sequence", type=int, metavar="SEQUENCE")
    add("list", _list, "List the matches of a store.", log=False)
    add("export", _export, "Write a match of a store to a log file.").add_argument("to", type=Path, metavar="FILE")
    forking = add("fork", _fork, "Prove that two histories of one match were signed.")
    forking.add_argument("other", type=Path, metavar="OTHER", help="another signed log or receipt of the match")
    forking.add_argument("-o", "--out", type=Path, metavar="FILE", required=True, help="where the proof goes")
    redacting = add("redact", _redact, "Write a log that shows only what one viewer saw.")
    viewer = redacting.add_mutually_exclusive_group(required=True)
    viewer.add_argument("--seat", type=int, metavar="N", help="keep what this seat saw")
    viewer.add_argument("--spectator", action="store_true", help="keep what somebody without a seat saw")
    redacting.add_argument("--after-round", action="store_true", help="also every tile of rounds that are over")
    redacting.add_argument("-o", "--out", type=Path, metavar="FILE", required=True, help="where the log goes")
    counting = add("fairness", _fairness, "Say whether the shakes of an archive look fair.", log=False)
    counting.add_argument("logs", type=Path, nargs="+", metavar="FILE-or-FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
