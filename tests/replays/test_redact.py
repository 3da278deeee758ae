"""Redacted logs show what one viewer saw, hold under the same chain, and give nothing else away."""

import random
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from hashlib import sha256
from itertools import product
from typing import Any

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.errors import IllegalMove
from dominohall_engine.moves import Abandon, Shake
from dominohall_replays import deals
from dominohall_replays.log import read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.reading import OpenedShake
from dominohall_replays.records import BYTES_32
from dominohall_replays.redact import When, opened_tiles, redact
from dominohall_replays.verdicts import DealStatement, LegalityStatement, Report, Verdict
from dominohall_replays.verify import verify

TABLES: dict[str, tuple[str, Any]] = {
    "forty_two.polish": ("forty_two", forty_two.POLISH),
    "forty_two.russian": ("forty_two", forty_two.RUSSIAN),
    "fives.linear": ("fives", fives.LINEAR),
    "two seats": ("fives", replace(fives.LINEAR, seats=2, partners=False)),
    "three seats": ("fives", replace(fives.LINEAR, seats=3, partners=False)),
    "one draw": ("fives", replace(fives.LINEAR, seats=3, partners=False, draw=fives.DrawRule.ONE)),
}


def openings_of(log: bytes) -> list[Any]:
    """Return what stands beside each shake."""
    return [entry.opened for entry in read_log(log) if entry.root is not None]


def redactions(log: bytes, seats: int) -> list[tuple[int | None, When, bytes]]:
    """Redact a log for everybody, in every way."""
    return [(viewer, when, redact(log, viewer, when)) for viewer in (None, *range(seats)) for when in When]


def holds_for_everybody(match: Any) -> int:
    """Redact a match for every viewer, verify it, and check what is said; return how many moves were part-checked."""
    log, partly = match.log, 0
    whole = verify(log)
    for viewer, when, redacted in redactions(match.revealed, len(match.header.labels)):
        report = verify(redacted)
        assert report.good, (viewer, when, report)
        assert (report.head, report.recorded, report.computed) == (whole.head, whole.recorded, whole.computed)
        assert match.secret not in redacted
        if report.shown is not None:
            assert report.verdict is Verdict.REDACTED
            assert report.shown.legality is not LegalityStatement.NONE
            assert viewer is None or viewer in report.shown.seats
            assert report.deal is DealStatement.UNPROVEN
            partly += report.shown.partly_checked + report.shown.unopened_plays
        else:
            assert all(isinstance(each, OpenedShake) for each in openings_of(redacted))
    return partly


@pytest.mark.parametrize("table", TABLES)
def test_redacted_forms_of_every_preset_hold_for_every_viewer(record: Any, table: str) -> None:
    """Cut anywhere and redacted for anybody, a log keeps its head and result, holds, and says what it shows."""
    game, options = TABLES[table]
    partly = sum(
        holds_for_everybody(record(game, options, seed=seed, moves=moves))
        for seed, moves in enumerate((None, 1, 6, 11, 23, 40))
    )
    assert partly > 0


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_redacted_forms_of_many_matches_hold(record: Any, table: str) -> None:
    """The same for many more matches, cut at random places."""
    game, options = TABLES[table]
    for seed in range(60):
        holds_for_everybody(record(game, options, seed=seed, moves=random.Random(seed).randrange(120)))


def places_shown(opened: Any) -> set[int]:
    """Return the places of a shake that are shown."""
    return set(range(28)) if isinstance(opened, OpenedShake) else {each.place for each in opened}


def test_a_seat_is_shown_its_own_tiles_and_what_was_played(record: Any) -> None:
    """In the middle of a round of 42: the seat's seven places, the places of what others played, and no other."""
    match = record("forty_two", forty_two.POLISH, seed=4, moves=17)
    order = match.game.order(match.states[-1])
    played = {order.index(move.tile) for move in match.moves if isinstance(move, forty_two.Play)}
    assert played
    for viewer in (None, 0, 3):
        own = set() if viewer is None else set(range(7 * viewer, 7 * viewer + 7))
        (opened,) = openings_of(redact(match.log, viewer))
        assert places_shown(opened) == own | played
        assert [order[each.place] for each in opened] == [each.tile for each in opened]


def test_after_the_round_everything_of_it_is_shown(record: Any) -> None:
    """Who waits for the round sees all of it, and of the round in progress no more than at once."""
    match = record("fives", replace(TABLES["two seats"][1], draw=fives.DrawRule.NONE), seed=3, moves=60)
    shakes = [number for number, move in enumerate(match.moves) if isinstance(move, Shake)]
    assert len(shakes) > 1
    at_once, after = (openings_of(redact(match.log, None, when)) for when in When)
    assert all(isinstance(each, OpenedShake) for each in after[:-1])
    assert not isinstance(at_once[0], OpenedShake)
    assert at_once[-1] == after[-1]


def unplaced(match: Any, viewer: int | None) -> list[Any]:
    """Return the plays of the round in progress that the viewer's log does not open."""
    order = match.game.order(match.states[-1])
    shown = places_shown(openings_of(redact(match.log, viewer))[-1])
    begin = max(number for number, move in enumerate(match.moves) if isinstance(move, Shake))
    plays = [move for move in match.moves[begin:] if isinstance(move, fives.Play)]
    return [move for move in plays if order.index(move.tile) not in shown]


def test_a_place_that_would_tell_what_was_drawn_is_not_opened(record: Any) -> None:
    """A tile that may have been dealt or drawn stays closed while its round goes on, and is opened when it is over."""
    options = TABLES["one draw"][1]
    found = 0
    for seed in range(40):
        match = record("fives", options, seed=seed, moves=24)
        if match.game.order(match.states[-1]) is None or not (closed := unplaced(match, None)):
            continue
        found += 1
        mover = closed[0].seat
        assert closed[0] not in unplaced(match, mover)
        report = verify(redact(match.log, None))
        assert report.shown is not None
        assert report.shown.unopened_plays == len(closed)
        assert "not opened" in report.reason
    assert found > 3


def test_what_another_seat_drew_is_never_told_during_the_round(record: Any, tools: Any) -> None:
    """Exchange what a seat was dealt with what it drew, where the table can't tell: the log for others is the same."""
    options = TABLES["one draw"][1]
    tried = 0
    for seed in range(20):
        match = record("fives", options, seed=seed, moves=20)
        if match.game.order(match.states[-1]) is None:
            continue
        for viewer, other in ((0, 1), (1, 2), (None, 0)):
            log = redact(match.log, viewer)
            shown = places_shown(openings_of(log)[-1])
            drawn = [place for place in drawn_places(match, other) if place not in shown]
            first = options.hand_size * other
            dealt = [place for place in range(first, first + options.hand_size) if place not in shown]
            for one, another in product(drawn, dealt):
                swapped = exchanged(tools.add, match, one, another)
                if swapped is not None:
                    tried += 1
                    assert bare(redact(swapped.log, viewer)) == bare(log)
    assert tried > 3


def drawn_places(match: Any, seat: int) -> list[int]:
    """Return the places of the boneyard from which a seat drew in the round in progress."""
    begin = max(number for number, move in enumerate(match.moves) if isinstance(move, Shake))
    draws = [move.seat for move in match.moves[begin:] if isinstance(move, fives.Draw)]
    front = match.game.options_of(match.states[-1]).hand_size * len(match.header.labels)
    return [front + number for number, each in enumerate(draws) if each == seat]


def exchanged(add: Callable[..., Any], match: Any, one: int, other: int) -> Any:
    """Play the match again with two places of its last shake exchanged; None if a move becomes illegal by it."""
    again = copy(match)
    again.entries, again.states, again.moves = match.entries[:1], match.states[:1], []
    last = max(number for number, move in enumerate(match.moves) if isinstance(move, Shake))
    for number, move in enumerate(match.moves):
        made = move
        if number == last:
            tiles = bytearray(move.tiles)
            tiles[one], tiles[other] = tiles[other], tiles[one]
            made = Shake(bytes(tiles))
        try:
            add(again, made)
        except IllegalMove:
            return None
    return again


def bare(log: bytes) -> list[Any]:
    """Return the items of a log without what a salt is in: links, digests, roots, leaf salts and paths."""
    items: list[Any] = []
    at = 0
    while at < len(log):
        item: Any
        item, end = unpack(log, at)
        if isinstance(item, bytes):
            items.append("link")
        elif item[0] == 1:
            items.append([*item[:3], "digest", item[4], item[5] and "root"])
        elif item[0] == 17:
            items.append([17, [[place, tile, len(salt), len(path)] for place, tile, salt, path in item[1]]])
        elif item[0] == 16:
            items.append([16, item[1], "salt"])
        else:
            items.append(item)
        items.append(end - at)
        at = end
    return items


@pytest.mark.parametrize("table", TABLES)
def test_hidden_tiles_are_in_no_byte(record: Any, tools: Any, table: str) -> None:
    """Exchange hidden tiles: but for what a salt hides, every byte stays the same, and so does every length."""
    game, options = TABLES[table]
    exchanges = 0
    for seed in range(4):
        match = record(game, options, seed=seed, moves=13 + 3 * seed)
        if match.game.order(match.states[-1]) is None:
            continue
        for viewer in (None, 0, 1):
            redacted = redact(match.log, viewer)
            hidden = sorted(set(range(28)) - places_shown(openings_of(redacted)[-1]))
            rng = random.Random(seed)
            for _ in range(6):
                other = exchanged(tools.add, match, *rng.sample(hidden, 2)) if len(hidden) > 1 else None
                if other is not None and other.log != match.log:
                    exchanges += 1
                    assert bare(redact(other.log, viewer)) == bare(redacted)
                    assert redact(other.log, viewer) != redacted
    assert exchanges > 5


def test_trying_all_tiles_against_a_closed_leaf_finds_nothing(record: Any) -> None:
    """The leaf beside an opened one stands in its path: only with its own salt does the true tile give it."""
    match = record("forty_two", forty_two.POLISH, seed=4, moves=6)
    (opened,) = openings_of(redact(match.log, 1))
    order, salt = match.game.order(match.states[-1]), deals.shake_salt(match.secret, 0)
    edge = next(each for each in opened if each.place ^ 1 not in places_shown(opened))
    place, leaf = edge.place ^ 1, edge.path[0]

    def matching(guess: bytes) -> list[int]:
        domain = b"\0dominohall/leaf/1\0"
        return [tile for tile in range(28) if sha256(domain + bytes((place, tile)) + guess).digest() == leaf]

    guesses = (bytes(32), edge.salt, *(each.salt for each in opened), match.header.commitment, b"", deals.EMPTY_LEAF)
    assert not any(matching(guess) for guess in guesses)
    assert not matching(deals.leaf_salt(salt, edge.place))
    assert matching(deals.leaf_salt(salt, place)) == [order[place]]


def changed_openings(log: bytes, number: int, change: Any) -> bytes:
    """Replace what stands beside the shake of this number."""
    parts, shake = [], 0
    reading = read_log(log)
    parts.append(log[: reading.first.end])
    for entry in reading:
        data = log[entry.offset : entry.end]
        if entry.root is not None:
            if shake == number:
                data = entry.record + BYTES_32 + entry.link + opened_tiles(change(list(entry.opened or ())))
            shake += 1
        parts.append(data)
    return b"".join(parts)


def judged(log: bytes, verdict: Verdict) -> Report:
    """Verify a log and expect a verdict."""
    report = verify(log)
    assert report.verdict is verdict, report
    return report


def test_every_changed_byte_of_a_redacted_log_is_noticed(record: Any) -> None:
    """Change any byte of a redacted log: the verdict is against it."""
    match = record("fives", TABLES["two seats"][1], seed=1, moves=14)
    log = redact(match.log, 0)
    judged(log, Verdict.REDACTED)
    for place in range(0, len(log), 7):
        changed = bytearray(log)
        changed[place] ^= (0x01, 0x80, 0xFF, 0x20)[place % 4]
        assert not verify(bytes(changed)).good, place


def test_openings_that_were_tampered_with_are_caught(record: Any) -> None:
    """Two openings with their tiles exchanged, one of another shake, a tile twice, an order that is not ascending."""
    match = record("forty_two", replace(forty_two.RUSSIAN), seed=2, moves=60)
    log = redact(match.log, 2)
    openings = openings_of(log)
    assert len(openings) > 1
    last = len(openings) - 1
    shake = max(number for number, move in enumerate(match.moves, 1) if isinstance(move, Shake))
    whole = deals.openings(match.moves[0].tiles, deals.shake_salt(match.secret, 0), tuple(range(28)))
    changes: list[Any] = [
        lambda found: [found[0]._replace(tile=found[1].tile), found[1]._replace(tile=found[0].tile), *found[2:]],
        lambda found: [found[0]._replace(salt=found[1].salt), *found[1:]],
        lambda found: [found[0]._replace(path=found[1].path), *found[1:]],
        lambda found: [whole[found[0].place], *found[1:]],
        lambda found: [found[0]._replace(tile=(found[0].tile + 1) % 28), *found[1:]],
    ]
    for change in changes:
        report = judged(changed_openings(log, last, change), Verdict.ROOT_DIFFERS)
        assert report.sequence == shake
    judged(changed_openings(log, last, lambda found: found[::-1]), Verdict.UNREADABLE)
    judged(changed_openings(log, last, lambda found: [found[0], *found]), Verdict.UNREADABLE)
    without = changed_openings(log, last, lambda found: [each for each in found if each.place != 14])
    fewer = judged(without, Verdict.REDACTED)
    assert fewer.shown is not None
    assert 2 not in fewer.shown.seats


def test_an_edited_or_cut_redacted_log_is_caught_like_any_other(record: Any, signer: Any) -> None:
    """Chain, digests, receipts and signatures of a redacted log are those of the whole one."""
    match = record("forty_two", forty_two.POLISH, seed=4, moves=17)
    log = redact(match.log, 0)
    ends = [entry.end for entry in read_log(log)]
    receipt = signer.receipt(match)
    report = verify(log, public_keys=signer.public_keys, receipts=[receipt])
    assert (report.verdict, report.authentic) == (Verdict.REDACTED, True)
    assert verify(log[: ends[-2]], receipts=[receipt]).verdict is Verdict.TRUNCATED
    assert verify(log[: ends[5]] + log[ends[6] :]).verdict is Verdict.CHAIN_BROKEN
    finished = record("fives", TABLES["two seats"][1], seed=4)
    assert verify(redact(signer.signed(finished), 1), public_keys=signer.public_keys).authentic


def claimed(match: Any, exchange: tuple[int, int]) -> bytes:
    """Write a log of these moves over a shake with two places exchanged: a host that lies about the tiles.

    Records, links and digests agree; only the rules, asked about those tiles, can tell.
    """
    tiles = bytearray(match.moves[0].tiles)
    one, other = exchange
    tiles[one], tiles[other] = tiles[other], tiles[one]
    order, salt = bytes(tiles), deals.shake_salt(match.secret, 0)
    root = deals.root(order, salt)
    previous, out = match.entries[0].link, [match.entries[0].data]
    for sequence, state in enumerate(match.states[1:], 1):
        item: Any = unpack(match.entries[sequence].data)[0]
        digest = sha256(b"dominohall/state/1\0" + match.game.encode_public(state) + root).digest()
        packed = pack([*item[:3], digest, item[4], root if sequence == 1 else None])
        previous = sha256(b"dominohall/link/1\0" + previous + packed).digest()
        out.append(packed + BYTES_32 + previous + (pack([16, order, salt]) if sequence == 1 else b""))
    return b"".join(out)


def shown_only(log: bytes, places: tuple[int, ...]) -> bytes:
    """Show only these places of the one shake of a log, without asking whether it holds."""
    entry = next(iter(read_log(log)))
    assert isinstance(entry.opened, OpenedShake)
    shown = opened_tiles(deals.openings(*entry.opened, places))
    return log.replace(pack([16, *entry.opened]), shown)


def off_suit_play(record: Any) -> tuple[Any, Any, int]:
    """Return a match of 42 that stops behind a play off suit, that play, and a tile that would have followed."""
    for seed in range(200):
        match = record("forty_two", forty_two.POLISH, first=2, seed=seed, moves=17)
        move, state = match.moves[-1], match.states[-2]
        if not isinstance(move, forty_two.Play) or match.game.shakes(state) > 1:
            continue
        trick = match.game.view(state, None).trick
        if trick is None or state.contract.rules.follows[trick.plays[0].tile] >> move.tile & 1:
            continue
        played = {each.tile for each in match.moves if isinstance(each, forty_two.Play)}
        follows = state.contract.rules.follows[trick.plays[0].tile]
        order = match.moves[0].tiles
        free = [t for t in range(28) if follows >> t & 1 and t not in played and order.index(t) // 7 != move.seat]
        if free:
            return match, move, free[0]
    raise AssertionError("no such match")


def test_a_renege_is_caught_where_the_shown_tiles_tell(record: Any) -> None:
    """A seat that holds the suit and plays off it: illegal in its own log, not to be seen in a spectator's."""
    match, move, suit = off_suit_play(record)
    order = match.moves[0].tiles
    played = {each.tile for each in match.moves if isinstance(each, forty_two.Play)}
    mine = next(p for p in range(7 * move.seat, 7 * move.seat + 7) if order[p] not in played)
    log = claimed(match, (mine, order.index(suit)))
    assert judged(log, Verdict.ILLEGAL_MOVE).sequence == 17
    own = tuple(range(7 * move.seat, 7 * move.seat + 7))
    seen = {place for place in range(28) if order[place] in played}
    report = judged(shown_only(log, tuple(sorted({*own, *seen}))), Verdict.ILLEGAL_MOVE)
    assert (report.sequence, report.refusal) == (17, "MUST_FOLLOW_SUIT")
    report = judged(shown_only(log, tuple(sorted(seen))), Verdict.REDACTED)
    assert report.shown is not None
    assert report.shown.partly_checked > 0


def test_a_play_of_a_tile_that_was_not_held_is_caught(record: Any) -> None:
    """A tile that lies at another seat's place, or in a hand that is shown whole without it, can't be played."""
    match, move, _ = off_suit_play(record)
    order = match.moves[0].tiles
    played = {each.tile for each in match.moves if isinstance(each, forty_two.Play)}
    elsewhere = next(p for p in range(28) if p // 7 != move.seat and order[p] not in played)
    log = claimed(match, (order.index(move.tile), elsewhere))
    for places in ((elsewhere,), tuple(range(7 * move.seat, 7 * move.seat + 7))):
        report = judged(shown_only(log, places), Verdict.ILLEGAL_MOVE)
        assert (report.sequence, report.refusal) == (17, "TILE_NOT_HELD")
    assert judged(shown_only(log, ()), Verdict.REDACTED).shown is not None


def test_a_wrong_digest_is_caught_under_hidden_tiles(record: Any, tools: Any) -> None:
    """The digest covers public facts alone, so it is checked whatever is hidden."""
    match = record("forty_two", forty_two.POLISH, seed=4, moves=17)
    data = [entry.data for entry in match.entries]
    item: Any
    item, _ = unpack(data[-1])
    packed = pack([*item[:3], bytes(32), *item[4:]])
    link = sha256(b"dominohall/link/1\0" + match.entries[-2].link + packed).digest()
    log = b"".join([*data[:-1], packed + BYTES_32 + link])
    shaken = next(n for n, each in enumerate(match.moves, 1) if isinstance(each, Shake))
    order, salt = match.moves[shaken - 1].tiles, deals.shake_salt(match.secret, 0)
    redacted = log.replace(pack([16, order, salt]), opened_tiles(deals.openings(order, salt, (0, 9))))
    assert judged(redacted, Verdict.DIGEST_DIFFERS).sequence == 17


def test_the_opener_of_a_hidden_1_0_is_checked_by_the_digest(record: Any) -> None:
    """Under `holder_of_1_0` nobody need be shown the tile: whoever opened must have held it."""
    match = record("forty_two", forty_two.RUSSIAN, seed=6, moves=1)
    order = match.moves[0].tiles
    for shown in ((), tuple(p for p in range(28) if order[p] != 1)):
        report = judged(shown_only(match.log, shown), Verdict.REDACTED)
        assert report.shown is not None
        assert report.shown.partly_checked == 1
    with_it = judged(shown_only(match.log, (order.index(1),)), Verdict.REDACTED)
    assert with_it.shown is not None
    assert with_it.shown.legality is LegalityStatement.FULL
    holder = order.index(1) // 7
    whole = tuple(place for place in range(28) if place // 7 == holder and order[place] != 1)
    assert verify(shown_only(match.log, whole)).good


def test_hands_that_were_counted_and_are_not_shown_end_the_checking(record: Any) -> None:
    """Leave out what was laid open to be counted: no score can be computed, chain and openings are checked on."""
    match = record("fives", TABLES["two seats"][1], seed=1)
    log = redact(match.log, None)
    report = verify(changed_openings(log, 0, lambda found: found[:3]))
    assert report.verdict is Verdict.REDACTED
    assert report.shown is not None
    assert report.shown.legality is LegalityStatement.NONE
    assert report.moves == len(match.moves)
    assert "could not be checked to its end" in report.reason


def test_one_tile_at_two_places_leads_to_no_root(imported_match: Any) -> None:
    """Even where no state is computed: a forged root over a tile that lies twice is found as soon as both are shown."""
    salts, above = (bytes(32), bytes(range(32))), [bytes((each,)) * 32 for each in range(4)]
    leaves = [sha256(b"\0dominohall/leaf/1\0" + bytes((place, 5)) + salt).digest() for place, salt in enumerate(salts)]
    root = sha256(b"\1" + b"".join(leaves)).digest()
    for each in above:
        root = sha256(b"\1" + root + each).digest()
    both = [deals.Opening(place, 5, salts[place], (leaves[1 - place], *above)) for place in (0, 1)]
    assert all(deals.check_opening(root, each) for each in both)
    header: Any
    header, _ = unpack(imported_match.entries[0].data)
    header[1]["initial"][1] = root
    packed = pack(header)
    log = packed + BYTES_32 + sha256(b"dominohall/link/1\0" + bytes(32) + packed).digest()
    assert judged(log + opened_tiles(both[:1]), Verdict.REDACTED).sequence == 0
    assert judged(log + opened_tiles(both), Verdict.ROOT_DIFFERS).sequence == 0


def test_every_place_opened_by_itself_is_a_redacted_log(record: Any) -> None:
    """All 28 single openings show every tile and decide every move, and are still no whole opening."""
    match = record("forty_two", forty_two.RUSSIAN, seed=4, moves=30)
    report = judged(shown_only(match.log, tuple(range(28))), Verdict.REDACTED)
    assert report.shown is not None
    assert (report.shown.seats, report.shown.legality) == ((0, 1, 2, 3), LegalityStatement.FULL)
    assert report.deal is DealStatement.UNPROVEN


def test_an_imported_match_is_redacted_too(imported_match: Any, record: Any, tools: Any) -> None:
    """The initial tiles are opened as far as they were seen; without all of them no state can be computed."""
    unfinished = tools.go_on(tools.start_imported(record("fives", TABLES["fives.linear"][1], seed=7, moves=9)), moves=5)
    for match in (imported_match, unfinished):
        for viewer in (None, 0, 2):
            log = redact(match.log, viewer)
            report = verify(log)
            assert report.good
            assert report.head == match.head
            opened = read_log(log).first.opened
            if not isinstance(opened, OpenedShake):
                assert report.shown is not None
                assert report.shown.legality is LegalityStatement.NONE
                size = 7 if match is imported_match else TABLES["fives.linear"][1].hand_size
                own = set() if viewer is None else set(range(size * viewer, size * (viewer + 1)))
                assert own <= places_shown(opened)


def test_an_abandoned_round_shows_what_was_played(record: Any, tools: Any) -> None:
    """A round that the host ended has no hands laid open, and a redacted log of it holds."""
    match = record("fives", TABLES["three seats"][1], seed=9, moves=12)
    tools.add(match, Abandon("x"))
    order = match.moves[1].tiles
    (opened,) = openings_of(redact(match.log, None))
    played = {order.index(move.tile) for move in match.moves if isinstance(move, fives.Play)}
    assert places_shown(opened) == played
    assert judged(redact(match.log, None), Verdict.REDACTED).recorded is not None
