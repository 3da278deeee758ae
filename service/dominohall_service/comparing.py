"""A log judged by other rules, for callers of the service."""

from dominohall.v1.judgement_pb2 import Judgement
from dominohall.v1.options_pb2 import Options
from dominohall_replays.errors import UnreadableLog
from dominohall_replays.fold import LogFault
from dominohall_replays.judge import NotComparable, judge_by
from dominohall_replays.signatures import PublicKeys
from dominohall_replays.verdicts import Verdict
from dominohall_replays.verify import verify

from dominohall_service.codec.judgements import judgement_to_proto
from dominohall_service.codec.options import options_from_proto
from dominohall_service.faults import CallFault, Fault, invalid


def judge_log(log: bytes, options: Options, language: str, public_keys: PublicKeys | None) -> Judgement:
    """Judge a log; `CallFault` for options of another game, and for a log whose header can't be used."""
    game, wanted = options_from_proto(options, "options")
    report = verify(log, public_keys=public_keys, must_be_signed=False)
    try:
        judgement = judge_by(log, game.NAME, wanted, language=language, report=report)
    except NotComparable as error:
        raise invalid("options", str(error)) from None
    except LogFault as error:
        fault = Fault.UNKNOWN_RULES if error.verdict is Verdict.UNKNOWN_RULES else Fault.REPLAY_UNREADABLE
        raise CallFault(fault, str(error), [("log", str(error))]) from None
    except UnreadableLog as error:
        raise CallFault(Fault.REPLAY_UNREADABLE, str(error), [("log", str(error))]) from None
    return judgement_to_proto(judgement, report)
