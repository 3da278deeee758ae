"""The 17 bytes in which the options stand in every state (see `encoding`)."""

from collections.abc import Mapping
from enum import StrEnum
from struct import Struct
from typing import Final

from dominohall_engine.errors import InvalidOptions, UnreadableState
from dominohall_engine.fives.options import BlockLead, BlockScore, DrawRule, Options, SpinnerRule, TieLead, TieRule

_OPTIONS: Final = Struct(">13B2H")


def pack_options(options: Options) -> bytes:
    """Write the options: numbers and flags as themselves, an enum as its place, no round limit as 0."""
    return _OPTIONS.pack(
        options.revision,
        options.seats,
        options.partners,
        options.hand_size,
        _place(options.draw),
        options.reserve,
        _place(options.spinner),
        _place(options.block_score),
        _place(options.tie),
        _place(options.tie_lead),
        _place(options.block_lead),
        options.finish_hand,
        options.opening_scores,
        options.target,
        options.round_limit or 0,
    )


def _place(value: StrEnum) -> int:
    return list(type(value)).index(value)


def unpack_options(data: bytes) -> Options:
    """Read the options back; `UnreadableState` for bytes that `pack_options` does not write."""
    numbers = _OPTIONS.unpack(data)
    try:
        return Options(
            revision=numbers[0],
            seats=numbers[1],
            partners=_FLAGS[numbers[2]],
            hand_size=numbers[3],
            draw=list(DrawRule)[numbers[4]],
            reserve=numbers[5],
            spinner=list(SpinnerRule)[numbers[6]],
            block_score=list(BlockScore)[numbers[7]],
            tie=list(TieRule)[numbers[8]],
            tie_lead=list(TieLead)[numbers[9]],
            block_lead=list(BlockLead)[numbers[10]],
            finish_hand=_FLAGS[numbers[11]],
            opening_scores=_FLAGS[numbers[12]],
            target=numbers[13],
            round_limit=numbers[14] or None,
        )
    except (LookupError, InvalidOptions) as fault:
        raise UnreadableState(f"expected the options of a match, got others: {fault}") from None


_FLAGS: Final[Mapping[int, bool]] = {0: False, 1: True}
