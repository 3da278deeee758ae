"""What an embedding app must not get past its type checker: every marked line is an error, of the kind it names."""

from dominohall_engine import fives, forty_two

state = forty_two.new_match(forty_two.POLISH)
view = forty_two.view(state, 0)
linear = fives.new_match(fives.LINEAR)

forty_two.apply(view, forty_two.Pass(0))  # refused: arg-type
forty_two.encode(view)  # refused: arg-type
forty_two.legal_moves(linear)  # refused: arg-type
forty_two.apply(state, fives.Knock(0))  # refused: arg-type
forty_two.new_match(fives.LINEAR)  # refused: arg-type
forty_two.Bid(0)  # refused: call-arg
forty_two.POLISH.target = 100  # refused: misc
seat: int = forty_two.turn(state)  # refused: assignment
winner = forty_two.outcome(state).winner  # refused: union-attr
