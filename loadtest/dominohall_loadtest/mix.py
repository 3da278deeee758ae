"""How often hosts do what, and the chance that decides whether it is due.

A dice thrown each time would leave a short run without the rare calls and make two runs hard to compare. So each share
is counted up, unevenly enough that two things do not march in step, and whatever it is happens when it is due: of 1,000
turns a share of 0.02 gets 20, give or take one.
"""

import random
from dataclasses import asdict, dataclass
from typing import Final

FIRST_DUE: Final = 0.9
"""How far everything is counted up at the start: the rare things come early, and a short run has them all."""


@dataclass(frozen=True)
class Mix:
    """Shares, 0 to 1: of the turns of seats, of the chance moves, of the matches, or of their ends."""

    full_reply: float = 0.5
    """Of the moves: replies with the readable state; the others carry the token alone."""
    own_view: float = 0.7
    """Of the turns."""
    other_view: float = 0.2
    """Of the turns: a view of another seat or of a spectator."""
    legal_moves: float = 0.3
    """Of the turns."""
    illegal_move: float = 0.04
    """Of the turns."""
    validate_only: float = 0.02
    """Of the moves."""
    batch: float = 0.05
    """Of the turns, and of the chance moves: several moves in one call."""
    batch_to_shake: float = 0.5
    """Of the batches that end a round: the next shake in the same call."""
    retry: float = 0.03
    """Of the moves."""
    race: float = 0.02
    """Of the turns."""
    resume: float = 0.02
    """Of the turns: a host that lost its token."""
    fetch_replay: float = 0.005
    """Of the turns: the log so far, the list of replays, a step back."""
    edited_token: float = 0.005
    """Of the turns."""
    sign_head: float = 0.2
    """Of the chance moves: a receipt for the seats."""
    abandoned_match: float = 0.05
    """Of the matches."""
    start_again: float = 0.2
    """Of the matches: started twice, and then a third time with other options."""
    import_match: float = 0.1
    """Of the matches: begun elsewhere, and brought here in the middle of a round."""
    list_games: float = 0.1
    """Of the matches."""
    illegal_after_end: float = 0.2
    """Of the ends."""
    list_replays: float = 0.3
    """Of the ends."""
    judge: float = 0.08
    """Of the ends: the log under other rules, the dearest call that there is."""
    redacted: float = 0.1
    """Of the ends: the log as one seat may have it."""


class Chances:
    """Whether what a mix asks for is due. One for all users of a process, so that the shares hold for all together."""

    def __init__(self, mix: Mix) -> None:
        self.mix = mix
        self._shares: dict[str, float] = asdict(mix)
        self._counted = dict.fromkeys(self._shares, FIRST_DUE)

    def due(self, name: str, dice: random.Random) -> bool:
        """Count an occasion for the share of this name, and say whether it is to be taken."""
        share = self._shares[name]
        self._counted[name] += share * dice.uniform(0.5, 1.5)
        if self._counted[name] < 1:
            return False
        self._counted[name] -= 1
        return share > 0
