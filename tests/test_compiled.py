"""The file that keeps the compiled code of many sources: used only while it is true, and never missed."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tritoncheck.compiled import Kept, compile_file


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two sources; what is compiled of them may be kept."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    for name, text in (("a", "'''A.'''\nvalue = 1\n"), ("b", "value = 2\n")):
        (tmp_path / f"{name}.py").write_text(text)
    return [str(tmp_path / "a.py"), str(tmp_path / "b.py")]


def values(files: list[str]) -> list[int]:
    """What the sources assign, by the code that is had for them."""
    pack = Kept("all", Path(files[0]).parent, files)
    codes = pack.get()
    if codes is None:
        codes = [compile_file(path) for path in files]
        pack.put(lambda: codes)
    found = []
    for code in codes:
        names: dict[str, Any] = {}
        exec(code, names)
        found.append(names["value"])
    return found


def pack_of(files: list[str]) -> Path:
    (pack,) = Path(files[0]).parent.glob("__pycache__/all.*.pyc")
    return pack


def change(path: str, text: str) -> None:
    """Another text of the same size or not, a second later than the last one."""
    before = os.stat(path).st_mtime_ns
    Path(path).write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_the_kept_code_is_used(sources: list[str]) -> None:
    assert values(sources) == [1, 2]
    magic, stamps, _ = marshal.loads(pack_of(sources).read_bytes())
    other = [compile(f"value = {number}", "x", "exec") for number in (8, 9)]
    pack_of(sources).write_bytes(marshal.dumps((magic, stamps, other)))
    assert values(sources) == [8, 9]


@pytest.mark.parametrize("text", ["value = 7\n", "value = 7  # longer\n"])
def test_a_changed_source_is_compiled_anew(sources: list[str], text: str) -> None:
    assert values(sources) == [1, 2]
    change(sources[1], text)
    assert values(sources) == [1, 7]
    assert values(sources) == [1, 7]


def test_a_source_more_or_less(sources: list[str]) -> None:
    assert values(sources) == [1, 2]
    assert values(sources[1:]) == [2]
    assert values([*sources, sources[0]]) == [1, 2, 1]


SPOILT: list[Callable[[bytes], bytes]] = [
    lambda pack: b"",
    lambda pack: pack[: len(pack) // 2],
    lambda pack: b"no code",
    lambda pack: marshal.dumps(None),
    lambda pack: marshal.dumps((b"another Python", *marshal.loads(pack)[1:])),
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_spoilt_file_is_made_anew(sources: list[str], spoil: Callable[[bytes], bytes]) -> None:
    assert values(sources) == [1, 2]
    whole = pack_of(sources).read_bytes()
    pack_of(sources).write_bytes(spoil(whole))
    assert values(sources) == [1, 2]
    assert marshal.loads(pack_of(sources).read_bytes())[:2] == marshal.loads(whole)[:2]


def test_where_nothing_can_be_kept(sources: list[str]) -> None:
    """As in an image whose packages belong to somebody else; a file in the way stops root, too."""
    (Path(sources[0]).parent / "__pycache__").write_text("in the way")
    assert values(sources) == [1, 2]


def test_where_nothing_may_be_kept(sources: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert values(sources) == [1, 2]
    assert not list(Path(sources[0]).parent.glob("__pycache__/all.*"))


def test_nothing_else_is_left(sources: list[str]) -> None:
    values(sources)
    kept = sorted(path.name.split(".")[0] for path in Path(sources[0]).parent.glob("__pycache__/*"))
    assert kept == ["a", "all", "b"]


def test_it_is_kept_whole_or_not_at_all(sources: list[str]) -> None:
    """Also as the first thing in its folder; what cannot be kept leaves what was kept before, and nothing besides."""
    folder = Path(sources[0]).parent
    Kept("all", folder, sources).put(lambda: [1])
    with pytest.raises(ValueError, match="unmarshallable"):
        Kept("all", folder, sources).put(object)
    assert Kept("all", folder, sources).get() == [1]
    assert list(folder.glob("__pycache__/*")) == [pack_of(sources)]


def test_what_is_no_python(sources: list[str]) -> None:
    Path(sources[0]).write_text("def (:\n")
    with pytest.raises(SyntaxError):
        values(sources)


def test_rules_are_the_same_from_the_kept_file(tmp_path: Path) -> None:
    """The first process makes it, the second has all from it: records, pages, generators."""
    tell = (
        "import sys; from tritoncheck.registry import own_rules; rules = own_rules()\n"
        "print(sum(name.startswith('tritoncheck.rules.') for name in sys.modules))\n"
        "for one in rules: print(one.rule, one.check.__name__, one.page)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONPATH": str(ROOT)}
    first, second = (
        subprocess.run([sys.executable, "-c", tell], env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    (loaded, made), (_, kept) = (told.split("\n", 1) for told in (first, second))
    assert made == kept
    assert made.count("Rule(code=") == int(loaded) > 200
    assert second.startswith("0\n")
    assert [path.name.split(".")[0] for path in tmp_path.rglob("all_rules*")] == ["all_rules"]
