"""What hosts do with replays: list them, fetch them, step through them, have them verified, signed and judged."""

import random
from functools import partial
from itertools import pairwise
from typing import Any, Final

from dominohall.v1 import replay_pb2, replay_service_pb2
from dominohall_engine.outcomes import Outcome

from dominohall_loadtest.calls import Calls, collected
from dominohall_loadtest.entries import NO_HASH, Mismatch, expect, secrets_in
from dominohall_loadtest.mirror import Mirror
from dominohall_loadtest.mix import Chances
from dominohall_loadtest.readable import check_state

PAGE_SIZE: Final = 50
MOST_PAGES: Final = 10
"""Pages that one listing reads at most; the next one goes on from there, as a host does that follows a store."""
MOST_RECEIPTS: Final = 4


class Listing:
    """How far one user has read the list of replays, which is sorted by match id."""

    def __init__(self) -> None:
        self._token = ""
        self._last = ""
        """The last match id of the page before the one that `_token` asks for."""

    def read_on(self, calls: Calls, mirror: Mirror) -> None:
        """Read the pages that follow: sorted, no id twice, and the user's own match at its head among them."""
        wanted = mirror.match_id > self._last
        for _ in range(MOST_PAGES):
            request = replay_service_pb2.ListReplaysRequest(page_size=PAGE_SIZE, page_token=self._token)
            check = partial(self._check, mirror, wanted)
            page = calls.make("ListReplays", calls.replays.ListReplays, request, check)
            wanted = wanted and all(each.match_id != mirror.match_id for each in page.replays)
            if not page.next_page_token:
                return
            self._token, self._last = page.next_page_token, page.replays[-1].match_id

    def _check(self, mirror: Mirror, wanted: bool, page: replay_service_pb2.ListReplaysResponse) -> None:
        expect("a page of at most the size asked for", True, len(page.replays) <= PAGE_SIZE)
        ids = [self._last, *(each.match_id for each in page.replays)]
        expect("match ids in ascending order", True, all(one < other for one, other in pairwise(ids)))
        for each in page.replays:
            expect("a link in the list", len(NO_HASH), len(each.link))
            if each.match_id == mirror.match_id:
                expect("sequence in the list", mirror.sequence, each.sequence)
                expect("link in the list", mirror.link, each.link)
        passed = not page.next_page_token or ids[-1] > mirror.match_id
        if wanted and passed:
            expect("the match in the list", True, mirror.match_id in ids)


class Replays:
    """What one hosted match's host does with its log."""

    def __init__(self, calls: Calls, mirror: Mirror, chances: Chances, dice: random.Random, listing: Listing) -> None:
        self.calls = calls
        self.mirror = mirror
        self.chances = chances
        self.dice = dice
        self.listing = listing
        self.landmark = (0, mirror.link, mirror.state)
        """A place passed on the way, to step the replay to at the end."""
        self.receipts: list[replay_pb2.SignedHead] = []

    def pass_by(self) -> None:
        """Now and then take where the match stands as the landmark."""
        if self.dice.random() < 0.02:
            self.landmark = (self.mirror.sequence, self.mirror.link, self.mirror.state)

    def sign(self) -> None:
        """Ask for a receipt over the head, as hosts do for the seats; a service without a signing key has none."""
        mirror = self.mirror

        def signed(reply: replay_service_pb2.SignHeadResponse) -> None:
            expect("match_id of a signed head", mirror.match_id, reply.head.match_id)
            expect("sequence of a signed head", mirror.sequence, reply.head.sequence)
            expect("link of a signed head", mirror.link, reply.head.link)
            expect("bytes of a signature", 64, len(reply.head.signature))

        request = replay_service_pb2.SignHeadRequest(match_id=mirror.match_id)
        reply = self.calls.make_either("SignHead", self.calls.replays.SignHead, request, {"NO_SIGNING_KEY"}, signed)
        if reply is not None and len(self.receipts) < MOST_RECEIPTS:
            self.receipts.append(reply.head)

    def look_back(self) -> None:
        """Look into the log of a match that goes on: all of it, and one state of it."""
        self.fetch()
        self._step()

    def fetch(self) -> bytes:
        """Fetch the log, which must be the records of the replies."""
        request = replay_service_pb2.GetReplayRequest(match_id=self.mirror.match_id)
        chunks = self.calls.make(
            "GetReplay",
            collected(self.calls.replays.GetReplay),
            request,
            lambda chunks: self.mirror.replays([chunk.entries for chunk in chunks]),
        )
        return b"".join(chunk.entries for chunk in chunks)

    def conclude(self, outcome: Outcome) -> None:
        """Do at the end what hosts do: keep the log, have it verified, look into it, and sometimes more."""
        whole = self.fetch()
        self._verify(outcome)
        self._step()
        if self.chances.due("list_replays", self.dice):
            self.listing.read_on(self.calls, self.mirror)
        if self.chances.due("redacted", self.dice):
            self._share(whole)
        if self.chances.due("judge", self.dice):
            self._judge(outcome)

    def _verify(self, outcome: Outcome) -> None:
        mirror = self.mirror
        result = replay_pb2.Result(ending=outcome.ending.value, winner_side=outcome.winner, points=outcome.scores)
        origin = replay_pb2.ORIGIN_STATEMENT_IMPORTED if mirror.marks else replay_pb2.ORIGIN_STATEMENT_STARTED

        def verified(reply: replay_service_pb2.VerifyReplayResponse) -> None:
            report = reply.report
            expect("verdict", replay_pb2.VERDICT_VALID, report.verdict)
            expect("moves re-simulated", mirror.sequence, report.move_count)
            expect("link of the report", mirror.link, report.link)
            expect("outcome of the report", True, report.computed == report.recorded == result)
            expect("origin", origin, report.origin)
            expect("shakes proven from the secret", report.chance_count - mirror.brought, report.proven_chance_count)
            statements = {finding.statement for finding in report.receipts}
            expect("receipts that hold", {replay_pb2.RECEIPT_STATEMENT_HELD} if self.receipts else set(), statements)

        request = replay_service_pb2.VerifyReplayRequest(match_id=mirror.match_id, signed_receipts=self.receipts)
        request.receipt.match_id, request.receipt.sequence, request.receipt.link = (
            mirror.match_id,
            mirror.sequence,
            mirror.link,
        )
        self.calls.make("VerifyReplay", self.calls.replays.VerifyReplay, request, verified)

    def _step(self) -> None:
        mirror, (sequence, link, state) = self.mirror, self.landmark

        def stepped(reply: replay_service_pb2.StepReplayResponse) -> None:
            expect("sequence of a step", sequence, reply.sequence)
            if sequence:
                expect("link of a step", link, reply.link)
            check_state(mirror.kind, state, reply.state, mirror.marks)

        request = replay_service_pb2.StepReplayRequest(match_id=mirror.match_id, sequence=sequence)
        self.calls.make("StepReplay", self.calls.replays.StepReplay, request, stepped)

    def _share(self, whole: bytes) -> None:
        """Fetch the log as one seat may have it, and have that verified as the seat would."""
        mirror, seat = self.mirror, self.dice.choice(self.mirror.kind.seats)
        request = replay_service_pb2.GetReplayRequest(
            match_id=mirror.match_id, redact_for=replay_pb2.Redaction(seat=seat)
        )

        def silent(chunks: list[Any]) -> None:
            redacted = b"".join(chunk.entries for chunk in chunks)
            expect("the match secret in a redacted log", False, any(each in redacted for each in secrets))

        secrets = secrets_in(whole[len(mirror.log) :])
        fetched = self.calls.make("GetReplay, redacted", collected(self.calls.replays.GetReplay), request, silent)

        def verified(reply: replay_service_pb2.VerifyReplayResponse) -> None:
            shown = {replay_pb2.VERDICT_REDACTED, replay_pb2.VERDICT_VALID}  # valid where every tile came to the table
            expect("a verdict on a redacted log", True, reply.report.verdict in shown)
            expect("link of a redacted log", mirror.link, reply.report.link)

        self.calls.make(
            "VerifyReplay, redacted",
            self.calls.replays.VerifyReplay,
            replay_service_pb2.VerifyReplayRequest(log=b"".join(chunk.entries for chunk in fetched)),
            verified,
        )

    def _judge(self, outcome: Outcome) -> None:
        """Judge the log by its own rules, which must see nothing differently."""
        mirror = self.mirror

        def judged(reply: replay_service_pb2.JudgeReplayResponse) -> None:
            judgement = reply.judgement
            expect("verdict of a judgement", replay_pb2.VERDICT_VALID, judgement.report.verdict)
            stages = (judgement.auction, judgement.play, judgement.scoring)
            expect("differences from its own rules", [0, 0, 0], [stage.difference_count for stage in stages])
            expect("points played", list(outcome.scores), list(judgement.played_points))
            expect("points judged", list(outcome.scores), list(judgement.judged_points))

        request = replay_service_pb2.JudgeReplayRequest(match_id=mirror.match_id, options=mirror.kind.to_proto())
        self.calls.make("JudgeReplay", self.calls.replays.JudgeReplay, request, judged)


def finished(mirror: Mirror) -> Outcome:
    """Return how a match ended; `Mismatch` if it did not."""
    outcome = mirror.game.outcome(mirror.state)
    if outcome is None:
        raise Mismatch("expected an outcome")
    return outcome
