"""Write facts about releases and drivers into tritoncheck/data/.

    python scripts/add_release.py FACTS.yaml…

A file holds the facts of one release (a mapping with a `tag`; see scripts/example_release.yaml), of several (a list of
such), or of drivers (a mapping with `branches`, `floors`, `compat` or `toolkits`). A fact that is there already is
replaced, one that is not given stays as it is, and one given as null is taken out. Every release names its sources, and
the fields that no source states for it are listed as `derived`: reasoned from other facts. Nothing is written
unless all of it fits.

All scalars are read as text, so that `tag: 26.10` stays 26.10.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

DATA = Path(__file__).resolve().parent.parent / "tritoncheck" / "data"

# What a release's record may hold, in the order in which it is written.
VERSIONS = ("triton", "cuda", "image_driver", "min_driver", "tensorrt", "onnxruntime", "pytorch", "ubuntu", "python")
NUMBERS = ("onnx_opset_max", "onnx_ir_max")
LISTS = ("driver_branches", "excluded_branches", "cuda_between", "tensorrt_between", "derived", "sources")
RELEASE = (
    *("tag", "triton", "cuda", "cuda_between", "image_driver", "min_driver"),
    *("driver_branches", "excluded_branches", "min_compute_capability", "tensorrt", "tensorrt_between", "onnxruntime"),
    *("onnx_opset_max", "onnx_ir_max", "pytorch", "ubuntu", "python", "variants", "derived", "sources", "note"),
)
REQUIRED = ("tag", "triton", "min_compute_capability", "sources")
DRIVERS = ("floors", "branches", "compat", "toolkits", "sources")

_TAG = re.compile(r"\d\d\.(?:0[1-9]|1[0-2])(?:\.\d)?")
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:a0)?(?:\+[0-9a-f]+)?")

Record = dict[str, Any]


class FactError(ValueError):
    """Facts that do not fit; the text says which."""


def read_facts(path: Path) -> Any:
    """A file of facts with every scalar as text; null becomes None. FactError if it is no YAML."""
    try:
        return _plain(YAML(typ="base", pure=True).load(path.read_text(encoding="utf-8")))
    except YAMLError as error:
        raise FactError(f"{path}: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return None if value in ("", "null", "~") else value


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers, so that 580.173 comes after 580.95."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def release(facts: Record, before: Record | None = None) -> Record:
    """A release's record from facts, laid over what was known of it. FactError where something does not fit."""
    tag = facts.get("tag")
    if not isinstance(tag, str) or not _TAG.fullmatch(tag):
        raise FactError(f"`tag` must be a release such as 26.10, not {tag!r}")
    unknown = sorted(set(facts) - set(RELEASE))
    if unknown:
        raise FactError(f"{tag}: unknown facts {', '.join(unknown)}; known: {', '.join(RELEASE)}")
    merged = {**(before or {}), **facts}
    merged = {name: _checked(tag, name, merged[name]) for name in RELEASE if merged.get(name) is not None}
    missing = [name for name in REQUIRED if not merged.get(name)]
    if missing:
        raise FactError(f"{tag}: lacks {', '.join(missing)}")
    loose = sorted(set(merged.get("derived", ())) - set(merged))
    if loose:
        raise FactError(f"{tag}: derived, but not there: {', '.join(loose)}")
    return merged


def _checked(tag: str, name: str, value: Any) -> Any:
    if name in LISTS:
        if not isinstance(value, list):
            raise FactError(f"{tag}: `{name}` must be a list")
        return sorted(value) if name == "derived" else value
    if name in NUMBERS:
        if not str(value).isdigit():
            raise FactError(f"{tag}: `{name}` must be a number, not {value!r}")
        return int(value)
    if name in VERSIONS and not (isinstance(value, str) and _VERSION.fullmatch(value)):
        raise FactError(f"{tag}: `{name}` must be a version, not {value!r}")
    return value


def add_releases(table: list[Record], facts: Iterable[Record]) -> list[Record]:
    """The table with these releases in it, in order."""
    known = {one["tag"]: one for one in table}
    for one in facts:
        made = release(one, known.get(str(one.get("tag"))))
        known[made["tag"]] = made
    return sorted(known.values(), key=lambda one: numbers(one["tag"]))


def add_drivers(table: Record, facts: Record) -> Record:
    """The tables of drivers with these facts in them, each in the order of versions."""
    unknown = sorted(set(facts) - set(DRIVERS))
    if unknown:
        raise FactError(f"unknown tables {', '.join(unknown)}; known: {', '.join(DRIVERS)}")
    merged: Record = {}
    for name in DRIVERS:
        entries = {**table.get(name, {}), **facts.get(name, {})}
        kept = {key: entry for key, entry in entries.items() if entry is not None}
        merged[name] = dict(sorted(kept.items(), key=lambda pair: (numbers(pair[0]), pair[0])))
    return merged


def written_releases(table: list[Record]) -> str:
    """The text of releases.json: one release a line, so that a new one is one line more."""
    return "[\n" + ",\n".join(f" {json.dumps(one, ensure_ascii=False)}" for one in table) + "\n]\n"


def written_drivers(table: Record) -> str:
    """The text of drivers.json: one entry a line."""
    parts = []
    for name in DRIVERS:
        rows = ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(entry, ensure_ascii=False)}" for key, entry in table[name].items()
        )
        parts.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(paths: list[str]) -> int:
    """Add what the files say; the exit code."""
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    releases = json.loads((DATA / "releases.json").read_text(encoding="utf-8"))
    drivers = json.loads((DATA / "drivers.json").read_text(encoding="utf-8"))
    try:
        for path in paths:
            facts = read_facts(Path(path))
            if isinstance(facts, Mapping) and "tag" not in facts:
                drivers = add_drivers(drivers, dict(facts))
            else:
                releases = add_releases(releases, facts if isinstance(facts, list) else [facts])
    except (FactError, OSError) as error:
        print(f"add_release: {error}", file=sys.stderr)
        return 2
    (DATA / "releases.json").write_text(written_releases(releases), encoding="utf-8")
    (DATA / "drivers.json").write_text(written_drivers(drivers), encoding="utf-8")
    print(f"{len(releases)} releases, newest {releases[-1]['tag']}; run scripts/make_schema.py if its schema is new")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
