"""The rules of dominoes as pure functions: `from dominohall_engine import forty_two, fives`.

Each game is a module with the same functions (`game.Game` is their shape). Importing this package alone imports no
game; nothing here needs anything but Python.
"""

from typing import Final

from dominohall_engine import tiles

COMPILED: Final = not tiles.__file__.endswith(".py")
"""Whether this is the compiled build (`hatch_build.py` of the source makes it): the same bytes, in less time."""
