"""Programs that the benchmark builds or starts, each a process of its own: a load in C, an echo, contenders."""

from pathlib import Path
from typing import Final

PROGRAMS: Final = Path(__file__).parent
