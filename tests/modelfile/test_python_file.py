"""Python modules: what their tree tells, and that no text does harm."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.modelfile.python_file import Import, Method, PythonModule, parse_python

PLAIN = b"""
import os.path, numpy as np
from .tokens import split
from . import words
from ..up import more
try:
    import torch
except ImportError:
    torch = None


class Helper:
    pass


class TritonPythonModel(object):
    @staticmethod
    def auto_complete_config(config):
        config.add_input({})

    def initialize(self, args, size=3):
        return None

    async def execute(self, *requests, deadline):
        yield 1

    finalize = print
"""


def _parse(content: bytes, version: tuple[int, int] | None = None) -> PythonModule:
    found = parse_python(content, version)
    assert found is not None
    return found


def test_what_a_module_defines() -> None:
    found = _parse(PLAIN)
    assert found.known
    assert [name for name, _, _ in found.classes] == ["Helper", "TritonPythonModel"]
    assert found.absolute == (Import("os.path", 0, 2, 1), Import("numpy", 0, 2, 1))
    assert found.relative == (
        Import("tokens", 1, 3, 1),
        Import("words", 1, 4, 1, True),
        Import("up", 2, 5, 1),
    )
    model = found.model_class
    assert model is not None
    assert model.plain
    assert model.method("auto_complete_config") == Method(
        "auto_complete_config", 18, 5, "static", least=1, most=1, returns=False
    )
    initialize, execute = model.method("initialize"), model.method("execute")
    assert initialize is not None
    assert (initialize.takes(1), initialize.takes(2), initialize.takes(3), initialize.takes(4)) == (0, 1, 1, 0)
    assert execute is not None
    assert execute.needs == ("deadline",)
    assert not execute.takes(2)
    assert not execute.returns
    assert model.methods[-1].kind == "unknown"


@pytest.mark.parametrize(
    ("content", "known"),
    [
        (b"class TritonPythonModel: pass", True),
        (b"x = 1", True),
        (b"from a import TritonPythonModel", False),
        (b"from a import M as TritonPythonModel", False),
        (b"from a import *", False),
        (b"TritonPythonModel = make()", False),
        (b"if x:\n  class TritonPythonModel: pass", False),
        (b"def __getattr__(name): return M", False),
        (b"globals()['Triton' + 'PythonModel'] = M", False),
        (b"exec(text)", False),
        (b"import importlib\nM = importlib.import_module('m')", False),
        (b"def make():\n  class TritonPythonModel: pass", True),
    ],
)
def test_whether_the_class_can_be_told(content: bytes, known: bool) -> None:
    assert _parse(content).known == known


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"x = (\n", (1, 5)),
        (b"x = 1\n\0", (1, 1)),
        (b"# coding: klingon\n", (1, 1)),
        (b"def f():\n return\n  x\n", (3, 2)),
        (b"\xff", (1, 1)),
    ],
)
def test_faults_have_a_place(content: bytes, place: tuple[int, int]) -> None:
    found = _parse(content)
    assert found.fault
    assert (found.line, found.column) == place
    assert found.newer == ()


def test_what_is_too_new_for_an_older_python() -> None:
    match = b"match 1:\n    case _: pass\n"
    assert not _parse(match).fault
    assert _parse(match, (3, 8)).newer == (3, 10)
    assert not _parse(match, (3, 99)).fault


@pytest.mark.parametrize("content", [b"type X = int\n", b"def f[T](x): pass\n", b"class A[T]: pass\n"])
def test_what_is_too_new_for_python_3_11(content: bytes) -> None:
    """Whether this Python knows it or not."""
    assert _parse(content, (3, 11)).newer == (3, 12)


def test_quotes_that_only_python_3_12_takes() -> None:
    """A later one takes them also when it is asked to read as an older one does."""
    found = _parse(b"x = f'{a['b']}'\n", (3, 11))
    assert found.newer == (() if sys.version_info >= (3, 12) else (3, 12))
    assert bool(found.fault) is (sys.version_info < (3, 12))


@pytest.mark.parametrize(
    "content",
    [
        b"(" * 100_000,
        b"-" * 100_000 + b"1",
        b"x" + b".a" * 100_000,
        b"1" + b"+1" * 100_000,
        b"not " * 100_000 + b"1",
        b"f" + b"(1)" * 50_000,
        b"a\n" * 19_000,
        b"a\n" * 100_000,
    ],
)
def test_a_text_made_to_hurt(content: bytes) -> None:
    began = time.monotonic()
    parse_python(content)
    assert time.monotonic() - began < 60


@given(st.binary(max_size=60))
def test_no_bytes_do_harm(content: bytes) -> None:
    parse_python(content)


@given(st.lists(st.sampled_from(PLAIN.decode().split(" ")), max_size=30))
def test_no_words_do_harm(words: list[str]) -> None:
    parse_python(" ".join(words).encode())
