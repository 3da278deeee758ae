"""Between the wire and the engine: pairs of `x_to_proto` and `x_from_proto`, a module a noun and a room a game.

Reading is strict: an absent field, an `UNSPECIFIED` or unknown enum value and an unreadable tile are refused with the
path of the field, and nothing is ever assumed. Whether a move is *legal* is not asked here.
"""
