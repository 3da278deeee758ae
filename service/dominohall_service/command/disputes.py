"""`dominohall replay explain | audit-hand | judge | notation`: disputes answered with the rule."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dominohall_service.command.evidence import KeysOption, read_public_keys, read_receipt
from dominohall_service.command.output import Exit, JsonFlag, console, print_json, unusable
from dominohall_service.command.sources import (
    DEFAULT_OWNER,
    DEFAULT_STORE,
    Found,
    OwnerOption,
    SourceArgument,
    StoreOption,
    find,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from dominohall_replays.document import Document
    from dominohall_replays.verdicts import Report

LangOption = Annotated[str, typer.Option("--lang", metavar="en|pl|ru", help="The language of the answer.")]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write the answer as one page that needs nothing else.")
]
ReceiptsOption = Annotated[
    list[Path] | None, typer.Option("--receipt", metavar="FILE", help="A receipt to hold the log against.")
]
RoundOption = Annotated[int | None, typer.Option("--round", min=1, metavar="N", help="A whole round.")]


def explain(  # noqa: PLR0913, PLR0917 - a flag each
    source: SourceArgument,
    at: Annotated[int | None, typer.Option("--at", min=0, metavar="N", help="The sequence of a move.")] = None,
    number: RoundOption = None,
    lang: LangOption = "en",
    html: HtmlOption = None,
    keys: KeysOption = None,
    receipts: ReceiptsOption = None,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Explain one move, or one round, with the rule for everything.

    What every seat held, what could be done, why nothing else could, who took the trick, how the round was scored; and
    what the log is worth. Exit code 1 if there is a verdict against the log: it is explained as far as it holds.
    """
    from dominohall_replays.explain import NothingToExplain, explanation_to_plain
    from dominohall_replays.explain import explain as explained
    from dominohall_replays.explain.page import page_of

    if (at is None) == (number is None):
        unusable("expected --at N or --round N, and not both", as_json=as_json)
    check_language(lang, as_json=as_json)
    found = find(source, store, owner, as_json=as_json)
    report = _verified(found, keys, receipts or [], as_json=as_json)
    try:
        explanation = _read(
            found,
            lambda: explained(found.source, at=at, round_number=number, language=lang, report=report),
            as_json=as_json,
        )
    except NothingToExplain as error:
        unusable(f"{found.name}: {error}", as_json=as_json)
    _show(page_of(explanation), explanation_to_plain(explanation), html, as_json=as_json)
    raise typer.Exit(Exit.DONE if explanation.standing.good else Exit.AGAINST)


def audit_hand(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A round in the notation; - reads standard input.")],
    lang: LangOption = "en",
    html: HtmlOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Judge a round that was played elsewhere and written down.

    The first illegal ply is found, its clause cited, what followed told, and the score given under every preset. Exit
    code 0 if nothing illegal was found, 1 if something was, 2 if the text is no round.
    """
    from dominohall_replays.as_played.audit import audit
    from dominohall_replays.as_played.audit_values import audit_to_plain
    from dominohall_replays.as_played.notation import UnreadableNotation, parse_round
    from dominohall_replays.as_played.page import page_of_audit
    from dominohall_replays.as_played.rounds import UnusableRound

    check_language(lang, as_json=as_json)
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        audited = audit(parse_round(text), lang)
    except OSError as error:
        unusable(f"expected to read {file}: {error.strerror}", as_json=as_json)
    except UnicodeDecodeError:
        unusable(f"{file}: expected text in UTF-8", as_json=as_json)
    except (UnreadableNotation, UnusableRound) as error:
        unusable(f"{file}: {error}", as_json=as_json)
    _show(page_of_audit(audited), audit_to_plain(audited), html, as_json=as_json)
    raise typer.Exit(Exit.DONE if audited.is_clean else Exit.AGAINST)


def judge(  # noqa: PLR0913, PLR0917 - a flag each
    source: SourceArgument,
    rules: Annotated[str, typer.Option("--as", metavar="PRESET", help="The other rules, such as forty_two.russian.")],
    options: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option changed in that preset.")
    ] = None,
    lang: LangOption = "en",
    html: HtmlOption = None,
    keys: KeysOption = None,
    receipts: ReceiptsOption = None,
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Judge the same moves by other rules.

    Auction, play and scoring apart, each with its first difference, the clauses of both sides and the difference in
    points. Who opens was taken as it was. Exit code 1 if there is a verdict against the log, not for differences.
    """
    from dominohall_replays.judge import NotComparable
    from dominohall_replays.judge import judge as judged
    from dominohall_replays.judge_page import page_of_judgement
    from dominohall_replays.judge_values import judgement_to_plain

    check_language(lang, as_json=as_json)
    changes = [_change(each, as_json=as_json) for each in options or []]
    found = find(source, store, owner, as_json=as_json)
    report = _verified(found, keys, receipts or [], as_json=as_json)
    try:
        judgement = _read(
            found, lambda: judged(found.source, rules, changes, language=lang, report=report), as_json=as_json
        )  # fmt: skip
    except NotComparable as error:
        unusable(f"{found.name}: {error}", as_json=as_json)
    _show(page_of_judgement(judgement), judgement_to_plain(judgement), html, as_json=as_json)
    raise typer.Exit(Exit.DONE if judgement.standing.good else Exit.AGAINST)


def notation(
    source: SourceArgument,
    number: Annotated[int, typer.Option("--round", min=1, metavar="N", help="The round to write.")],
    store: StoreOption = DEFAULT_STORE,
    owner: OwnerOption = DEFAULT_OWNER,
    as_json: JsonFlag = False,
) -> None:
    """Write one round of a log as text.

    It can be edited, mailed and given to `audit-hand`.
    """
    from dominohall_replays.as_played.notation import print_round
    from dominohall_replays.as_played.rounds import round_from_log
    from dominohall_replays.explain.record import record_of
    from dominohall_replays.rounds import numbers_said, round_numbered

    found = find(source, store, owner, as_json=as_json)
    record = _read(found, lambda: record_of(found.source), as_json=as_json)
    each = round_numbered(record.rounds, number)
    if each is None:
        unusable(f"{found.name}: expected {numbers_said(record.rounds)}, got {number}", as_json=as_json)
    text = print_round(round_from_log(each, record.options)[0])
    if as_json:
        print_json({"round": number, "text": text})
    else:
        typer.echo(text, nl=False)


def check_language(lang: str, *, as_json: bool) -> None:
    """Refuse a language that the clauses are not written in; exit code 2."""
    from dominohall_engine.clauses import LANGUAGES

    if lang not in LANGUAGES:
        unusable(f"expected a language of {', '.join(LANGUAGES)}, got {lang!r}", as_json=as_json)


def _change(text: str, *, as_json: bool) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        unusable(f"expected an option such as target=500, got {text!r}", as_json=as_json)
    return name, value


def _verified(found: Found, keys: Path | None, receipts: list[Path], *, as_json: bool) -> "Report":
    """Judge the log, with public keys and receipts where they were given."""
    from dominohall_replays.verify import verify

    kept = [read_receipt(path, as_json=as_json) for path in receipts]
    return verify(found.source, public_keys=read_public_keys(keys, as_json=as_json), receipts=kept)


def _read(found: Found, make: "Callable[[], Any]", *, as_json: bool) -> Any:  # noqa: ANN401 - what was made
    """Make something from a log; exit code 2 if not even its header can be used."""
    from dominohall_replays.errors import UnreadableLog
    from dominohall_replays.fold import LogFault

    try:
        return make()
    except (UnreadableLog, LogFault) as error:
        unusable(f"{found.name}: {error}", as_json=as_json)


def _show(document: "Document", plain: dict[str, Any], html: Path | None, *, as_json: bool) -> None:
    """Print an answer, and write its page if one was asked for; an existing page is replaced."""
    if html is not None:
        from dominohall_replays.html import to_html

        try:
            html.write_text(to_html(document), encoding="utf-8")
        except OSError as error:
            unusable(f"expected to write {html}: {error.strerror}", as_json=as_json)
    if as_json:
        print_json(plain)
    elif html is not None:
        typer.echo(f"{html}  {html.stat().st_size:,} bytes")
    else:
        from dominohall_service.documents import print_document

        print_document(console(), document)
