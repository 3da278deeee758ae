"""The demo as a person reads it: seven short acts, at most 100 columns wide.

Everything that is said here is taken from what was done; with ``--json`` the same story goes to a quiet console.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from dominohall.v1 import match_pb2
from dominohall_replays.rounds import Retold, Round, layout_of
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from dominohall_service.demo.dispute import Dispute
from dominohall_service.demo.forgery import Forgery
from dominohall_service.demo.refusals import Refused
from dominohall_service.demo.report import DemoReport, MatchLine
from dominohall_service.drawing import layout_text, written_tile
from dominohall_service.scenes import auction_text, round_end_text, trick_table

GOOD: Final = "bold green"
BAD: Final = "bold red"
INDENT: Final = (0, 0, 0, 2)
TALLEST: Final = 5
"""How many tiles stand over and under the spinner in a layout that is pleasant to look at."""
TARGET: Final = 250
"""What the presets play to: only the length of the progress bars depends on it."""


class Story:
    """Tells the acts one by one, as they happen."""

    def __init__(self, console: Console) -> None:
        """Tell it on this console."""
        self._console = console
        self._act = 0
        self._shown_round = 1

    def title(self, version: str, seed: int) -> None:
        """Say what this is."""
        self._console.print(Text.assemble(("Dominohall ", "bold"), (version, "bold"), (f"  demo, seed {seed}", "dim")))

    def service_started(self, address: str) -> None:
        """Act 1: a service of its own."""
        self._heading("A service of its own")
        self._say(f"A real server in a process of its own, at {address}, with its own keys and store.")
        self._say("It remembers no match: the state travels in a sealed token; moves are on disk before the answer.")

    @contextmanager
    def playing(self, titles: Sequence[str]) -> Iterator[Callable[[str, match_pb2.Match], None]]:
        """Act 2: show the matches while they are played; yields what is to be told of every move."""
        self._heading("Six matches over gRPC")
        self._say("A built-in player in every seat, who sees what its seat may see and nothing else.")
        columns = (
            TextColumn("  {task.description:<24}"),
            BarColumn(30),
            TextColumn("{task.fields[scores]}"),
            TimeElapsedColumn(),
        )
        shown = self._console.is_terminal and not self._console.quiet
        with Progress(*columns, console=self._console, transient=True, disable=not shown) as progress:
            tasks = {title: progress.add_task(title, total=TARGET, scores="") for title in titles}

            def tick(title: str, match: match_pb2.Match) -> None:
                points = [side.points for side in match.state.sides]
                over = match.state.phase == match_pb2.PHASE_OVER
                done = TARGET if over else min(max(points), TARGET)
                progress.update(tasks[title], completed=done, scores=" : ".join(map(str, points)))

            yield tick

    def matches(self, lines: Sequence[MatchLine]) -> None:
        """Act 2, its end: what was played, and that every log proves it."""
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("preset")
        table.add_column("seats")
        for name in ("rounds", "moves", "score"):
            table.add_column(name, justify="right")
        table.add_column("won by")
        table.add_column("log", justify="right")
        table.add_column("a move", justify="right")
        table.add_column("verdict")
        for line in lines:
            held = line.verdict == "valid" and line.result_agrees
            table.add_row(
                line.preset,
                f"{line.seats // 2} pairs" if line.partners else str(line.seats),
                str(line.rounds),
                str(line.moves),
                ":".join(map(str, line.scores)),
                f"seat{'s' if len(line.winner) > 1 else ''} {'+'.join(map(str, line.winner))}"
                if line.winner
                else "nobody",
                f"{line.log_bytes / 1000:.1f} kB",
                f"{line.log_bytes / line.moves:.0f} B",
                Text(line.verdict, GOOD if held else BAD),
            )
        self._show(table)
        self._say("Each log was fetched with GetReplay and played again: every rule asked, every digest compared.")

    def one_round(self, line: MatchLine, told: Retold) -> None:
        """Act 3: one round of forty-two, trick by trick."""
        best = max(told.rounds, key=round_interest)
        self._shown_round = best.number
        self._heading(f"One round: {line.title}, round {best.number} of {len(told.rounds)}")
        self._show(auction_text(best.steps))
        self._show(trick_table(best.steps))
        self._show(Text("> led the trick, * took it; trumps are yellow.", "dim"))
        self._show(round_end_text(best))

    def one_layout(self, line: MatchLine, told: Retold) -> None:
        """Act 4: one layout of fives, as it lay at the end of its round."""
        best = max(told.rounds, key=layout_interest)
        self._heading(f"One layout: {line.title}, round {best.number} of {len(told.rounds)}")
        self._show(layout_text(layout_of(best.steps), self._console.width - INDENT[3]))
        self._show(round_end_text(best))

    def refusal(self, refused: Refused) -> None:
        """Act 5: an illegal move."""
        self._heading("One illegal move")
        tile, led = written_tile(refused.tile), written_tile(refused.led)
        legal = " or ".join(map(written_tile, refused.legal))
        self._say(f"{led} was led; seat {refused.seat} held {legal}, and sent {tile} all the same.")
        grid = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        grid.add_row(Text(refused.clauses[0], "bold"), refused.words["en"].clause)
        for language, words in refused.words.items():
            grid.add_row(Text(language, "dim"), words.message)
        self._show(Text.assemble("Refused: ", (refused.reason, BAD), ("  by ", "dim"), ", ".join(refused.clauses)))
        self._show(grid)
        unchanged = "Nothing was recorded" if refused.changed_nothing else "SOMETHING WAS RECORDED"
        self._say(f"{unchanged}: the head of the log is what it was.")

    def dispute(self, dispute: Dispute) -> None:
        """Act 6: a complaint, answered with the rule."""
        self._heading("A dispute answered")
        barred, held = written_tile(dispute.barred), " ".join(map(written_tile, dispute.held))
        self._say(f'"I wanted to play {barred} and your app did not let me."')
        grid = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        grid.add_row(Text("who", "dim"), f"Seat {dispute.seat}, of move {dispute.sequence}.")
        grid.add_row(Text("the log", "dim"), f"It held {held} and played {written_tile(dispute.played)}.")
        grid.add_row(Text("the rule", "dim"), f"{dispute.message}  {', '.join(dispute.clauses)}")
        deal = Text.assemble((dispute.deal, GOOD), " from the secret committed to before the match")
        grid.add_row(Text("the deal", "dim"), deal)
        self._show(grid)
        self._say(f"The page for the player: {dispute.file}")

    def forgeries(self, forgeries: Sequence[Forgery], tried: int, caught: int) -> None:
        """Act 7: copies that somebody changed."""
        self._heading("A forger at work")
        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
        for each in forgeries:
            where = "" if each.byte_offset is None else f"at move {each.sequence}, byte {each.byte_offset:,}"
            verdict = Text(each.verdict.replace("_", " "), GOOD if each.caught else BAD)
            table.add_row(each.what, verdict, f"{where} ({each.clauses[0]})" if each.clauses else where)
        verdict = Text(f"{caught} caught", GOOD if caught == tried else BAD)
        table.add_row(f"one bit flipped at {tried} places of another log", verdict, "")
        self._show(table)

    def end(self, report: DemoReport) -> None:
        """Say how it ended, and what to type next."""
        self._console.print()
        stopped = (
            "The service finished its calls and stopped when told."
            if report.drained
            else "The service did not stop well."
        )
        held = Text("Everything held", GOOD) if report.held else Text("Something did not hold", BAD)
        self._show(Text.assemble(held, f" in {report.seconds:.0f} s. {stopped}"))
        file = f"{report.folder}/{report.matches[0].file}"
        self._show(
            Text.assemble(("Look closer: ", "dim"), f"dominohall replay show {file} --round {self._shown_round}")
        )
        self._show(Text.assemble(("             ", "dim"), f"dominohall replay verify {report.folder}"))

    def _heading(self, words: str) -> None:
        self._act += 1
        self._console.print()
        self._console.print(Text.assemble((f"{self._act} ", "bold cyan"), (words, "bold")))

    def _say(self, words: str) -> None:
        self._show(Text(words))

    def _show(self, what: Text | Table) -> None:
        self._console.print(Padding(what, INDENT, expand=False))


def round_interest(each: Round) -> tuple[bool, int]:
    """Prefer a finished round whose auction was fought over, the earliest of equals."""
    bids = sum(type(step.move).__name__ == "Bid" for step in each.steps)
    return len(each.steps) == 34, bids


def layout_interest(each: Round) -> tuple[int, int, int]:
    """Prefer a layout that runs in all four directions and is not too tall, then the one with the most tiles."""
    found = layout_of(each.steps)
    arms = found[1:]
    return sum(map(bool, arms)), min(0, TALLEST - len(found.upper) - len(found.lower)), sum(map(len, arms))
