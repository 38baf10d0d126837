"""What a `model.py` defines, from its syntax tree; nothing of it is run.

The Python backend imports the file, takes the class `TritonPythonModel` from it and calls its methods by position
(python_backend `src/pb_stub.cc`, 20.11 to 26.06). Knows nothing of configurations.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tritoncheck.modelfile.python_names import MAGIC, Failure, failures
from tritoncheck.modelfile.window import read_whole

# Beyond these a file is no model that somebody wrote; they bound the time.
SIZE_LIMIT = 512 * 1024
LINE_LIMIT = 20_000
CLASS = "TritonPythonModel"
# How the parser names a Python that is new enough; what a parser before 3.12 does not know (PEP 695).
_SINCE = re.compile(r"only supported in Python (\d+)\.(\d+)")
_GENERIC = re.compile(r"\s*(?:type\s+\w|(?:async\s+)?def\s+\w+\s*\[|class\s+\w+\s*\[)")
_HOLDERS = (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.TryStar)


class Method(NamedTuple):
    """A method as it is written. kind: `plain`, `static`, `class` or `unknown` (another decorator, or no `def`).

    least, most: how many arguments it takes by position, as written; most is None for `*args`. needs: names of
    arguments that only a keyword can give. returns: whether it may return a value. awaited: by `async def`.
    """

    name: str
    line: int
    column: int
    kind: str
    least: int = 0
    most: int | None = None
    needs: tuple[str, ...] = ()
    returns: bool = True
    awaited: bool = False

    def takes(self, count: int) -> bool:
        """Whether it can be called with so many arguments by position."""
        return not self.needs and self.least <= count and (self.most is None or count <= self.most)


class ModelClass(NamedTuple):
    """The class that Triton takes. plain: it has no bases, decorators or metaclass, so `methods` are all of them."""

    line: int
    column: int
    plain: bool
    methods: tuple[Method, ...]

    def method(self, name: str) -> Method | None:
        """The method of this name, None if the class has none of its own."""
        return next((one for one in self.methods if one.name == name), None)


class Import(NamedTuple):
    """An import that runs whenever the module is imported. module: `a.b` of `from ..a.b import c`, or `c` of `from .
    import c`, where name is true: `c` need not be a module then. level: the number of dots."""

    module: str
    level: int
    line: int
    column: int
    name: bool = False


class PythonModule(NamedTuple):
    """One file. fault: what Python says of it, "" if it can be read; line, column: where, columns from 1. newer: which
    Python can read it in spite of that, as far as can be told; () for none.

    known: whether the names that the module defines can be told. model_class: None where it defines none by `class`;
    classes: the names of all, each with its line and column. relative, absolute: imports outside of blocks.
    failures: what ends the import, the first of it.
    """

    fault: str = ""
    line: int = 1
    column: int = 1
    newer: tuple[int, int] | tuple[()] = ()
    known: bool = True
    model_class: ModelClass | None = None
    classes: tuple[tuple[str, int, int], ...] = ()
    relative: tuple[Import, ...] = ()
    absolute: tuple[Import, ...] = ()
    failures: tuple[Failure, ...] = ()


def read_python(path: str, version: tuple[int, int] | None = None, listed: bool = False) -> PythonModule | None:
    """A Python file, as far as it can be read; None where it cannot be opened or is no text of a usual size.

    version: the Python that will run it; None, or one later than this one, means this one.
    """
    content = read_whole(path, SIZE_LIMIT, listed)
    return None if content is None else parse_python(content, version)


@lru_cache(maxsize=64)  # the same file often lies in many models
def parse_python(content: bytes, version: tuple[int, int] | None = None) -> PythonModule | None:
    """As `read_python`, for the bytes of a file."""
    if content.count(b"\n") > LINE_LIMIT:
        return None
    if b"\0" in content:
        return PythonModule("source code cannot contain null bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            older = version if version and version < sys.version_info[:2] else None
            tree = ast.parse(content, feature_version=older)
    except SyntaxError as error:
        # An unknown encoding comes without a place.
        fault = PythonModule(error.msg, error.lineno or 1, max(1, error.offset or 1))
        return fault._replace(newer=_newer(content, error, older))
    except (ValueError, RecursionError, MemoryError):
        return None
    try:
        return _module(tree)
    except RecursionError:
        return None


def _newer(content: bytes, error: SyntaxError, older: tuple[int, int] | None) -> tuple[int, int] | tuple[()]:
    """Which Python reads what another one did not."""
    if found := _SINCE.search(error.msg):
        return int(found[1]), int(found[2])
    if older is not None and not parse_python(content).fault:  # type: ignore[union-attr]
        return sys.version_info[:2]
    if sys.version_info < (3, 12) and ("f-string" in error.msg or _GENERIC.match(error.text or "")):
        return 3, 12
    return ()


def _module(tree: ast.Module) -> PythonModule:
    known, found = True, None
    classes: list[tuple[str, int, int]] = []
    relative: list[Import] = []
    absolute: list[Import] = []
    for node, guarded in _statements(tree.body, False):
        if isinstance(node, ast.ClassDef):
            classes.append((node.name, node.lineno, node.col_offset + 1))
            if node.name == CLASS:
                found = _class(node)
                known = known and not guarded
        elif isinstance(node, ast.ImportFrom):
            if any(alias.name == "*" or (alias.asname or alias.name) == CLASS for alias in node.names):
                known = False
            if not guarded:
                names = [node.module] if node.module else [alias.name for alias in node.names if alias.name != "*"]
                target = relative if node.level else absolute
                at = (node.level, node.lineno, node.col_offset + 1, not node.module)
                target += [Import(name, *at) for name in names]
        elif isinstance(node, ast.Import):
            if not guarded:
                absolute += [Import(one.name, 0, node.lineno, node.col_offset + 1) for one in node.names]
        elif isinstance(node, ast.FunctionDef):
            known = known and node.name != "__getattr__"
        elif any(_binds(inner) for inner in ast.walk(node)):
            known = False
    return PythonModule(
        known=known,
        model_class=found,
        classes=tuple(classes),
        relative=tuple(relative),
        absolute=tuple(absolute),
        failures=failures(tree),
    )


def _statements(body: Iterable[ast.stmt], guarded: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements that run when the module is imported, those in blocks too; and whether one may be left out."""
    for node in body:
        if not isinstance(node, _HOLDERS):
            yield node, guarded
            continue
        for _, value in ast.iter_fields(node):
            if not isinstance(value, list):
                continue
            for inner in value:
                if isinstance(inner, ast.stmt):
                    yield from _statements([inner], True)
                elif isinstance(inner, ast.ExceptHandler):
                    yield from _statements(inner.body, True)


def _binds(node: ast.AST) -> bool:
    """Whether a part of a statement may give the module the class in another way than by `class`."""
    if isinstance(node, ast.Name):
        return node.id in MAGIC or (node.id == CLASS and isinstance(node.ctx, ast.Store))
    return isinstance(node, ast.Attribute) and node.attr in MAGIC


def _class(node: ast.ClassDef) -> ModelClass:
    bases = [one for one in node.bases if not (isinstance(one, ast.Name) and one.id == "object")]
    plain = not bases and not node.keywords and not node.decorator_list
    methods: dict[str, Method] = {}
    for statement, guarded in _statements(node.body, False):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            method = _method(statement)
            methods[statement.name] = method._replace(kind="unknown") if guarded else method
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.ImportFrom | ast.Import | ast.ClassDef):
            for name in _names(statement):
                methods[name] = Method(name, statement.lineno, statement.col_offset + 1, "unknown")
                plain = plain and name != "*"
    return ModelClass(node.lineno, node.col_offset + 1, plain, tuple(methods.values()))


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement inside a class binds."""
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Method:
    names = [one.id if isinstance(one, ast.Name) else "" for one in node.decorator_list]
    kind = {"": "plain", "staticmethod": "static", "classmethod": "class"}.get("".join(names), "unknown")
    if names and "" in names:
        kind = "unknown"
    given = node.args.posonlyargs + node.args.args
    most = None if node.args.vararg else len(given)
    needs = tuple(
        one.arg for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if default is None
    )
    least = len(given) - len(node.args.defaults)
    awaited = isinstance(node, ast.AsyncFunctionDef)
    return Method(node.name, node.lineno, node.col_offset + 1, kind, least, most, needs, _returns(node), awaited)


def _returns(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function may give anything but None: it has a `return` with a value."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Return) and not (
            one.value is None or (isinstance(one.value, ast.Constant) and one.value.value is None)
        ):
            return True
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(one)
    return False
