"""Run the chaos: `python -m dominohall_loadtest.chaos [--minutes M] [--store S] [--transport T] [--json]`.

Prints what happened and what was found. Exit codes: 0 everything held, 1 not, 2 unusable arguments or no database.
"""

import json
import sys
from argparse import ArgumentParser

from dominohall_loadtest.chaos.run import Plan, run
from dominohall_loadtest.postgres import NoPostgres


def main(arguments: list[str]) -> int:
    """Run one plan and say what came of it."""
    parser = ArgumentParser(prog="python -m dominohall_loadtest.chaos", description=__doc__, allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=2.0, help="how long things go wrong, at most 60 (2)")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--transport", choices=("grpcio", "native"), default="grpcio")
    parser.add_argument("--servers", type=int, default=3, help="server processes on one store, 1 to 16 (3)")
    parser.add_argument("--hosts", type=int, default=6, help="hosts that play alone, 0 to 64 (6)")
    parser.add_argument("--races", type=int, default=2, help="pairs of hosts that play the same matches, 0 to 32 (2)")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", action="store_true", help="the figures as one JSON document")
    given = parser.parse_args(arguments)
    if not (0 < given.minutes <= 60 and 1 <= given.servers <= 16 and 0 <= given.hosts <= 64 and 0 <= given.races <= 32):
        parser.error("expected minutes up to 60, 1 to 16 servers, 0 to 64 hosts, 0 to 32 races")
    plan = Plan(given.store, given.transport, given.minutes * 60, given.servers, given.hosts, given.races, given.seed)
    try:
        figures = run(plan, lambda line: sys.stderr.write(f"{line}\n"))
    except NoPostgres as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(json.dumps(figures.to_json(), indent=1) if given.json else str(figures))
    sys.stdout.write("\n")
    return 0 if figures.held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
