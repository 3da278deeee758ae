"""The demo: a real service, whole matches over gRPC, their replays verified, and a forger caught.

server      the service in a child process, with keys and a store of its own
table       one match played over a channel by built-in players that see only their seat's view
refusals    a move that the rules forbid, refused in three languages
forgery     copies of a log that were changed or cut, and what `verify` says of them
run         all of it in order, as a `DemoReport`
story       the report as a person reads it
"""
