"""Pages of evidence as people see them: in a real browser, without network, in the light, in the dark and printed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.game import Phase
from dominohall_engine.moves import Shake
from dominohall_engine.options import options_to_plain
from dominohall_engine.players import fives as fives_player
from dominohall_engine.players import forty_two as forty_two_player
from dominohall_replays.as_played.audit import audit
from dominohall_replays.as_played.notation import parse_round
from dominohall_replays.as_played.page import page_of_audit
from dominohall_replays.deals import derive_lot, derive_shake, root, shake_salt
from dominohall_replays.explain import explain
from dominohall_replays.explain.page import page_of
from dominohall_replays.html import to_html
from dominohall_replays.judge import judge
from dominohall_replays.judge_page import page_of_judgement
from dominohall_replays.records import Head, Header, header_entry, move_entry

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SECRET = bytes(range(32))
KINDS = ("move", "fives", "audit", "judgement")

CONTRAST = """() => {
  const bright = (c) => {
    const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (c !== 'rgba(0, 0, 0, 0)' && c !== 'transparent') return c;
    }
    return 'rgb(255, 255, 255)';
  };
  let worst = [21, ''];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest('.spoken') || e.closest('svg')) continue;
    const [a, b] = [bright(getComputedStyle(e).color), bright(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 120)];
  }
  return worst;
}"""
"""The text of the lowest contrast on a page, by the formula of WCAG 2."""


def log_of(game: Any, options: Any, player: Callable[[Any], Any]) -> bytes:
    """Play a round or so by the built-in players and record it."""
    seats = sum(len(side) for side in game.sides(options))
    header = Header(
        "texas",
        "acme",
        game.NAME,
        1,
        rules_digest(game.NAME),
        options_to_plain(options),
        None,
        ("",) * seats,
        None,
        None,
    )
    entries = [header_entry(header)]
    state, under = game.new_match(options), None
    while game.outcome(state) is None:
        number, salt = game.shakes(state), None
        if game.phase(state) is Phase.LOT:
            move: Any = game.decode_move(derive_lot(game.NAME, seats, SECRET, number))
        elif game.phase(state) is Phase.SHAKE:
            move, salt = Shake(derive_shake(SECRET, number)), shake_salt(SECRET, number)
            under = root(move.tiles, salt)
        else:
            move = player(game.view(state, game.turn(state)))
        state = game.apply(state, move)
        head = Head("texas", entries[-1].sequence, entries[-1].link)
        entries.append(move_entry(game, head, move, state, root=under, shake_salt=salt))
    return b"".join(entry.data for entry in entries)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write a page of every kind to a file."""
    folder = tmp_path_factory.mktemp("pages")
    texas = log_of(forty_two, replace(forty_two.POLISH, round_limit=2), forty_two_player.choose)
    linear = log_of(fives, replace(fives.LINEAR, round_limit=1), fives_player.choose)
    text = (
        "as-played 1\nrules: forty_two.polish\nbid 2: 31\ntrump 2: fives\ntrick 2: 5-5 6-6 5-0 6-5\ntrick 2: 6-4 5-1\n"
    )
    documents = {
        "move": page_of(explain(texas, at=14)),
        "fives": page_of(explain(linear, at=20, language="ru")),
        "audit": page_of_audit(audit(parse_round(text), "pl")),
        "judgement": page_of_judgement(judge(texas, "forty_two.russian")),
    }
    written = {}
    for name, document in documents.items():
        written[name] = folder / f"{name}.html"
        written[name].write_text(to_html(document), encoding="utf-8")
    return written


class Visit:
    """A page that was opened, and everything that it tried to do."""

    def __init__(self, page: "Page", path: Path) -> None:
        self.page = page
        self.requests: list[str] = []
        self.messages: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.goto(path.as_uri())


@pytest.fixture
def visit(browser: "Browser", pages: dict[str, Path]) -> Iterator[Callable[..., Visit]]:
    """Open pages in contexts of their own."""
    contexts = []

    def open_one(kind: str, **settings: Any) -> Visit:
        contexts.append(browser.new_context(**settings))
        return Visit(contexts[-1].new_page(), pages[kind])

    yield open_one
    for context in contexts:
        context.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_loads_nothing_and_complains_of_nothing(visit: Callable[..., Visit], kind: str) -> None:
    """The browser asks for the file and nothing else, and its console stays empty: the policy refuses nothing."""
    opened = visit(kind)
    assert [url.rpartition("/")[2] for url in opened.requests] == [f"{kind}.html"]
    assert opened.messages == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_the_same_without_scripts(visit: Callable[..., Visit], kind: str) -> None:
    """With JavaScript turned off the page has the same text and the same height."""
    sizes = []
    for enabled in (True, False):
        page = visit(kind, java_script_enabled=enabled).page
        box = page.locator("main").bounding_box()
        assert box is not None
        sizes.append((page.locator("main").inner_text(), box["height"]))
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(visit: Callable[..., Visit], kind: str, scheme: str) -> None:
    """In the light and in the dark, every text has a contrast of 4.5 to 1 or more."""
    ratio, where = visit(kind, color_scheme=scheme).page.evaluate(CONTRAST)
    assert ratio >= 4.5, where


def test_the_dark_is_dark(visit: Callable[..., Visit]) -> None:
    """The page follows the reader's choice of light or dark."""
    grounds = [
        visit("move", color_scheme=scheme).page.evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert grounds == ["rgb(255, 255, 255)", "rgb(20, 24, 29)"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_fits_its_window(visit: Callable[..., Visit], kind: str, width: int) -> None:
    """On a telephone as on a desk the page scrolls down and never sideways; wide tables scroll by themselves."""
    page = visit(kind, viewport={"width": width, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_tiles_are_drawn(visit: Callable[..., Visit]) -> None:
    """Every tile has a size and pips in another colour than its face."""
    page = visit("move").page
    tiles = page.locator(".tile > svg")
    assert tiles.count() > 40
    for place in range(0, tiles.count(), 9):
        box = tiles.nth(place).bounding_box()
        assert box is not None
        assert box["width"] > 30
        assert 1.7 < box["width"] / box["height"] < 2.1
    face = page.locator(".tile rect").first.evaluate("e => getComputedStyle(e).fill")
    pips = page.locator(".tile use").first.evaluate("e => getComputedStyle(e).fill")
    assert face != pips


def test_the_browser_hears_a_page_as_it_is_meant(visit: Callable[..., Visit]) -> None:
    """Headings, tables, row and column headers have their roles and names; a clause is one click away."""
    page = visit("move").page
    assert page.get_by_role("heading", level=1).inner_text() == "Move 14 explained"
    assert page.get_by_role("table", name="Hands before this move").count() == 1
    assert page.get_by_role("rowheader", name="Seat\u00a00", exact=True).count() >= 2
    assert page.get_by_role("columnheader", name="Why not").count() == 1
    assert page.evaluate("document.documentElement.lang") == "en"
    link = page.locator(".cites a").first
    target = link.get_attribute("href")
    link.click()
    assert page.url.endswith(str(target))
    assert page.locator(str(target)).is_visible()


def test_a_layout_is_drawn(visit: Callable[..., Visit]) -> None:
    """The layout of fives has a size on the page, and a name that says it in text."""
    page = visit("fives").page
    drawing = page.get_by_role("img").first
    box = drawing.bounding_box()
    assert box is not None
    assert box["width"] > 40
    assert drawing.get_attribute("aria-label")
    assert page.evaluate("document.documentElement.lang") == "ru"


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_prints(visit: Callable[..., Visit], kind: str) -> None:
    """Printed it is black on white, and a file of a few pages comes out."""
    page = visit(kind, color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.banner')).color") == "rgb(0, 0, 0)"
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert len(printed) > 10_000
