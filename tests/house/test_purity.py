"""The engine and its players are functions of their arguments, shown on their source."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine" / "dominohall_engine"
MODULES = sorted(path for path in ENGINE.rglob("*.py") if "clauses" not in path.parts)
"""All but the texts of the rules: those are read from files, by whoever wants to read them."""
IMPURE = {
    "random", "secrets", "time", "datetime", "uuid", "os", "socket", "threading", "asyncio", "subprocess", "logging",
    "platform", "locale", "decimal", "statistics", "tempfile",
}  # fmt: skip
CALLS = {"hash", "id", "float", "input", "open", "print", "globals", "vars", "eval", "exec"}


def faults(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Find what a pure rules engine may not do."""
    for node in walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node, f"imports {name.name}") for name in names if not allowed(name.name))
            case ast.ImportFrom(module=str(module)) if not allowed(module):
                yield node, f"imports {module}"
            case ast.ImportFrom(level=level) if level:
                yield node, "imports by a relative path"
            case ast.Constant(value=float() | complex()):
                yield node, "has a float"
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield node, "divides into a float"
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                yield node, f"calls {name}()"
            case ast.For(iter=source) | ast.comprehension(iter=source) if unsorted(source):
                yield node if isinstance(node, ast.For) else source, "goes through a set in no order"
            case ast.Global() | ast.Nonlocal():
                yield node, "changes a variable that is not its own"


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Go through all nodes but the bodies of `__hash__`, which is what makes a value a key of a dict."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.FunctionDef) and child.name == "__hash__"):
            yield from walk(child)


def allowed(module: str) -> bool:
    """Say whether the engine may import it: itself, and what is pure of the standard library."""
    top = module.split(".", maxsplit=1)[0]
    return top == "dominohall_engine" or (top in sys.stdlib_module_names and top not in IMPURE)


def unsorted(source: ast.expr) -> bool:
    """Say whether an expression is plainly a set."""
    return isinstance(source, ast.Set | ast.SetComp) or (
        isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id in {"set", "frozenset"}
    )


@pytest.mark.parametrize("path", MODULES, ids=[path.relative_to(ENGINE).as_posix() for path in MODULES])
def test_a_module_is_pure(path: Path) -> None:
    """No clock, generator of chance, float, hash, global state or order of a set can reach a verdict."""
    found = [f"{path.name}:{getattr(node, 'lineno', 0)} {what}" for node, what in faults(ast.parse(path.read_text()))]
    assert not found


@pytest.mark.parametrize(
    "code",
    [
        "import random", "from time import time", "from . import tiles", "import grpc", "x = 0.5", "x = a / b",
        "x /= 2", "hash(x)", "for x in {1, 2}: pass", "[x for x in set(y)]", "def f():\n global x",
    ],
)  # fmt: skip
def test_the_check_itself(code: str) -> None:
    """Each thing that is forbidden is found."""
    assert list(faults(ast.parse(code)))
