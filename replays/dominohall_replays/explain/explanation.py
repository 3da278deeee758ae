"""`explain`: one move of a log, or one round of it, with the rule for everything."""

from typing import Any

from dominohall_engine import clauses, fives, forty_two
from dominohall_engine.clauses.book import FILES, read_data
from dominohall_engine.forty_two.authority import BIDDER_NAMES, cite
from dominohall_engine.game import Phase
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.options import options_to_plain

from dominohall_replays.errors import ReplayError
from dominohall_replays.explain import fives as fives_told
from dominohall_replays.explain.decisions import (
    boneyard_before,
    choices,
    ends_before,
    hands_of,
    move_said,
    move_to_plain,
    refusals,
    refused,
)
from dominohall_replays.explain.record import Record, record_of
from dominohall_replays.explain.standing import standing_of
from dominohall_replays.explain.story import opening_of, story_of
from dominohall_replays.explain.values import About, Cited, Decision, Explanation, Said
from dominohall_replays.log import Source
from dominohall_replays.rounds import Round, numbers_said, round_numbered
from dominohall_replays.verdicts import Report
from dominohall_replays.verify import verify
from dominohall_replays.words import Words


class NothingToExplain(ReplayError, ValueError):
    """A sequence or a round that the log does not have, or whose tiles it does not show."""


def explain(
    source: Source,
    *,
    at: int | None = None,
    round_number: int | None = None,
    language: str = "en",
    report: Report | None = None,
) -> Explanation:
    """Explain the move at a sequence (0 is the header), or a whole round (1 is the first), of a log.

    The log may be faulty: it is explained as far as it holds, and a move that the rules forbid is explained as such.
    `report` is what `verify` found, for callers who verified with keys or receipts; without one the log is verified
    here. `language` is one of `en`, `pl`, `ru`.

    Raises `NothingToExplain` where there is no such move or round before the end or the fault of the log,
    `UnreadableLog` or `LogFault` if not even the header holds, `ValueError` unless one of `at` and `round_number` is
    given.
    """
    if (at is None) == (round_number is None):
        raise ValueError("expected either the sequence of a move or the number of a round")
    words = Words(language)
    record = record_of(source)
    found = verify(source) if report is None else report
    decision, story = None, None
    if at is not None:
        _check(at, record)
        decision = _decision(record, at, words)
        each = next((each for each in record.rounds if _holds(each, record, at)), None)
        story = None if each is None else story_of(record, each, words)
    elif round_number is not None:
        asked = round_numbered(record.rounds, round_number)
        if asked is None:
            raise NothingToExplain(f"expected {numbers_said(record.rounds)}, got {round_number}")
        story = story_of(record, asked, words)
    standing = standing_of(found, words)
    ids = {id_ for part in (standing, decision, story) for id_ in ids_in(part)}
    return Explanation(
        language,
        about_of(record),
        record.game.sides(record.options),
        standing,
        decision,
        story,
        cited(ids, language, record.options.revision),
    )


def _check(at: int, record: Record) -> None:
    """Refuse a sequence that can't be explained."""
    last = len(record.steps) + (record.refused is not None)
    if 0 <= at <= last:
        return
    if record.fault is not None:
        raise NothingToExplain(f"expected a sequence from 0 to {last}, where the log stops to hold, got {at}")
    if record.is_redacted:
        raise NothingToExplain(f"expected a sequence from 0 to {last}, where this redacted log stops to show its tiles")
    raise NothingToExplain(f"expected a sequence from 0 to {last}, got {at}")


def _holds(each: Round, record: Record, at: int) -> bool:
    """Say whether a move lies in a round; one that was refused lies in the round that it was made in."""
    first, last = each.first_sequence, each.last_sequence
    return first <= at <= last or (at == last + 1 == len(record.steps) + 1 and not each.finished)


def about_of(record: Record) -> About:
    """Return what the header of a log says."""
    header, game = record.header, record.game
    presets = [name for name, options in game.PRESETS.items() if options == record.options]
    return About(
        header.match_id,
        header.owner,
        header.game,
        f"{game.NAME}.{presets[0]}" if presets else game.NAME,
        header.rules_revision,
        options_to_plain(record.options),
        header.labels,
        header.marks,
    )


def _decision(record: Record, at: int, words: Words) -> Decision | None:
    """Explain one move; None for the header."""
    if at == 0:
        return None
    game = record.game
    if at > len(record.steps):
        assert record.refused is not None  # noqa: S101 - `_check` has seen to it
        entry, move = record.refused
        before = record.steps[-1].after if record.steps else record.beginning
        after = None
    else:
        entry, move, before, after = record.steps[at - 1]
    is_shake = isinstance(move, Shake)
    illegal = refusals(game, before, words)
    if after is None:
        violation = game.violation(before, move)
        assert violation is not None  # noqa: S101 - the fold was refused the same move in the same state
        done = refused(violation, move, words, made=True)
        illegal = (done, *[each for each in illegal if done.moves[0] not in each.moves or len(each.moves) > 1])
    return Decision(
        at,
        entry.offset,
        game.shakes(after if is_shake and after is not None else before),
        str(game.phase(before)),
        game.turn(before),
        move_to_plain(move),
        _who_did_what(move, words),
        hands_of(game, after if is_shake and after is not None else before),
        ends_before(game, before, words),
        boneyard_before(before),
        choices(game, before, move, words),
        illegal,
        _refused_result(illegal[0].message, illegal[0].clauses, words) if after is None else _result(record, at, words),
    )


def _refused_result(message: str, clauses: tuple[str, ...], words: Words) -> tuple[Said, ...]:
    return (Said(words("decision.forbidden", message=message), clauses),)


def _who_did_what(move: Any, words: Words) -> str:  # noqa: ANN401 - a move of any game
    said = move_said(move, words)
    seat = getattr(move, "seat", None)
    if seat is None or isinstance(move, forty_two.Lot):
        return said
    return words("decision.who", seat=seat, move=said)


def _result(record: Record, at: int, words: Words) -> tuple[Said, ...]:
    """Say what came of a move, in its trick and its round too."""
    step = record.steps[at - 1]
    game, move, after = record.game, step.move, step.after
    said: list[Said] = []
    each = next((each for each in record.rounds if _holds(each, record, at)), None)
    if isinstance(move, Abandon):
        return (Said(words("score.abandoned", reason=move.reason), ("D-15",)),)
    if isinstance(move, forty_two.Lot):
        return (Said(words("forty_two.lot", seat=move.seat), ("F42-PL-11", "D-04")),)
    if isinstance(move, fives.Lot):
        return (fives_told.lot_said(move.tiles, after.leader, words),)
    if isinstance(move, Shake) and each is not None:
        return (Said(words("decision.dealt"), ("D-04", "D-05")), opening_of(record, each, words))
    if isinstance(move, forty_two.Play) and each is not None:
        story = story_of(record, each, words)
        (trick,) = [trick for trick in story.tricks if any(play.sequence == at for play in trick.plays)]
        said += [each_said for each_said in (trick.led, trick.won, trick.counted) if each_said is not None]
    elif isinstance(move, fives.Play | fives.Draw | fives.Knock):
        said.append(fives_told.turns_of((step,), words)[0].said)
    elif game.phase(after) is Phase.NAMING:
        facts = {"seat": game.turn(after), "bid": after.bid}
        said.append(Said(words("forty_two.won_auction", **facts), cite(record.options, BIDDER_NAMES)))
    elif isinstance(move, forty_two.NameTrump):
        said.append(_trump_said(record, move, words))
    if each is not None and game.order(after) is None:
        gained = " : ".join([f"+{points}" for points in each.gained])
        said.append(Said(words("decision.round_over", gained=gained)))
    return tuple(said)


def _trump_said(record: Record, move: forty_two.NameTrump, words: Words) -> Said:
    free = record.options.first_lead is forty_two.FirstLead.FREE
    key = "forty_two.trump_then_any" if free else "forty_two.trump_then_trump"
    topic = (("F42-PL-19", "A-PL-14"), ("F42-RU-12", "A-RU-10"))
    return Said(words(key, seat=move.seat, suit=words.suit(move.trump)), cite(record.options, topic))


def cited(ids: set[str], language: str, revision: int) -> tuple[Cited, ...]:
    """Return clauses by their ids, in the order of the rules pages, as the rules revision of the match had them."""
    order = [id_ for name in FILES for id_ in read_data(name) if id_ != "presets" and id_ in ids]
    return tuple(
        Cited(id_, clauses.clause(id_, language, revision).text, clauses.clause(id_, "en", revision).text)
        for id_ in order
    )


def ids_in(value: Any) -> list[str]:  # noqa: ANN401 - any part of an explanation
    """Collect the ids of clauses from a value and everything in it."""
    if isinstance(value, tuple):
        return [id_ for each in value for id_ in ids_in(each)]
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is None:
        return []
    found = list(value.clauses) if "clauses" in fields else []
    return found + [id_ for name in fields if name != "clauses" for id_ in ids_in(getattr(value, name))]
