"""Tiles and layouts as inline SVG: every half is drawn once as a symbol, and used wherever a tile lies.

A half is a square of 24 units, a tile two of them in a frame. In the line a double lies across, and so does the
spinner: its sides point along the line, its ends up and down.
"""

from collections.abc import Sequence
from typing import Final

from dominohall_replays.layout import Laid, Layout

HALF: Final = 24
LONG: Final = 2 * HALF
GAP: Final = 1
PIPS: Final = {
    0: "",
    1: "e",
    2: "ai",
    3: "aei",
    4: "acgi",
    5: "acegi",
    6: "adgcfi",
}
"""Where the pips of a half lie, on a grid of nine places: abc, def, ghi."""


def _half(number: int) -> str:
    circles = "".join(
        f'<circle cx="{6 + 6 * (place % 3)}" cy="{6 + 6 * (place // 3)}" r="2.3"/>'
        for place in ("abcdefghi".index(letter) for letter in PIPS[number])
    )
    return f'<symbol id="half-{number}" viewBox="0 0 24 24">{circles}</symbol>'


SYMBOLS: Final = (
    '<svg class="symbols" aria-hidden="true" width="0" height="0">'
    + "".join([_half(number) for number in range(7)])
    + "</svg>\n"
)
"""What must stand in a page once, before any tile."""


def tile_svg(left: int, right: int) -> str:
    """Draw one lying tile for a sentence or a cell."""
    box = f"-1 -1 {LONG + 2} {HALF + 2}"
    return f'<svg viewBox="{box}" aria-hidden="true" focusable="false">{_lying(0, 0, left, right)}</svg>'


def _use(number: int, x: int, y: int, *, is_turned: bool) -> str:
    if not number:
        return ""
    turn = f' transform="rotate(90 {x + HALF // 2} {y + HALF // 2})"' if is_turned else ""
    return f'<use href="#half-{number}" x="{x}" y="{y}" width="{HALF}" height="{HALF}"{turn}/>'


def _lying(x: int, y: int, left: int, right: int) -> str:
    frame = f'<rect class="body" x="{x}" y="{y}" width="{LONG}" height="{HALF}" rx="4"/>'
    bar = f'<path class="bar" d="M{x + HALF} {y + 4}v{HALF - 8}"/>'
    return frame + bar + _use(left, x, y, is_turned=True) + _use(right, x + HALF, y, is_turned=True)


def _standing(x: int, y: int, top: int, bottom: int, kind: str = "body") -> str:
    frame = f'<rect class="{kind}" x="{x}" y="{y}" width="{HALF}" height="{LONG}" rx="4"/>'
    bar = f'<path class="bar" d="M{x + 4} {y + HALF}h{HALF - 8}"/>'
    return frame + bar + _use(top, x, y, is_turned=False) + _use(bottom, x, y + HALF, is_turned=False)


def layout_svg(layout: Layout) -> str:
    """Draw a layout: the line from left to right, the arms at the spinner's ends up and down."""
    shapes: list[str] = []
    middle = HALF // 2 if layout.spinner is not None else 0
    left = _along(shapes, layout.left, -middle, -1)
    right = _along(shapes, layout.right, middle, 1)
    if layout.spinner is not None:
        shapes.append(_standing(-HALF // 2, -HALF, layout.spinner, layout.spinner, "spinner"))
    top = _upright(shapes, layout.upper, -HALF, -1)
    bottom = _upright(shapes, layout.lower, HALF, 1)
    half = HALF if layout.left or layout.right or layout.spinner is not None else 0
    top, bottom = min(top, -half), max(bottom, half)
    width, height = right - left + 4, bottom - top + 4
    box = f"{left - 2} {top - 2} {width} {height}"
    attributes = f'viewBox="{box}" width="{width}" height="{height}" role="img" aria-label="{described(layout)}"'
    return f'<svg class="layout" {attributes}>{"".join(shapes)}</svg>'


def described(layout: Layout) -> str:
    """Write a layout as text: the spinner, then each arm from the middle outwards.

    >>> described(Layout(4, (Laid(4, 6),), (Laid(4, 1), Laid(1, 1)), (), ()))
    'spinner 4-4; left 4-6; right 4-1 1-1'
    """
    parts = [] if layout.spinner is None else [f"spinner {layout.spinner}-{layout.spinner}"]
    arms = {"left": layout.left, "right": layout.right, "up": layout.upper, "down": layout.lower}
    parts += [f"{name} {' '.join([f'{laid.inner}-{laid.outer}' for laid in arm])}" for name, arm in arms.items() if arm]
    return "; ".join(parts)


def _along(shapes: list[str], arm: Sequence[Laid], start: int, step: int) -> int:
    """Draw an arm of the line outwards; return where it ends."""
    at = start
    for laid in arm:
        length = HALF if laid.inner == laid.outer else LONG
        x = at + GAP if step > 0 else at - GAP - length
        if laid.inner == laid.outer:
            shapes.append(_standing(x, -HALF, laid.inner, laid.outer))
        else:
            pair = (laid.inner, laid.outer) if step > 0 else (laid.outer, laid.inner)
            shapes.append(_lying(x, -HALF // 2, *pair))
        at += step * (length + GAP)
    return at


def _upright(shapes: list[str], arm: Sequence[Laid], start: int, step: int) -> int:
    """Draw an arm at an end of the spinner outwards; return where it ends."""
    at = start
    for laid in arm:
        length = HALF if laid.inner == laid.outer else LONG
        y = at + GAP if step > 0 else at - GAP - length
        if laid.inner == laid.outer:
            shapes.append(_lying(-HALF, y, laid.inner, laid.outer))
        else:
            pair = (laid.inner, laid.outer) if step > 0 else (laid.outer, laid.inner)
            shapes.append(_standing(-HALF // 2, y, *pair))
        at += step * (length + GAP)
    return at
