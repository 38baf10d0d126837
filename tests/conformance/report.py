"""The comparison as tables: per core, by kind, and a work list of what lint does not see. Reads rows, asks nobody."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.conformance.comparison import Relation, Row

RELATIONS: tuple[Relation, ...] = ("agree", "stricter", "blind", "excused")


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """What the run found, as it is kept: per core, and by kind of what the core says."""
    cores: dict[str, Any] = {}
    for core in sorted({row.core for row in rows}):
        own = [row for row in rows if row.core == core]
        counts = Counter(row.relation for row in own)
        cases = {row.case for row in own}
        cores[core] = {
            "cases": len(cases),
            "fixtures": sum("/" in case for case in cases),
            "models": len(own),
            "refused": sum(row.outcome != "loaded" for row in own),
            **{one: counts[one] for one in RELATIONS},
        }
    return {"cores": cores, "asked": asked(rows), "kinds": kinds(rows)}


# Labels of mutations begin with these letters.
FAMILIES = {
    "": "nothing",
    "L": "folders, files, spelling",
    "G": "batching, schedulers, platform",
    "I": "inputs and outputs",
    "IG": "instance groups",
    "S": "states of sequences",
    "W": "warmup",
    "E": "ensembles by themselves",
    "X": "ensembles and their parts",
    "M": "what crashes, and what looks like it",
    "2.3": "specs of CUDA graphs",
}


def asked(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Models by what was changed in their repository; with several changes, they count for each."""
    found: dict[str, Counter[str]] = {
        "fixtures of the rules": Counter(),
        **{one: Counter() for one in FAMILIES.values()},
    }
    for row in rows:
        for family in _families(row):
            found[family][row.relation] += 1
            found[family]["loads" if row.outcome == "loaded" else "refused"] += 1
    return {family: {one: counts[one] for one in ("loads", "refused", *RELATIONS)} for family, counts in found.items()}


def _families(row: Row) -> set[str]:
    if "/" in row.case:
        return {"fixtures of the rules"}
    letters = {re.split(r"(?<=[A-Z])(?=[\d ]|$)", label)[0] if label != "2.3" else label for label in row.changes}
    return {FAMILIES.get(one, FAMILIES[""]) for one in letters or {""}}


def kinds(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Each kind of disagreement and each excuse, the most frequent first: models over all cores, and an example."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.relation != "agree":
            what = f"{', '.join(row.codes)} (loaded)" if row.relation == "stricter" else row.kind
            found[row.relation, what].append(row)
    order = sorted(found.items(), key=lambda one: (RELATIONS.index(one[0][0]), -len(one[1]), one[0][1]))
    return [
        {"relation": relation, "kind": kind, "models": len(own), "cores": sorted({row.core for row in own})}
        for (relation, kind), own in order
    ]


def per_core(found: Mapping[str, Any]) -> str:
    """One line per core."""
    head = ("cases", "models", "refused", "agree", "stricter", "blind", "excused")
    lines = ["  core " + " ".join(f"{one:>8}" for one in head)]
    for core, row in found["cores"].items():
        counts = " ".join(f"{row[one]:8}" for one in head)
        lines.append(f"{core:>6} {counts}   blind {row['blind'] / max(1, row['models']):.2%}")
    return "\n".join(lines)


def work_list(rows: Sequence[Row]) -> str:
    """What lint does not see and where it is too strict, by kind, each with examples: for those who write rules."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.relation in ("stricter", "blind"):
            groups[row.relation, f"{row.kind} {' '.join(row.codes)}".strip()].append(row)
    lines = []
    for relation in ("stricter", "blind"):
        own = [(kind, found) for (one, kind), found in groups.items() if one == relation]
        lines.append(f"\n## {relation}: {len(own)} kinds, {sum(len(found) for _, found in own)} models\n")
        for kind, found in sorted(own, key=lambda one: -len(one[1])):
            cores = ",".join(sorted({row.core for row in found}))
            lines.append(f"- {len(found)} × [{cores}] {kind}")
            shown = {row.case: f"{row.case}/{row.model} ({', '.join(row.changes)})" for row in found}
            lines.append(f"  {' · '.join(list(shown.values())[:4])}")
    return "\n".join(lines) + "\n"
