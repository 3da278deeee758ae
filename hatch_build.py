"""The optional compiled build: `make wheel-compiled`, or `DOMINOHALL_COMPILE=1 python -m hatchling build -t wheel`.

mypyc compiles the source as it stands, so both builds give the same bytes, and the tests run on both. A copy is
compiled: the checkout stays as it is. Without the variable nothing happens here, and nobody needs a compiler.
"""

import os
import shutil
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES: Final = ("engine/dominohall_engine", "replays/dominohall_replays")
COMPILED: Final = (
    "dominohall_engine/moves.py",
    "dominohall_engine/seats.py",
    "dominohall_engine/shuffle.py",
    "dominohall_engine/tiles.py",
    "dominohall_engine/f*/*.py",
    "dominohall_engine/fives/spinners/*.py",
    *[
        f"dominohall_replays/{name}.py"
        for name in (
            *("packing", "header", "reading", "deals"),
            *("fold", "hidden", "stretch", "kept", "verify"),
            *("compact", "compact_body", "compact_digits", "compact_row", "compact_writer"),
        )
    ],
)
"""The modules in which bulk work spends its time: playing, and judging logs whole or compact.

Not `records`, whose writers refuse arguments of a wrong type in words of their own, nor `log`, which reads files.
"""
LEFT_OUT: Final = ("__init__", "options", "problems", "view")
"""Those that nothing is gained by; and options are read by their annotations, which mypyc does not keep whole."""
OPTIMISED: Final = "2"
"""gcc's level: all of it is one file of C, a minute and a half of work."""


class CompiledBuild(BuildHookInterface[Any]):
    """Adds the compiled modules beside their source."""

    def dependencies(self) -> list[str]:
        """Return what a compiled build needs on top."""
        return ["mypy==2.4.1", "setuptools"] if wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, if that was asked for; an editable install is never compiled."""
        if not wanted() or version == "editable":
            return
        self._folder = TemporaryDirectory(prefix="dominohall-compiled-")
        for path, built in compiled(Path(self.root), Path(self._folder.name)):
            build_data["force_include"][str(built)] = path
        build_data["infer_tag"], build_data["pure_python"] = True, False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Take the copy away, once the wheel is written."""
        if not build_data.get("pure_python", True):
            self._folder.cleanup()


def wanted() -> bool:
    """Say whether the compiled build was asked for."""
    return os.environ.get("DOMINOHALL_COMPILE", "0") not in {"", "0"}


def compiled(root: Path, folder: Path) -> list[tuple[str, Path]]:
    """Compile a copy of the packages in `folder`; return each extension module and its place in the wheel."""
    from mypyc.build import mypycify  # noqa: PLC0415 - only this build needs them
    from setuptools import Distribution  # type: ignore[import-untyped]  # noqa: PLC0415

    source, built = folder / "source", folder / "built"
    for package in PACKAGES:
        shutil.copytree(root / package, source / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    with chdir(source):  # mypyc names modules by their paths from here
        paths = sorted(str(path) for each in COMPILED for path in Path().glob(each) if path.stem not in LEFT_OUT)
        extensions = mypycify(
            ["--ignore-missing-imports", *paths], opt_level=OPTIMISED, debug_level="0", group_name="dominohall"
        )
        command = Distribution({"ext_modules": extensions, "packages": []}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(built), str(folder / "objects")
        command.ensure_finalized()
        command.run()
    return [(path.relative_to(built).as_posix(), path) for path in sorted(built.rglob("*.so"))]
