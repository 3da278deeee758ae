"""`replay verify`: verdicts on many logs, as a table for people and as one document for programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from dominohall_replays.forks import NoFork, check_fork, parse_fork
from dominohall_replays.receipts import UnreadableDocument
from dominohall_replays.records import Head
from dominohall_replays.report import report_to_plain, result_text, shown_text, signature_text
from dominohall_replays.signatures import PublicKeys, SignedHead
from dominohall_replays.verdicts import GOOD, NO_PROOF, UNUSABLE, ReceiptStatement, Report
from dominohall_replays.verify import verify
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dominohall_service.command.output import Exit, tracked, unusable
from dominohall_service.command.sources import Found

STYLES: Final = {Exit.DONE: "bold green", Exit.AGAINST: "bold red", Exit.UNUSABLE: "bold yellow"}


class Judged(NamedTuple):
    """A log and what was found."""

    name: str
    size: int
    report: Report

    @property
    def exit(self) -> Exit:
        """The exit code that this verdict alone asks for."""
        if self.report.verdict in GOOD:
            return Exit.DONE
        return Exit.UNUSABLE if self.report.verdict in UNUSABLE else Exit.AGAINST


class JudgedProof(NamedTuple):
    """A proof of a fork and what it is worth."""

    name: str
    match_id: str
    sequence: int
    proven: bool
    reason: str


class Judgement(NamedTuple):
    """Everything that one `replay verify` was asked about."""

    logs: Sequence[Judged]
    proofs: Sequence[JudgedProof]
    receipts: Sequence[str]
    """The names of the receipts, in the order of each report's `receipts`."""

    def useless(self) -> list[tuple[str, str]]:
        """Return the receipts that prove nothing against any of the logs, each with the reason."""
        found = []
        for number, name in enumerate(self.receipts):
            said = {each.report.receipts[number].statement for each in self.logs if each.report.receipts}
            if not said or said == {ReceiptStatement.OTHER_MATCH}:
                found.append((name, "it is of no match that was given"))
            elif said & NO_PROOF:
                found.append((name, f"it proves nothing: {words(min(said & NO_PROOF))}"))
        return found


def judge(
    found: Sequence[Found],
    head: Head | None = None,
    public_keys: PublicKeys | None = None,
    receipts: Sequence[SignedHead] = (),
) -> list[Judged]:
    """Judge logs one after another, against public keys, receipts and a head that somebody kept, where given."""
    return [
        Judged(
            each.name,
            each.size,
            verify(each.source, expected_head=head, public_keys=public_keys, receipts=receipts),
        )
        for each in tracked(found, "verifying")
    ]


def judge_proof(path: Path, public_keys: PublicKeys | None, *, as_json: bool) -> JudgedProof:
    """Judge the proof of a fork; exit code 2 if the file is none, or there are no public keys to check it with."""
    try:
        fork = parse_fork(path.read_bytes())
    except OSError as error:
        unusable(f"expected to read {path}: {error.strerror}", as_json=as_json)
    except UnreadableDocument as error:
        unusable(f"{path}: {error}", as_json=as_json)
    if public_keys is None:
        unusable(f"{path}: expected --keys FILE to check a proof with", as_json=as_json)
    match_id = fork.branches[0].signed.match_id
    reason = f"two histories of {match_id} were signed, different at sequence {fork.sequence}"
    try:
        check_fork(fork, public_keys)
    except NoFork as error:
        return JudgedProof(str(path), match_id, fork.sequence, False, str(error))
    return JudgedProof(str(path), match_id, fork.sequence, True, reason)


def exit_of(judged: Judgement) -> Exit:
    """Return 1 if there is a verdict against any log or proof, else 2 if any could not be judged, else 0."""
    exits = {each.exit for each in judged.logs}
    exits |= {Exit.DONE if each.proven else Exit.AGAINST for each in judged.proofs}
    exits |= {Exit.UNUSABLE} if judged.useless() else set()
    return Exit.AGAINST if Exit.AGAINST in exits else max(exits, default=Exit.DONE)


def print_all(console: Console, judgement: Judgement) -> None:
    """Print one log in full, several as a table with the faults in full under it; then proofs and useless receipts."""
    if judgement.logs:
        _print_logs(console, judgement.logs)
    for proof in judgement.proofs:
        style = STYLES[Exit.DONE if proof.proven else Exit.AGAINST]
        said = "fork proven" if proof.proven else "fork not proven"
        console.print(Text.assemble((said, style), f"  {proof.name}\n    {proof.reason}"))
    for name, reason in judgement.useless():
        console.print(Text.assemble(("useless receipt", STYLES[Exit.UNUSABLE]), f"  {name}\n    {reason}"))


def _print_logs(console: Console, judged: Sequence[Judged]) -> None:
    if len(judged) == 1:
        _print_one(console, judged[0])
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("log", overflow="fold")
    table.add_column("moves", justify="right")
    table.add_column("bytes", justify="right")
    table.add_column("verdict")
    table.add_column("deal")
    for each in judged:
        verdict = Text(words(each.report.verdict), STYLES[each.exit])
        deal = "" if each.exit is Exit.UNUSABLE else each.report.deal.value
        table.add_row(each.name, str(each.report.moves), f"{each.size:,}", verdict, deal)
    console.print(table)
    for each in judged:
        if each.exit is not Exit.DONE:
            console.print()
            _print_one(console, each)
    good = sum(each.exit is Exit.DONE for each in judged)
    console.print(f"\n{good} of {len(judged)} hold.")


def _print_one(console: Console, judged: Judged) -> None:
    """Print the report of one log: the verdict, its place, and the three statements."""
    report = judged.report
    console.print(Text.assemble((words(report.verdict), STYLES[judged.exit]), f"  {judged.name}"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_row(Text("found", "dim"), report.reason)
    if report.offset is not None:
        where = "" if report.sequence is None else f"sequence {report.sequence}, "
        table.add_row(Text("where", "dim"), f"{where}byte {report.offset:,}")
    if report.clauses:
        table.add_row(Text("clauses", "dim"), f"{', '.join(report.clauses)}  ({report.refusal})")
    if report.game:
        table.add_row(Text("match", "dim"), f"{report.match_id}, {report.game}, {report.moves} moves hold")
        if report.computed is not None:
            table.add_row(Text("result", "dim"), result_text(report.computed))
        table.add_row(Text("signed", "dim"), signature_text(report))
        for found in report.receipts:
            table.add_row(Text("receipt", "dim"), f"at sequence {found.sequence}: {words(found.statement)}")
        if report.shown is not None:
            table.add_row(Text("redacted", "dim"), shown_text(report.shown))
        table.add_row(Text("also", "dim"), f"deal {report.deal}, origin {report.origin}")
    console.print(table)


def words(name: str) -> str:
    """Write the name of a verdict or an ending for a person."""
    return name.replace("_", " ")


def to_json(judged: Judgement) -> dict[str, Any]:
    """Return the document of `replay verify --json`."""
    return {
        "exit": int(exit_of(judged)),
        "reports": [{"source": each.name, "bytes": each.size, **report_to_plain(each.report)} for each in judged.logs],
        "proofs": [each._asdict() for each in judged.proofs],
        "useless_receipts": [{"source": name, "reason": reason} for name, reason in judged.useless()],
    }
