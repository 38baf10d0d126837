"""Who may import whom, and what a lint does not load.

The package is layered: text below schema below models below rules below the engine below the command line. The heavy
packages stand each behind one door, and the door is opened only by the command that needs it.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

# module or package -> all of ours that it may import; a package stands for its modules. None = anything but the
# layers above, which ABOVE names.
ALLOWED = {
    "tritoncheck.textproto": {"tritoncheck.textproto"},
    "tritoncheck.schema": {"tritoncheck.schema", "tritoncheck.textproto"},
    "tritoncheck.rule": set[str](),
    "tritoncheck.known_faults": {"tritoncheck.rule"},
    "rules": {"tritoncheck.rule", "tritoncheck.known_faults"},
}
FORBIDDEN = {
    "tritoncheck": {"tritoncheck.cli", "rules", "tests", "tritoncheck.rules"},
    "tritoncheck.repository": {"tritoncheck.lint", "tritoncheck.registry", "tritoncheck.report"},
    "tritoncheck.deployment": {"tritoncheck.lint", "tritoncheck.registry", "tritoncheck.report"},
    "tritoncheck.model": {"tritoncheck.lint", "tritoncheck.registry", "tritoncheck.report"},
    "tritoncheck.model_repository": {"tritoncheck.lint", "tritoncheck.registry", "tritoncheck.report"},
    "tritoncheck.config_file": {"tritoncheck.model", "tritoncheck.model_repository", "tritoncheck.deployment"},
    "tritoncheck.registry": {"tritoncheck.lint", "tritoncheck.report"},
    "tritoncheck.run": {"tritoncheck.checking", "tritoncheck.lint", "tritoncheck.report"},
    "tritoncheck.checking": {"tritoncheck.lint", "tritoncheck.report"},
    "tritoncheck.lint": {"tritoncheck.stress", "tritoncheck.bench"},
    "tritoncheck.report": {"tritoncheck.stress", "tritoncheck.bench", "tritoncheck.registry"},
    "tritoncheck.stress": {"tritoncheck.registry", "tritoncheck.lint", "tritoncheck.rules"},
    "tritoncheck.bench": {"tritoncheck.registry", "tritoncheck.lint", "tritoncheck.rules"},
}
# The command line is the top; only the way in and its other half know it.
EXCEPTIONS = {("tritoncheck.__main__", "tritoncheck.cli"), ("tritoncheck.cli_stress", "tritoncheck.cli")}

# Each in at most one module, and there inside a function.
ONE_DOOR = ("docker", "tritonclient", "rich.live", "ruamel", "scipy", "matplotlib", "onnx", "pynvml")

# What a rule may use besides the contract.
OUTSIDE_FOR_RULES = sys.stdlib_module_names

# What no lint of a plain file needs.
NOT_LOADED = (
    *("asyncio", "docker", "google.protobuf.json_format", "grpc", "jinja2"),
    *("matplotlib", "multiprocessing", "numpy", "onnx", "pydantic", "requests", "rich", "ruamel", "scipy"),
    "tritonclient",
)


class Import(NamedTuple):
    """One imported name, as written in one module. lazy: inside a function. typing: only for type checkers."""

    module: str
    line: int
    name: str
    lazy: bool
    typing: bool

    def __str__(self) -> str:
        return f"{self.module}, line {self.line}: {self.name}"


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package and every rule file, by dotted name."""
    for folder in ("tritoncheck", "rules"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(module: str, source: str, *, package: bool = False) -> Iterator[Import]:
    """All imports in a module's source, relative ones made absolute."""

    def walk(node: ast.AST, lazy: bool, typing: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, node.lineno, alias.name, lazy, typing)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: len(module.split(".")) - node.level + package] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield Import(module, node.lineno, f"{base}.{alias.name}", lazy, typing)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in node.body:
                yield from walk(statement, lazy, True)
            for statement in node.orelse:
                yield from walk(statement, lazy, typing)
        else:
            inner = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from walk(child, inner, typing)

    yield from walk(ast.parse(source), False, False)


def within(name: str, prefixes: set[str] | frozenset[str] | tuple[str, ...]) -> bool:
    """Whether a dotted name is one of these or lies below one."""
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)


@pytest.fixture(scope="module")
def found() -> list[Import]:
    """All imports of the package and of the rules."""
    return [
        each
        for module, path in modules()
        for each in imports(module, path.read_text(encoding="utf-8"), package=path.name == "__init__.py")
    ]


def test_the_reader_of_imports_sees_every_form() -> None:
    source = """
import os.path, docker
from . import lex
from ..rule import Rule
if TYPE_CHECKING:
    from tritoncheck.lint import run
else:
    import sys
def late():
    import scipy.stats as stats
class Body:
    import json
"""
    seen = [(each.name, each.lazy, each.typing) for each in imports("tritoncheck.textproto.parse", source)]
    assert seen == [
        ("os.path", False, False),
        ("docker", False, False),
        ("tritoncheck.textproto.lex", False, False),
        ("tritoncheck.rule.Rule", False, False),
        ("tritoncheck.lint.run", False, True),
        ("sys", False, False),
        ("scipy.stats", True, False),
        ("json", False, False),
    ]
    (own,) = imports("tritoncheck.textproto", "from .lex import lex", package=True)
    assert own.name == "tritoncheck.textproto.lex.lex"


@pytest.mark.parametrize("layer", sorted(ALLOWED))
def test_a_layer_imports_no_more_than_it_may(layer: str, found: list[Import]) -> None:
    ours = [each for each in found if within(each.module, {layer}) and within(each.name, {"tritoncheck", "rules"})]
    assert [str(each) for each in ours if not each.typing and not within(each.name, ALLOWED[layer])] == []


@pytest.mark.parametrize("layer", sorted(FORBIDDEN))
def test_a_layer_knows_none_above_it(layer: str, found: list[Import]) -> None:
    wrong = [each for each in found if within(each.module, {layer}) and within(each.name, FORBIDDEN[layer])]
    inside = [each for each in wrong if not within(each.module, FORBIDDEN[layer])]
    allowed = [each for each in inside if (each.module, each.name.rpartition(".")[0]) in EXCEPTIONS]
    assert [str(each) for each in inside if each not in allowed] == []


def test_rules_use_the_contract_and_the_standard_library_only(found: list[Import]) -> None:
    own = ALLOWED["rules"]
    outside = [each for each in found if within(each.module, {"rules"}) and not within(each.name, own)]
    assert [str(each) for each in outside if each.name.split(".")[0] not in OUTSIDE_FOR_RULES] == []


@pytest.mark.parametrize("package", ONE_DOOR)
def test_a_heavy_package_stands_behind_one_lazy_door(package: str, found: list[Import]) -> None:
    uses = [each for each in found if within(each.name, {package}) and not each.typing]
    assert len({each.module for each in uses}) <= 1, [str(each) for each in uses]
    assert [str(each) for each in uses if not each.lazy] == []


def test_lint_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    config = tmp_path / "repository" / "plain" / "config.pbtxt"
    config.parent.mkdir(parents=True)
    config.write_text('name: "plain"\nbackend: "onnxruntime"\nmax_batch_size: 8\n')
    script = f"""
import json, sys
from tritoncheck.cli import main
sys.argv = ["tritoncheck", "lint", {str(config)!r}]
try:
    code = main()
except SystemExit as stop:
    code = stop.code
print(json.dumps([code, sorted(sys.modules)]))
"""
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    code, loaded = json.loads(run.stdout.splitlines()[-1])
    assert code in (0, None), run.stdout
    assert [name for name in loaded if within(name, NOT_LOADED)] == []
