"""The client against the real service: matches hosted, repeated, raced, lost and found again."""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from dominohall.client import CallFailed, Client, Forked, HistoryMissing, Patience, Refused
from dominohall.v1 import move_pb2, options_pb2, replay_pb2, replay_service_pb2
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

NUMBERS = itertools.count()
SHAKE = move_pb2.Move(shake=move_pb2.Shake())
ABANDON = move_pb2.Move(abandon=move_pb2.Abandon(reason="over"))


@pytest.fixture
def client(target: str) -> Iterator[Client]:
    """Connect to the service."""
    with Client(target) as connected:
        yield connected


@pytest.fixture
def match_id() -> str:
    """Return an id that no other test has."""
    return f"client-{next(NUMBERS)}"


@pytest.mark.parametrize("preset", ["forty_two.polish", "forty_two.russian", "fives.linear"])
def test_a_whole_match_is_hosted_in_a_few_lines(client: Client, match_id: str, preset: str) -> None:
    """Start, legal moves, apply, until it is over; the entries that came with the replies are the valid log."""
    options = options_pb2.Options(preset=preset)
    game = options.fives if preset.startswith("fives") else options.forty_two
    game.target = 50
    match = client.start(match_id, options=options)
    assert match.newest is not None
    entries = [match.newest]
    while not match.over:
        moves = match.legal_moves().moves
        entries.append(match.apply(moves[match.sequence % len(moves)]))
    log = b"".join(each.entry for each in entries)
    assert client.log(match_id).startswith(log)
    assert client.entries(match_id) == entries
    assert verify(log).verdict is Verdict.VALID
    assert verify(client.log(match_id)).verdict is Verdict.VALID


def test_the_same_call_again_is_the_same_move(client: Client, match_id: str) -> None:
    """A host that did not hear the reply repeats the move, from what it had stored: the same entry, the same head."""
    match = client.start(match_id, preset="forty_two.russian")
    before = match.kept
    made = match.apply(SHAKE, occurred_at=datetime(2026, 1, 2, tzinfo=UTC), with_state=False)
    again = client.restore(before)
    assert again.apply(SHAKE, occurred_at=datetime(2026, 1, 3, tzinfo=UTC)) == made
    assert again.kept == match.kept
    assert match.state is None
    assert again.state is not None
    assert client.start(match_id, preset="forty_two.russian").sequence == 0


def test_the_loser_of_a_race_learns_both_links_and_goes_on(client: Client, match_id: str) -> None:
    """Two hosts, one place: the loser gets `Forked`, resyncs to what it missed, and both stand at the same head."""
    one = client.start(match_id, preset="forty_two.russian")
    other = client.restore(one.kept)
    first = one.apply(SHAKE)
    second = one.apply(one.legal_moves().moves[0])
    with pytest.raises(Forked) as caught:
        other.apply(ABANDON)
    assert caught.value.sequence == 1
    assert caught.value.stored_link == first.link
    assert len(caught.value.refused_link) == 32
    assert caught.value.refused_link != first.link
    assert other.resync() == [first, second]
    assert other.kept == one.kept
    assert other.resync() == []


def test_a_host_that_lost_everything_resumes_by_the_id(client: Client, match_id: str) -> None:
    """`resume` reads the whole log, checks its chain and stands at its head; an unknown id is NOT_FOUND."""
    match = client.start(match_id, preset="fives.linear", seat_labels=["a", "b", "c", "d"])
    match.apply_all([match.legal_moves().moves[0], SHAKE])
    resumed = client.resume(match_id)
    assert resumed.kept == match.kept
    assert resumed.newest == match.newest
    resumed.apply(ABANDON)
    assert resumed.over
    assert client.resume(match_id).over
    with pytest.raises(CallFailed) as caught:
        client.resume("client-nobody")
    assert caught.value.code is grpc.StatusCode.NOT_FOUND


def test_a_refusal_can_be_shown_to_the_player(target: str, match_id: str) -> None:
    """A forbidden move is `Refused` in the client's language with clauses; a batch names its move; all goes on."""
    with Client(target, language="pl") as client:
        match = client.start(match_id, preset="forty_two.russian")
        match.apply(SHAKE)
        seat = match.legal_moves().turn
        before = match.kept
        forbidden = move_pb2.Move(play=move_pb2.Play(seat=seat, tile="6-6"))
        with pytest.raises(Refused) as caught:
            match.apply(forbidden)
        assert caught.value.reason
        assert caught.value.text
        assert caught.value.refusal.language == "pl"
        assert caught.value.clauses[0].id
        assert list(caught.value.legal_moves) == list(match.legal_moves().moves)
        assert caught.value.index is None
        with pytest.raises(Refused) as batch:
            match.apply_all([match.legal_moves().moves[0], SHAKE])
        assert batch.value.index == 1
        assert match.kept == before


def test_views_are_of_one_seat_or_of_a_spectator(client: Client, match_id: str) -> None:
    """Seat 0 is a seat and not nobody; a spectator sees no hand."""
    match = client.start(match_id, preset="forty_two.russian")
    match.apply(SHAKE)
    assert match.view(0).seat == 0
    assert len(match.view(0).forty_two.hand.tiles) == 7
    assert not match.view(None).HasField("seat")
    assert not match.view(None).forty_two.hand.tiles


def test_a_store_that_lost_its_end_is_not_believed(client: Client, match_id: str) -> None:
    """A host that knows more than the store is told so by `resync`, and keeps what it knows."""
    match = client.start(match_id, preset="forty_two.russian")
    match.apply(SHAKE)
    ahead = client.restore(match.kept)
    ahead._match.sequence = 7
    with pytest.raises(HistoryMissing) as caught:
        ahead.resync()
    assert (caught.value.stored_sequence, caught.value.token_sequence) == (1, 7)
    with pytest.raises(ValueError, match="HostedMatch"):
        client.restore(b"")


def test_any_other_method_is_called_with_the_same_care(client: Client, match_id: str) -> None:
    """`call` reaches what has no method of its own here."""
    client.start(match_id, preset="forty_two.russian")
    request = replay_service_pb2.VerifyReplayRequest(match_id=match_id)
    assert client.call(client.replays.VerifyReplay, request).report.verdict == replay_pb2.VERDICT_UNFINISHED


def test_calls_go_round_all_addresses_and_past_a_dead_one(target: str, match_id: str) -> None:
    """With a dead address among them every call is answered by a living one."""
    port = target.rpartition(":")[2]
    addresses = f"ipv4:127.0.0.1:1,127.0.0.1:{port}"
    with Client(addresses, patience=Patience(call=2.0, whole=10.0)) as client:
        match = client.start(match_id, preset="forty_two.russian")
        for _ in range(10):
            match.legal_moves()


def test_the_tutorial_is_as_short_as_it_says() -> None:
    """The first example of the page, which another test runs, hosts a match in ten lines."""
    page = (Path(__file__).parents[2] / "docs" / "client.md").read_text()
    block = page.split("<!-- run: service -->\n", 1)[1].split("```")[1]
    lines = [line for line in block.splitlines()[1:] if line.strip()]
    assert len(lines) <= 10
