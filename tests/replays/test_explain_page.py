"""The page of an explanation: whole in itself, without scripts, safe to open, readable by more than eyes."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import LANGUAGES
from dominohall_replays.as_played.audit import audit
from dominohall_replays.as_played.notation import parse_round
from dominohall_replays.as_played.page import page_of_audit
from dominohall_replays.document import Document
from dominohall_replays.explain import explain
from dominohall_replays.explain.page import page_of
from dominohall_replays.html import to_html
from dominohall_replays.judge import judge
from dominohall_replays.judge_page import page_of_judgement
from dominohall_replays.layout import layout
from dominohall_replays.tile_svg import described, layout_svg

VOID = frozenset({"meta", "br"})
LOADING = ("src", "srcset", "poster", "data", "action", "background", "style", "xlink:href")


class Reader(HTMLParser):
    """Reads a page strictly: every element closed in order; notes what a test asks for."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that opens."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that opens and closes at once."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Let the innermost element close, and no other."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.text += data

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of every element with this name."""
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def documents(record: Any) -> dict[str, Document]:
    """One document of each kind, in several languages."""
    polish = record("forty_two", replace(forty_two.POLISH, round_limit=2), seed=3)
    two = record("fives", replace(fives.LINEAR, seats=2, partners=False, round_limit=1), seed=3)
    found = {f"move-{language}": page_of(explain(polish.log, at=12, language=language)) for language in LANGUAGES}
    found["fives"] = page_of(explain(two.log, at=14, language="en"))
    found["header"] = page_of(explain(two.log, at=0))
    found["round"] = page_of(explain(polish.log, round_number=1, language="ru"))
    found["cut"] = page_of(explain(polish.log[:-30], at=5))
    found["judgement"] = page_of_judgement(judge(polish.log, "forty_two.russian", language="pl"))
    text = (
        "as-played 1\nrules: forty_two.polish\nbid 2: 31\ntrump 2: fives\ntrick 2: 5-5 6-6 5-0 6-5\ntrick 2: 6-4 5-1\n"
    )
    found["audit"] = page_of_audit(audit(parse_round(text), "en"))
    return found


def test_a_page_needs_nothing_but_itself(documents: dict[str, Document]) -> None:
    """No script, no style attribute, no reference that leaves the page: every link leads to a clause in it."""
    for name, document in documents.items():
        page = to_html(document)
        reader = Reader(page)
        tags = {tag for tag, _ in reader.elements}
        assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}, name
        for tag, attributes in reader.elements:
            assert not [each for each in attributes if each.startswith("on") or each in LOADING], (name, tag)
        assert "url(" not in page
        assert "@import" not in page
        ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
        assert len(ids) == len(set(ids)), name
        for tag in ("a", "use"):
            assert {attributes["href"] for attributes in reader.attributes(tag)} <= {f"#{each}" for each in ids}, name


def test_a_page_forbids_itself_everything_but_its_style(documents: dict[str, Document]) -> None:
    """The policy in the head allows the one style sheet by its digest, and nothing else."""
    for document in documents.values():
        page = to_html(document)
        style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
        assert style is not None
        digest = b64encode(sha256(style[1].encode()).digest()).decode()
        policies = [each["content"] for each in Reader(page).attributes("meta") if each.get("http-equiv") is not None]
        assert policies == [f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"]


def test_a_page_can_be_read_without_eyes(documents: dict[str, Document]) -> None:
    """One h1, headings in order, a caption and scoped headers in every table, a language, a name for every drawing."""
    for name, document in documents.items():
        reader = Reader(to_html(document))
        levels = [int(tag[1]) for tag, _ in reader.elements if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels)), name
        assert reader.attributes("html") == [{"lang": document.language}]
        tables = len(reader.attributes("table"))
        assert len(reader.attributes("caption")) == tables
        assert all(each.get("scope") in {"col", "row"} for each in reader.attributes("th"))
        for drawing in reader.attributes("svg"):
            assert drawing.get("aria-hidden") == "true" or drawing.get("aria-label")


def test_a_tile_is_text_as_well_as_a_drawing(documents: dict[str, Document]) -> None:
    """Beside every drawn tile stands its name, so a page can be searched and copied."""
    page = to_html(documents["move-en"])
    assert page.count('<span class="tile') == page.count('<span class="spoken">')
    assert re.search(r'<span class="spoken">[0-6]-[0-6]</span>', page)


def test_what_came_from_outside_stands_in_a_page_as_text(record: Any) -> None:
    """A match id, an owner and a reason made of markup are shown, and are no markup."""
    nasty = '<script>alert("1")</script>&\'"><b>'
    log = record("forty_two", forty_two.POLISH, seed=1, moves=9, match_id=nasty, owner=nasty)
    page = to_html(page_of(explain(log.log, at=7)))
    reader = Reader(page)
    assert "<script" not in page
    assert not reader.attributes("b")
    assert nasty in reader.text


def test_the_same_log_gives_the_same_page(short_match: Any) -> None:
    """Nothing in a page depends on when or where it was made."""
    assert to_html(page_of(explain(short_match.log, at=5))) == to_html(page_of(explain(short_match.log, at=5)))


def test_the_verdict_stands_first_and_what_is_not_checked_beside_it(documents: dict[str, Document]) -> None:
    """The banner has the verdict, then that no signature was checked; a cut log says where it is cut."""
    text = Reader(to_html(documents["move-en"])).text
    assert text.index("This log is valid") < text.index("No signature was checked") < text.index("The move")
    assert "Not checked, and not claimed" in text
    cut = Reader(to_html(documents["cut"])).text
    assert "This log is cut off." in cut
    assert re.search(r"First fault at record \d+, byte \d+", cut)


def test_a_layout_is_drawn_with_every_tile_once() -> None:
    """A drawing has a frame for each tile, the spinner marked, and a text that says the same."""
    drawn = layout([(0, 20), (3, 26), (4, 19), (5, 15)], with_spinner=True)  # 5-5, 6-5, 5-4, 5-0
    svg = layout_svg(drawn)
    assert svg.count("<rect") == 4
    assert svg.count('class="spinner"') == 1
    assert described(drawn) in svg
    assert described(drawn) == "spinner 5-5; left 5-6; right 5-4; up 5-0"


def test_the_style_sheet_is_part_of_the_package() -> None:
    """The sheet has a dark and a printed form, and never fetches a font."""
    import dominohall_replays

    style = Path(dominohall_replays.__file__).with_name("page.css").read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    assert "@font-face" not in style
