"""Locust users that host whole matches over gRPC and believe no reply.

Each user plays matches of every preset from each seat's view, as a host would, and follows them with an engine of its
own: sequence, links, digests, states, views, legal moves and replays must all be what that engine says. What a host
must expect to be refused (a move against the rules, a lost race) is counted as a refusal; only what is wrong is a
failure. `python -m dominohall_loadtest` runs it; it stops by itself and its exit code says whether the thresholds held.
"""
