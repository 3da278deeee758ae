"""Built-in players: each takes a view, what a seat may see, and returns a move of that seat.

They are pure functions without chance or memory, made to keep a table going when nobody sits there and to give tests
and demonstrations sensible play. A player imports views, moves and tables of its game, never a state.
"""
