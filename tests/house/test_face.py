"""The public face of the engine: what an embedding app may rely on, and nothing by accident."""

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType

FACE = Path(__file__).with_name("face.txt")
MODULES = (
    "forty_two",
    "fives",
    "errors",
    "game",
    "games",
    "moves",
    "outcomes",
    "seats",
    "shuffle",
    "tiles",
    "violations",
)


def public(module: ModuleType) -> list[str]:
    """Return the public names of a module: those it lists, or those it defines itself."""
    names = getattr(module, "__all__", None) or defined(ast.parse(inspect.getsource(module)))
    return sorted(name for name in names if not name.startswith("_"))


def defined(tree: ast.Module) -> set[str]:
    """Return the names that a module's own statements make, imports left out."""
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return names


def test_the_face_is_the_committed_one() -> None:
    """A name that is added or taken away is a decision: it changes face.txt, and the changelog, in the same commit."""
    modules = {name: importlib.import_module(f"dominohall_engine.{name}") for name in MODULES}
    shown = [f"{name}.{member}" for name, module in modules.items() for member in public(module)]
    assert shown == FACE.read_text().splitlines()


def test_both_games_have_the_whole_face() -> None:
    """What the shape of a game asks for, each game offers under `__all__`."""
    game = importlib.import_module("dominohall_engine.game").Game
    wanted = {name for name in vars(game) if not name.startswith("_")}
    for name in ("forty_two", "fives"):
        assert wanted <= set(public(importlib.import_module(f"dominohall_engine.{name}"))), name
