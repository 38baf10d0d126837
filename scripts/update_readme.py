"""Writes into README.md what must agree with the program: the demo's output and the table of rules.

    python scripts/update_readme.py [--check]

With `--check` nothing is written and the exit code says whether README.md is up to date.
"""

from __future__ import annotations

import re
import subprocess
import sys
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
        head = f"**{family}**: {what} ({len(members)} rules)"
        table = f"| code | name | severity | what |\n| --- | --- | --- | --- |\n{rows}"
        parts.append(f"<details><summary>{head}</summary>\n\n{table}\n</details>\n")
    return "\n".join(parts)


def updated(page: str) -> str:
    """The page with its generated parts made anew."""
    for name, text in (("demo", demo()), ("rules", rules())):
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
