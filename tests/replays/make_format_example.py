"""Write the annotated example of `docs/replay-format.md` again: by hand, and never once the format is final."""

import importlib
from pathlib import Path
from typing import Any

from dominohall_replays.packing import Item, pack, unpack

playing: Any = importlib.import_module("conftest")

PAGE = Path(__file__).parents[2] / "docs" / "replay-format.md"
BEGIN = "```text\n0000  "
BYTES_A_LINE = 16
NAMED = {"rules_digest": "32 bytes", "commitment": "32 bytes", "deal_key_id": '4 bytes, "key1"'}


class Annotation:
    """A log that is taken apart from its beginning, a line for each part."""

    def __init__(self, log: bytes) -> None:
        self.log = log
        self.at = 0
        self.lines: list[str] = []

    def take(self, size: int, text: str) -> None:
        """Write the next bytes down with what they are."""
        data = self.log[self.at : self.at + size]
        for start in range(0, size, BYTES_A_LINE):
            part = data[start : start + BYTES_A_LINE].hex(" ")
            self.lines.append(f"{self.at + start:04x}  {part:<47}  {'' if start else text}".rstrip())
        self.at += size

    def item(self, text: str = "") -> Item:
        """Write the next item down."""
        value, end = unpack(self.log, self.at)
        self.take(end - self.at, text or said(value))
        return value

    def header(self) -> None:
        """Write the header down, key by key."""
        item, _ = unpack(self.log)
        assert isinstance(item, list)
        assert isinstance(item[1], dict)
        self.take(2, "header: array of 2, kind 0")
        self.take(1, f"map of {len(item[1])}")
        for key, value in item[1].items():
            self.item()
            if isinstance(value, dict):
                self.take(1, f"map of {len(value)}")
                for name, option in value.items():
                    self.take(len(pack(name)) + len(pack(option)), f"{said(name)}: {said(option)}")
            else:
                self.item(NAMED.get(key, ""))
        self.item("link of the header")

    def move(self, what: str, *, shake: bool = False) -> None:
        """Write a move down."""
        self.take(2, "move: array of 6, kind 1")
        self.item(f"sequence {self.log[self.at]}")
        self.item(what)
        self.item("digest of the state after it")
        value, end = unpack(self.log, self.at)
        self.take(end - self.at, f"occurred_at: {said(value)}")
        self.item("root of the shake" if shake else "root: nil")
        self.item("link of the move")


def said(value: Item) -> str:
    """Write a value as the page does."""
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value]
    return str(value if not isinstance(value, str) else f'"{value}"').replace("'", '"')


def annotated(log: bytes) -> str:
    """Take the log of the example apart."""
    page = Annotation(log)
    page.header()
    page.move("a shake", shake=True)
    page.take(2, "opening: array of 3, kind 16")
    page.item("the order of the 28 tiles")
    page.item("the salt of the shake")
    page.move("Bid: seat 3, 30 points")
    page.move('Abandon: "table-closed"')
    page.take(2, "terminal: array of 5, kind 2")
    for text in ("sequence 3", "", "winner: nil", "scores [0, 0]", "link of the terminal: the head"):
        page.item(text)
    page.take(2, "attachment: array of 2, kind 33")
    page.item("the match secret")
    assert page.at == len(log)
    return "\n".join(page.lines)


def main() -> None:
    """Replace the example in the page."""
    text = PAGE.read_text(encoding="utf-8")
    before = text[: text.index(BEGIN) if BEGIN in text else len(text)]
    PAGE.write_text(f"{before}```text\n{annotated(playing.example_of_the_page().revealed)}\n```\n", encoding="utf-8")


if __name__ == "__main__":
    main()
