"""Archives made from a seed: whole matches, no service needed, with faults planted if they are asked for.

What a seed gives is the same on every machine, whatever the number of processes: it is cut into chunks that are played
and written apart from one another. `manifest.json` says what was made, and lists every fault with its place.
"""

from dominohall_replays.generate.chunks import FAULTS, Form, Planted
from dominohall_replays.generate.run import MANIFEST, Generated, Wanted, generate

__all__ = ["FAULTS", "MANIFEST", "Form", "Generated", "Planted", "Wanted", "generate"]
