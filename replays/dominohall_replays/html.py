"""A document as one HTML page that needs nothing else: no script, no font, no picture, no style from elsewhere.

The page forbids itself to load or run anything (a content security policy in its head names the digest of its one
style sheet), so it can be mailed, archived and opened years later. Tiles are inline SVG with their names as text
beside them, hidden from the eye only, so that a page can be read aloud, searched and copied.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from re import compile as pattern
from typing import Final, assert_never

from dominohall_engine.tiles import HALVES, NAMES

from dominohall_replays.document import (
    Block,
    Break,
    Cites,
    Clauses,
    Document,
    Drawing,
    Inline,
    Items,
    Line,
    Note,
    Paragraph,
    Row,
    Section,
    Strong,
    Table,
    Tile,
    Tone,
)
from dominohall_replays.tile_svg import SYMBOLS, layout_svg, tile_svg

CODE: Final = pattern(r"`([^`]+)`")
"""How a text names an option."""
MARKS: Final = {Tone.GOOD: "\N{CHECK MARK}", Tone.BAD: "\N{MULTIPLICATION X}", Tone.CAUTION: "!"}
"""What stands before a sentence with a tone, so that nothing is told by its colour alone."""


def to_html(document: Document) -> str:
    """Return the whole page."""
    style = _style()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    language = escape(document.language, quote=True)
    title, subtitle = escape(document.title), escape(document.subtitle)
    banner = "".join([_paragraph(each, "banner") for each in document.banner])
    sections = "".join([_section(number, each) for number, each in enumerate(document.sections, 1)])
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="robots" content="noindex">\n'
        f"<title>{title}: {subtitle}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{SYMBOLS}<header>\n<h1>{title}</h1>\n<p>{subtitle}</p>\n{banner}</header>\n"
        f"<main>\n{sections}</main>\n<footer><p>{escape(document.footer)}</p></footer>\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return (resources.files(__package__) / "page.css").read_text(encoding="utf-8")


def _section(number: int, section: Section) -> str:
    blocks = "".join([_block(block) for block in section.blocks])
    heading = f'<h2 id="section-{number}">{escape(section.heading)}</h2>\n'
    return f'<section aria-labelledby="section-{number}">\n{heading}{blocks}</section>\n'


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _paragraph(block)
    if isinstance(block, Items):
        heading = f"<h3>{escape(block.heading)}</h3>\n" if block.heading else ""
        lines = "".join([f"<li>{_line(line)}</li>\n" for line in block.lines])
        return f'{heading}<ul class="{block.tone}">\n{lines}</ul>\n'
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Drawing):
        return f"<figure>\n{layout_svg(block.layout)}\n<figcaption>{escape(block.caption)}</figcaption>\n</figure>\n"
    if isinstance(block, Clauses):
        return _clauses(block)
    assert_never(block)


def _paragraph(block: Paragraph, kind: str = "") -> str:
    mark = MARKS.get(block.tone, "")
    marked = f'<span class="mark" aria-hidden="true">{mark}</span> ' if mark else ""
    return f'<p class="{f"{kind} {block.tone}".strip()}">{marked}{_line(block.line)}</p>\n'


def _table(block: Table) -> str:
    numbers = frozenset(block.numbers)
    classes = [' class="number"' if place in numbers else "" for place in range(len(block.columns))]
    head = "".join(
        [f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(block.columns, classes, strict=True)]
    )
    rows = "".join([_row(row, classes) for row in block.rows])
    return (
        f'<div class="wide" role="group" tabindex="0" aria-label="{escape(block.caption, quote=True)}"><table>\n'
        f"<caption>{escape(block.caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _row(row: Row, classes: list[str]) -> str:
    cells = []
    for place, (line, kind) in enumerate(zip(row.cells, classes, strict=True)):
        name, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
        cells.append(f"<{name}{scope}{kind}>{_line(line)}</{name}>")
    return f'<tr class="{row.tone}">{"".join(cells)}</tr>\n'


def _clauses(block: Clauses) -> str:
    parts = []
    for each in block.clauses:
        english = ""
        if block.normative:
            sentence = escape(block.normative.format(text="\0"))
            quoted = f'<span lang="en">{_inline(each.normative)}</span>'
            english = f'<br><span class="normative">{sentence.replace(chr(0), quoted)}</span>'
        parts.append(f'<dt id="{_anchor(each.id)}">{escape(each.id)}</dt>\n<dd>{_inline(each.text)}{english}</dd>\n')
    return f'<dl class="clauses">\n{"".join(parts)}</dl>\n'


def _anchor(clause: str) -> str:
    return f"clause-{clause.lower()}"


def _line(line: Line) -> str:
    """Write the parts of a line, a space between them except after an opened bracket."""
    written = ""
    for each in line:
        part = _inline(each)
        written += part if not written or written.endswith((" ", "(", "<br>")) else f" {part}"
    return written


def _inline(each: Inline) -> str:
    if isinstance(each, str):
        return CODE.sub(r"<code>\1</code>", escape(each))
    if isinstance(each, Break):
        return "<br>"
    if isinstance(each, Tile):
        high, low = HALVES[each.tile]
        boxed = " boxed" if each.is_boxed else ""
        return f'<span class="tile{boxed}">{tile_svg(high, low)}<span class="spoken">{NAMES[each.tile]}</span></span>'
    if isinstance(each, Strong):
        return f"<strong>{escape(each.text)}</strong>"
    if isinstance(each, Note):
        return f"<small>{escape(each.text)}</small>"
    if isinstance(each, Cites):
        links = ", ".join([f'<a href="#{_anchor(id_)}">{escape(id_)}</a>' for id_ in each.ids])
        return f'<span class="cites">{links}</span>' if links else ""
    assert_never(each)
