"""Chaos: real hosts, real servers, one store, and everything between them failing at random.

Hosts play with `dominohall.client` through a proxy that cuts connections and drops replies, servers are killed, the
database is restarted, the disk is filled. Afterwards every acknowledged move must stand in exactly one log.

    python -m dominohall_loadtest.chaos --minutes 2 --store sqlite

`docs/chaos.md` says what is done, what is checked and what came of it.
"""
