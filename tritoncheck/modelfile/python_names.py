"""What surely ends the import of a Python file: a name that nothing binds, a `raise` that nothing guards.

Only what runs whenever the file is imported is looked at, and only as long as all names that the file may have are to
be seen: no `import *`, no `exec` and its like. Measured with the Python backend of real servers 22.11 to 24.10. Knows
nothing of models.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Calls and modules by which a file may get a name that its statements do not show.
MAGIC = frozenset(("exec", "eval", "globals", "setattr", "vars", "locals", "__import__", "import_module"))
_BACKDOORS = MAGIC | {"builtins", "__builtins__", "__dict__", "modules"}
# What any module or class body has, what `gettext` installs, and the builtins that not every Python has.
_GIVEN = frozenset(dir(builtins)).union(
    ("__file__", "__name__", "__doc__", "__package__", "__spec__", "__loader__", "__path__", "__cached__"),
    ("__annotations__", "__module__", "__qualname__", "__class__", "_", "copyright", "credits", "exit", "license"),
    ("quit", "aiter", "anext", "EncodingWarning", "BaseExceptionGroup", "ExceptionGroup", "WindowsError"),
    ("PythonFinalizationError",),
)


class Failure(NamedTuple):
    """What ends an import. name: the name that is bound nowhere, "" for a `raise`. line, column: where, from 1."""

    name: str
    line: int
    column: int


def failures(tree: ast.Module) -> tuple[Failure, ...]:
    """What ends the import, the first of it; () if nothing is known to."""
    nodes = list(ast.walk(tree))
    bound = None if any(map(_hides_names, nodes)) else {name for node in nodes for name in _bound(node)} | _GIVEN
    for node in _run(tree.body):
        if isinstance(node, ast.Raise):
            return (Failure("", node.lineno, node.col_offset + 1),)
        if isinstance(node, ast.Name) and bound is not None and node.id not in bound:
            return (Failure(node.id, node.lineno, node.col_offset + 1),)
    return ()


def _hides_names(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return any(alias.name == "*" or alias.name in _BACKDOORS for alias in node.names)
    if isinstance(node, ast.Import):
        return any(alias.name in _BACKDOORS for alias in node.names)
    if isinstance(node, ast.Name):
        return node.id in _BACKDOORS
    if isinstance(node, ast.Call) and any(isinstance(one, ast.Name) and one.id == "__name__" for one in node.args):
        return not (isinstance(node.func, ast.Attribute) and node.func.attr == "getLogger")  # as `_convert_` of enums
    return isinstance(node, ast.Attribute) and node.attr in _BACKDOORS


def _bound(node: ast.AST) -> Iterable[str]:
    """The names that a node binds, in whatever scope."""
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, ast.Global | ast.Nonlocal):
        return node.names
    names = (getattr(node, field, None) for field in ("name", "rest"))  # `except … as`, patterns, type parameters
    return [name for name in names if isinstance(name, str)]


def _run(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """The statements and names that are run in any case, in their order. What follows a block that may leave is not
    known to be run, but a block that leaves a module ends its import all the same."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            for part in (*node.decorator_list, *node.bases, *(one.value for one in node.keywords)):
                yield from _read(part)
            yield from _run(node.body)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults))
            for part in given:
                yield from _read(part)
        elif isinstance(node, ast.Raise):
            yield node
        elif isinstance(node, ast.Expr | ast.Assign):
            yield from _read(node.value)


def _read(node: ast.AST) -> Iterator[ast.Name]:
    """The names that an expression reads whatever the values are."""
    if isinstance(node, ast.Name):
        yield node
    elif isinstance(node, ast.BoolOp):
        yield from _read(node.values[0])
    elif isinstance(node, ast.IfExp):
        yield from _read(node.test)
    elif not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Compare):
        for inner in ast.iter_child_nodes(node):
            yield from _read(inner)
