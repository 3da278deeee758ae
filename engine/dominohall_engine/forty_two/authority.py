"""Which clauses decide: for every question one list under each of the two texts.

The two texts differ most plainly in who opens the auction (X-01), so that option says which text a table plays by:
`left_of_shaker` is judged by the Polish text (F42-PL and its A-PL readings), `holder_of_1_0` by the Russian one
(F42-RU, A-RU). Where another option departs from that text, the reading that names the option (an A- or D- id) is
cited. The deciding clause stands first.
"""

from typing import Final

from dominohall_engine.forty_two.options import Opener, Options

Clauses = tuple[str, ...]
Topic = tuple[Clauses, Clauses]
"""The clauses under the Polish text, and those under the Russian one."""

# what the match waits for
LOT_DUE: Final[Topic] = (("F42-PL-11", "D-04"), ("D-04",))
SHAKE_DUE: Final[Topic] = (("F42-PL-12", "D-04"), ("F42-RU-03", "D-04"))
AUCTION_DUE: Final[Topic] = (("F42-PL-03", "F42-PL-16"), ("F42-RU-04", "F42-RU-06"))
NAMING_DUE: Final[Topic] = (("F42-PL-19", "A-PL-15"), ("F42-RU-12", "D-03"))
TRICKS_DUE: Final[Topic] = (("F42-PL-24", "F42-PL-20"), ("F42-RU-14", "F42-RU-12"))
TARGET_REACHED: Final[Topic] = (("F42-PL-28",), ("A-RU-18",))
DRAWN: Final[Topic] = (("A-PL-17",), ("A-RU-19",))
ROUND_LIMIT_REACHED: Final[Topic] = (("D-13",), ("D-13",))
ABANDONED: Final[Topic] = (("D-15",), ("D-15",))

# whose turn it is
SEATS: Final[Topic] = (("F42-PL-04",), ("F42-RU-02",))
CALL_IN_TURN: Final[Topic] = (("F42-PL-18", "A-PL-20"), ("F42-RU-06", "A-RU-20"))
CALL_ONCE: Final[Topic] = (("F42-PL-17",), ("F42-RU-07",))
BIDDER_NAMES: Final[Topic] = (("F42-PL-19",), ("F42-RU-12",))
BIDDER_LEADS: Final[Topic] = (("F42-PL-19",), ("F42-RU-12",))
WINNER_LEADS: Final[Topic] = (("A-PL-09",), ("F42-RU-17",))
PLAY_IN_TURN: Final[Topic] = (("A-PL-20",), ("F42-RU-14", "A-RU-20"))

# chance
LOT: Final[Topic] = (("F42-PL-11", "D-04"), ("D-04",))
SHAKE: Final[Topic] = (("F42-PL-12", "D-05"), ("F42-RU-03", "D-05"))

# the auction
LOWEST: Final[Topic] = (("F42-PL-15",), ("F42-RU-07",))
FORCED: Final[Topic] = (("A-PL-10",), ("A-RU-05",))
HIGHEST: Final[Topic] = (("A-PL-11", "F42-PL-13"), ("A-RU-06", "F42-RU-05"))
RAISE: Final[Topic] = (("F42-PL-16", "A-PL-12"), ("F42-RU-07", "A-RU-04"))
RAISE_EQUAL: Final[Topic] = (("F42-PL-16", "A-PL-12"), ("A-RU-03", "F42-RU-07"))

# trumps
TRUMPS: Final[Topic] = (("F42-PL-08", "A-PL-13"), ("F42-RU-10", "A-RU-07"))
TRUMP_HELD: Final[Topic] = (("D-03", "A-PL-14"), ("D-03", "F42-RU-13"))
LEAD_TRUMP: Final[Topic] = (("A-PL-14", "D-03"), ("A-RU-10", "F42-RU-12"))

# tricks
HELD: Final[Topic] = (("F42-PL-12",), ("F42-RU-03",))
FOLLOW: Final[Topic] = (("F42-PL-20", "F42-PL-21"), ("A-RU-09", "F42-RU-11"))
FOLLOW_TRUMP_LED: Final[Topic] = (("F42-PL-20", "F42-PL-21", "A-PL-03"), ("A-RU-09", "A-RU-08"))
TRUMP_IS_NO_OTHER_SUIT: Final[Topic] = (("A-PL-02",), ("A-RU-08",))
DOUBLE_IS_NO_NUMBER: Final[Topic] = (("A-PL-13",), ("A-RU-07",))


def cite(options: Options, topic: Topic) -> Clauses:
    """Return the clauses that decide this question under these options."""
    return topic[0] if options.opener is Opener.LEFT_OF_SHAKER else topic[1]
