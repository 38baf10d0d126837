"""What real cores of Triton say of model repositories, and what lint says of them.

`python -m tests.conformance --case FOLDER` asks about one; without `--case` about all fixtures and thousands of made
ones, and prints where lint and the cores agree, where lint is stricter, where it is blind.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.cases import read_case
from tests.conformance.core import STRICT, Core, Outcome, Verdict
from tests.conformance.full import COUNT, NUMBER, conclude, run
from tests.conformance.generate import made
from tests.conformance.opinion import TAGS, Opinion, opinion
from tests.conformance.sample import PYTHON_MODEL
from tests.oracle.wheels import OracleUnavailable, find_server


def main(arguments: list[str] | None = None) -> int:
    """Parse, judge, print; 0 where lint and every core agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument(
        "--case",
        action="append",
        metavar="PATH",
        help="repository, model, fixture, or configuration file; may be repeated",
    )
    parser.add_argument(
        "--release", default="all", metavar="TAG,…", help="of 22.11 23.04 23.07 23.10 24.03 24.10; default all"
    )
    parser.add_argument("--strict", action="store_true", help=f"start the server with {STRICT}")
    parser.add_argument("--flags", default="", metavar="'--…'", help="further flags of the server")
    parser.add_argument(
        "--start", action="store_true", help="let the server start with the repository, rather than load model by model"
    )
    parser.add_argument("--as-is", action="store_true", help="do not add a version folder to a model without one")
    parser.add_argument("--times", type=int, default=1, help="how often each is asked (some crash by luck)")
    parser.add_argument("--words", type=int, default=400, help="how much of the server's words is shown")
    parser.add_argument("--count", type=int, default=COUNT, help="how many repositories are made")
    parser.add_argument("--number", type=int, default=NUMBER, help="another one makes others")
    parser.add_argument("--no-fixtures", action="store_true", help="ask about made repositories only")
    parser.add_argument("--work-list", default="", metavar="FILE", help="write the kinds of disagreement there")
    parser.add_argument("--reuse", action="store_true", help="ask no core again what an earlier run with it has asked")
    parser.add_argument("--keep", action="store_true", help="write what was found to result.json, for the README")
    parser.add_argument("--show", action="append", metavar="NAME", help="print a made repository, such as m22, and end")
    options = parser.parse_args(arguments)
    if options.show:
        return show_made(options.show, options.number)
    wheels = [one for one, tag in TAGS.items() if options.release == "all" or tag in options.release.split(",")]
    if not wheels:
        parser.error(f"--release must be of {', '.join(TAGS.values())}")
    if not options.case:
        rows = run(wheels, options.count, options.number, not options.no_fixtures, options.reuse)
        return conclude(rows, [TAGS[one] for one in wheels], options.work_list, options.keep)
    flags = [*([STRICT] if options.strict else []), *shlex.split(options.flags)]
    agree = True
    with contextlib.ExitStack() as open_cases:
        cases = [(Path(one).name, open_cases.enter_context(built(Path(one), options.as_is))) for one in options.case]
        for wheel in wheels:
            try:
                core = Core(find_server(wheel), flags)
                with core:
                    for name, folder in cases:
                        verdicts = [
                            core.judge_start([folder]) if options.start else core.judge(folder)
                            for _ in range(options.times)
                        ]
                        agree &= show(name, TAGS[wheel], verdicts, opinion(folder, TAGS[wheel], flags), options.words)
            except OracleUnavailable as why:
                print(f"{TAGS[wheel]}: {why}", file=sys.stderr)
                agree = False
    return 0 if agree else 1


def show_made(names: list[str], number: int) -> int:
    """Print made repositories."""
    for name in names:
        sample = made(int(name[1:]), number)
        print(f"# {name}: {', '.join(sample.changes) or 'valid'}")
        for model, part in sample.parts.items():
            files = [*(f"{one}/" for one in part.folders), *part.files, *part.links]
            print(f"# {model}: {' '.join(files)}\n{(part.written() or b'(no config.pbtxt)').decode()}")
    return 0


@contextlib.contextmanager
def built(path: Path, as_is: bool) -> Iterator[Path]:
    """A copy of a repository, made of what was named: also a fixture's folder, one model, or one configuration."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "repository"
        if path.is_file():
            (folder / path.parent.name).mkdir(parents=True)
            shutil.copy(path, folder / path.parent.name / "config.pbtxt")
        elif (path / "config.pbtxt").exists() or any(one.name.isdigit() for one in path.iterdir()):
            shutil.copytree(path, folder / path.resolve().name, symlinks=True)
        else:
            folder.mkdir()
            read_case(path).build(folder)
        for model in folder.iterdir():
            if not as_is and model.is_dir():
                fill(model)
        yield folder


def fill(model: Path) -> None:
    """Add the version 1 to a model without any; with a file where it matters, for Python."""
    if any(one.is_dir() for one in model.iterdir()):
        return
    (model / "1").mkdir()
    config = model / "config.pbtxt"
    if config.is_file() and b'"python"' in config.read_bytes():
        (model / "1" / "model.py").write_bytes(PYTHON_MODEL)


def show(name: str, tag: str, verdicts: list[Verdict], said: Opinion, length: int) -> bool:
    """Print what a core and lint say; whether they agree."""
    print(f"== {tag} {name}")
    agree = True
    for model in verdicts[0]:
        outcomes = [one[model] for one in verdicts]
        kinds = [one.kind for one in outcomes]
        loads = all(one.loads for one in outcomes)
        shown = kinds[0] if len(set(kinds)) == 1 else " ".join(kinds)
        mark = ""
        if loads and said.refused(model):
            mark = "   <-- STRICTER: lint says that Triton refuses it"
        elif not loads and not said.errors(model):
            mark = "   <-- BLIND: lint says no error"
        agree = agree and not mark
        print(f"   {model}: {shown}{mark}")
        for words in dict.fromkeys(_short(one, length) for one in outcomes if one.words):
            print(f"      {words}")
    for finding in said.findings:
        refused = " refused" if finding.refused else ""
        whose = "" if said.judged(finding) else " (backend's, here a stub)"
        what = f"{finding.rule.code} {finding.severity.name.lower()}{refused}{whose}"
        print(f"   lint {what} [{finding.model}] {finding.message}")
    return agree


def _short(outcome: Outcome, length: int) -> str:
    words = outcome.words.replace("\n", "\n      ")
    return words if len(words) <= length else f"{words[:length]}…"


if __name__ == "__main__":
    sys.exit(main())
