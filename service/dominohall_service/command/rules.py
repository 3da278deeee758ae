"""`dominohall rules`: the clauses that decide, as refusals cite them, in three languages."""

from typing import TYPE_CHECKING, Annotated

import typer

from dominohall_service.command.output import JsonFlag, console, print_json, unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dominohall_engine.clauses import Clause


def rules(
    preset: Annotated[
        str | None,
        typer.Argument(metavar="PRESET", help="forty_two.polish, or a whole game such as fives; without it, a list."),
    ] = None,
    language: Annotated[str, typer.Option("--lang", help="en (normative), pl or ru.")] = "en",
    ids: Annotated[
        list[str] | None, typer.Option("--clause", metavar="ID", help="Only this clause; may be given again.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the numbered clauses of a preset.

    The text comes first, then the decisions on what it leaves open.
    """
    from dominohall_engine.clauses import LANGUAGES, UnknownClause, UnknownRules, clause, clauses_of

    if language not in LANGUAGES:
        unusable(f"expected a language of {', '.join(LANGUAGES)}, got {language!r}", as_json=as_json)
    if preset is None and not ids:
        _list_presets(as_json)
        return
    try:
        if preset is None:
            shown = [clause(each, language) for each in ids or ()]
        else:
            game, _, name = preset.partition(".")
            shown = list(clauses_of(game, name or None, language))
            if ids:
                wanted = {clause(each, language).id for each in ids}
                shown = [each for each in shown if each.id in wanted]
    except (UnknownClause, UnknownRules) as error:
        unusable(str(error), as_json=as_json)
    if as_json:
        print_json({"preset": preset, "language": language, "clauses": [_plain(each) for each in shown]})
    else:
        _show(shown)


def _list_presets(as_json: bool) -> None:
    """Print every preset with the digest of its game's rules."""
    from dominohall_engine.clauses import rules_digest
    from dominohall_engine.games import GAMES

    rows = [
        {
            "preset": f"{name}.{preset}",
            "revision": options.revision,
            "rules_digest": rules_digest(name, options.revision).hex(),
        }
        for name, game in GAMES.items()
        for preset, options in game.PRESETS.items()
    ]
    if as_json:
        print_json({"presets": rows})
        return
    from rich.table import Table

    table = Table("preset", "revision", "digest of the rules", box=None, padding=(0, 2, 0, 0), header_style="dim")
    for row in rows:
        table.add_row(*map(str, row.values()))
    console().print(table)


def _show(shown: "Sequence[Clause]") -> None:
    """Print clauses as a table; what they are about stands under the text of a decision."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for each in shown:
        text = Text(each.text, "dim" if each.kind == "remark" else "")
        if each.on:
            text.append(f"  on {', '.join(each.on)}", "dim")
        table.add_row(Text(each.id, "bold"), text)
    console().print(table)


def _plain(each: "Clause") -> dict[str, object]:
    return {
        "id": each.id,
        "kind": each.kind.value,
        "text": each.text,
        "presets": list(each.presets),
        "on": list(each.on),
        "option": each.option,
        "sources": list(each.sources),
    }
