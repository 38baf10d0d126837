"""Writes into README.md what must agree with the program: the demo's output, the table of rules, and what the last
comparison with real servers found (tests/conformance/result.json).

    python scripts/update_readme.py [--check]

With `--check` nothing is written and the exit code says whether README.md is up to date.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tritoncheck.registry import own_rules

ROOT = Path(__file__).resolve().parent.parent
DEMO = ("lint", "fixtures/repositories/nv12", "--image", "nvcr.io/nvidia/tritonserver:26.06-py3")
FAMILIES = {
    "TCG": "CUDA graphs and load races",
    "TCS": "syntax and schema: everything the text parser refuses, release by release",
    "TCR": "the layout of a repository: names, versions, files, links",
    "TCH": "shapes and data types of tensors",
    "TCB": "batching, schedulers, sequences, warmup",
    "TCI": "instance groups",
    "TCX": "ensembles and what else models share",
    "TCP": "parameters and accelerators of backends",
    "TCV": "image, driver, host and how the server is started",
    "TCF": "performance",
    "TCZ": "security",
    "TCC": "suppression comments",
}


def demo() -> str:
    """What `make demo` prints: the first finding whole, the places of the others, the last line without its time."""
    command = (sys.executable, "-m", "tritoncheck", *DEMO)
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    printed = re.sub(r" in \d+\.\d\d s\n", " in 0.05 s\n", printed)
    first, *others = printed.split("\n\n")
    places = "\n".join(f"{other.splitlines()[0]} …" for other in others[:-1])
    return f"```console\n$ tritoncheck {' '.join(DEMO)}\n{first}\n\n{places}\n\n{others[-1].splitlines()[-1]}\n```\n"


def rules() -> str:
    """The families with their rules, each with its severity and title."""
    parts = []
    for family, what in FAMILIES.items():
        members = [one.rule for one in own_rules() if one.rule.code.startswith(family)]
        if not members:
            continue
        rows = "".join(
            f"| {rule.code} | {rule.name} | {rule.severity.name.lower()} | {rule.title} |\n" for rule in members
        )
        head = f"<b>{family}</b>: {what} ({len(members)} rules)"
        table = f"| code | name | severity | what |\n| --- | --- | --- | --- |\n{rows}"
        parts.append(f"<details><summary>{head}</summary>\n\n{table}\n</details>\n")
    return "\n".join(parts)


def conformance() -> str:
    """The tables of the comparison with real cores: per core, by what was asked, and what lint does not see."""
    found = json.loads((ROOT / "tests" / "conformance" / "result.json").read_text(encoding="utf-8"))
    relations = ("agree", "stricter", "blind", "excused")
    names = ("agree", "stricter", "blind", "not judged")
    counted = ("cases", "models", "refused", *relations)
    cores = [(f"Triton {core}", *(one[column] for column in counted)) for core, one in found["cores"].items()]
    parts = [_table(("", "repositories", "models", "refused", *names), cores)]
    shown = ("loads", "refused", *relations)
    asked = [(what, *(one[column] for column in shown)) for what, one in found["asked"].items()]
    parts.append(_table(("all six, by what was changed", "load", "refused", *names), asked))
    wrong = [(one["kind"], one["models"]) for one in found["kinds"] if one["relation"] != "excused"]
    if wrong:
        head = f"<details><summary>Where they differ ({len(wrong)} kinds)</summary>"
        parts.append(f"{head}\n\n{_table(('what the server says', 'models'), wrong)}\n</details>\n")
    excused = [f"{one['kind']} ({one['models']:,})" for one in found["kinds"] if one["relation"] == "excused"]
    parts.append(f"Not judged, since the answer does not lie on the disk: {'; '.join(excused) or 'nothing'}.\n")
    return "\n".join(parts)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str | int, ...]]) -> str:
    lines = [head, ("---", *("--:" for _ in head[1:])), *rows]
    shown = [" | ".join(f"{one:,}" if isinstance(one, int) else _escaped(one) for one in line) for line in lines]
    return "".join(f"| {line} |\n" for line in shown)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def updated(page: str) -> str:
    """The page with its generated parts made anew."""
    for name, text in (("demo", demo()), ("rules", rules()), ("conformance", conformance())):
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        head, _, rest = page.partition(begin)
        page = head + begin + text + end + rest.partition(end)[2]
    return page


def main() -> int:
    """Update or check; the exit code."""
    path = ROOT / "README.md"
    page = path.read_text(encoding="utf-8")
    new = updated(page)
    if "--check" in sys.argv:
        return int(new != page)
    path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
