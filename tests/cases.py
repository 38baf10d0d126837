"""Cases for rules: model repositories with what lint must say about them, from fixtures and from rule pages.

A fixture `fixtures/rules/<CODE>/<kind>_<what>/` is a model repository; kind is `bad` (the rule speaks), `good` (it does
not) or `miss` (a near miss: it must stay silent although it looks alike). What is expected stands at its place, as a
comment `# expect: CODE` on the line where the finding begins, or, for files and folders, in `case.toml`:

    triton = "24.01"            # also: image, launch, driver, gpu, deployed = true
    machine = "geforce-laptop"  # the host is one of fixtures/hosts
    expect = ["TCR001 .hidden"] # code and path in the repository, and `:2` for another line than the first
    also = ["TCR004"]           # the other rules that report errors here
    folders = ["m/1"]           # made before the test: git keeps no empty folders
    links = { "m/1/model.onnx" = "nowhere" }
    modes = { "m/1/model.py" = "664" }
    files = { "m/1/model.plan" = "" }

A file whose whole text is in brackets may stand for a binary one: `(onnx opset 17: x FP32[-1,4] -> y FP32[-1])`
(`tests/binaries.py` lists all such texts).

A rule's page shows the same in its Bad and Good blocks: `# resnet/config.pbtxt` begins a file, `# resnet/1/` is a
folder, `# resnet/1/model.onnx -> /nowhere` a link, `# resnet/1/model.py 666` a file with these rights, `# --triton
24.01`, `# --launch "…"` and `# --deployed` are options.
A `compose.yaml` beside the models starts the server.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tomllib
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tests.binaries import content, grown
from tests.machines import RecordedMachine
from tritoncheck.command import launch_of
from tritoncheck.config import Settings
from tritoncheck.deployment.probe import asked
from tritoncheck.deployments import make_plan
from tritoncheck.outcome import Report
from tritoncheck.registry import LoadedRule, own_rules
from tritoncheck.run import Run
from tritoncheck.several import lint_planned

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
TODAY = date(2026, 6, 1)

_EXPECT = re.compile(r"#\s*expect:\s*([A-Z0-9, ]+)")


@dataclass
class Case:
    """A repository to make, how the server is started, and the findings due: (code, path, line), line 1 for files."""

    name: str
    source: Path | None = None
    files: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    expect: list[tuple[str, str, int]] = field(default_factory=list)
    also: list[str] = field(default_factory=list)

    def build(self, folder: Path) -> Path:
        """Make the repository in an empty folder."""
        if self.source:
            shutil.copytree(self.source, folder, dirs_exist_ok=True, symlinks=True)
            (folder / "case.toml").unlink(missing_ok=True)
        for name in self.folders:
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content(text))
            if size := grown(text):
                os.truncate(folder / name, size)  # a hole, which takes no room on the disk
        for name, target in self.links.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).symlink_to(target)
        for name, mode in self.modes.items():
            (folder / name).chmod(int(mode, 8))
        return folder


def read_case(folder: Path) -> Case:
    """A fixture."""
    case = Case(folder.name, source=folder)
    settings = folder / "case.toml"
    table = tomllib.loads(settings.read_text()) if settings.is_file() else {}
    case.expect = [_expected(one) for one in table.pop("expect", [])]
    case.also = table.pop("also", [])
    case.folders = table.pop("folders", [])
    case.links = table.pop("links", {})
    case.modes = table.pop("modes", {})
    case.files = table.pop("files", {})
    case.options = table
    found = (one for end in ("pbtxt", "py", "yaml", "yml", "sh") for one in folder.rglob(f"*.{end}"))
    for path in sorted(filter(Path.is_file, found)):
        for number, line in enumerate(path.read_bytes().decode("latin-1").split("\n"), 1):
            for codes in _EXPECT.findall(line):
                for code in codes.replace(",", " ").split():
                    case.expect.append((code, path.relative_to(folder).as_posix(), number))
    return case


def _expected(text: str) -> tuple[str, str, int]:
    """`TCR001 .hidden`, or with a line `TCV051 Dockerfile:2`."""
    code, _, place = text.partition(" ")
    path, colon, line = place.rpartition(":")
    return (code, path, int(line)) if colon and line.isdecimal() else (code, place, 1)


def cases_of(code: str) -> list[Case]:
    """All fixtures of a rule."""
    folder = FIXTURES / "rules" / code
    return [read_case(one) for one in sorted(folder.iterdir()) if one.is_dir()] if folder.is_dir() else []


def page_cases(loaded: LoadedRule, heading: str) -> list[Case]:
    """The examples below a heading of a rule's page."""
    section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", loaded.page, re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```\w*\n(.*?)^```", section.group(1) if section else "", re.MULTILINE | re.DOTALL)
    return [read_example(f"{loaded.rule.code} {heading} {n}", block) for n, block in enumerate(blocks, 1)]


def read_example(name: str, block: str) -> Case:
    """One block of a page."""
    case, current = Case(name), ""
    for line in block.splitlines():
        option = re.fullmatch(r"# --(\w+)(?: (.*))?", line)
        place = re.fullmatch(r"# ([^\s/]\S*/\S*|[\w.-]+\.ya?ml|Dockerfile)(?: -> (\S+)| ([0-7]{3}))?", line)
        if option:
            value = shlex.split(option.group(2) or "")
            case.options[option.group(1)] = " ".join(value) if value else True
        elif place and place.group(2):
            case.links[place.group(1)] = place.group(2)
        elif place and place.group(1).endswith("/"):
            case.folders.append(place.group(1))
        elif place:
            current = place.group(1)
            case.files[current] = ""
            if place.group(3):
                case.modes[current] = place.group(3)
        elif current:
            case.files[current] += line + "\n"
    return case


def run_lint(folder: Path, options: dict[str, Any] | None = None) -> Report:
    """Lint a repository with all rules; several, if the command line names several that are there."""
    given = dict(options or {})
    machine = given.pop("machine", "")
    settings = Settings(**given)
    launch = launch_of(settings)
    if machine:
        launch = asked(launch, RecordedMachine(machine))
    run = Run(settings, launch, own_rules(), TODAY)
    named = [folder / path.lstrip("/") for path in run.launch.all("model-repository")]
    several = len(named) > 1 and all(one.is_dir() for one in named)
    trees = {str(one): str(folder) for one in (named if several else [folder])}
    return lint_planned(make_plan(trees, settings, launch), run, trees, [])


def run_case(case: Case, folder: Path, **more: object) -> Report:
    """Make a case's repository and lint it, with its options and more."""
    return run_lint(case.build(folder), {**case.options, **more})


def places(report: Report, folder: Path, code: str = "") -> list[tuple[str, str, int]]:
    """The findings (of one code) as (code, path, line), sorted."""
    return sorted(
        (one.rule.code, Path(one.span.path).relative_to(folder).as_posix(), one.span.line)
        for one in report.findings
        if not code or one.rule.code == code
    )
