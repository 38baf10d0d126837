"""From a verdict to the place in the repository behind it: the field's file and line, and the lint rule about it.

Rules are named by their code only; this package does not know them. A place is said only where the field, or the file,
is there to be seen.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

from tritoncheck.deployment.launch import Launch, LaunchError
from tritoncheck.deployment.release_names import parse_release_option
from tritoncheck.model import Model
from tritoncheck.model_repository import Repository
from tritoncheck.repository import RepositoryFolder, find_repositories, looks_like_model, read_model, repository_of
from tritoncheck.rule import Span
from tritoncheck.stress.signatures import CAPTURE, Signature
from tritoncheck.stress.verdict import CRASHED, DEGRADED, FAILED, HUNG, Diagnosis, Verdict

# Kinds of faults in a text (`tritoncheck.textproto.problem`) and the rules about them.
_FAULTS = {
    "syntax": "TCS001",
    "unknown-field": "TCS002",
    "too-new": "TCS003",
    "duplicate-field": "TCS004",
    "second-oneof": "TCS005",
    "slash-comment": "TCS006",
    "placeholder": "TCS017",
    "wrong-type": "TCS018",
    "enum-value": "TCS019",
    "removed": "TCS020",
}
# Rules about the model's file, not about its configuration.
_ABOUT_FILES = ("TCV001", "TCV006", "TCR011", "TCR012")
_GRAPHS = ("optimization", "cuda", "graphs")
# A frame of a Python stub's traceback: `  /models/a/1/model.py(4): initialize`.
_FRAME = re.compile(r"^\s+(\S[^\n(]*\.py)\((\d+)\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, or a folder (line 1). code: the rule of `tritoncheck lint` that would have said so, or ""."""

    path: str
    line: int
    code: str = ""


class Places:
    """The repository that a log speaks of, read model by model as they are asked for."""

    def __init__(self, folder: str, diagnosis: Diagnosis) -> None:
        folder = os.path.normpath(folder).replace(os.sep, "/")
        self._folders = [repository_of(folder)] if looks_like_model(folder) else [folder]
        self._searched = False
        self._options = diagnosis.options
        self._models: dict[str, Model | None] = {}
        try:
            self._launch = Launch(parse_release_option(diagnosis.server.version))
        except LaunchError:
            self._launch = Launch()

    def of(self, verdict: Verdict) -> Place | None:
        """The place behind a verdict; None where there is none, or none is known."""
        if verdict.outcome not in (FAILED, DEGRADED, HUNG, CRASHED) and not verdict.healed:
            return None
        try:
            return self._of(verdict)
        except OSError:
            return None

    def _of(self, verdict: Verdict) -> Place | None:
        if verdict.kind in CAPTURE:
            return self._capture(verdict)
        model = self._model(verdict.model)
        if model is None:
            return None
        if verdict.kind == "config-parse" and model.problems:
            first = min(model.problems, key=lambda problem: problem.start)
            span = model.span(first.start, first.end)
            return Place(span.path, span.line, _FAULTS.get(first.kind, "TCS001"))
        signature = verdict.match.signature if verdict.match else None
        if signature is None or verdict.kind == "other" or not (signature.rule or signature.field):
            return self._frame(model, verdict)
        if verdict.outcome == CRASHED and not (signature.field and model.written(*signature.field)):
            return None
        groups = verdict.match.groups if verdict.match else {}
        if signature.rule in _ABOUT_FILES and not signature.field:
            span = self._file(model)
        elif name := groups.get("name"):
            span = model.at(*_tensor(model.config, name, "reshape" if groups.get("reshape") else "dims"))
        elif "line" in groups and model.config_path:
            span = Span(model.config_path, int(groups["line"]))
        elif signature.field and (path := _first_written(model, signature.field)):
            span = model.at(*path)
        else:
            span = Span(model.config_path or model.folder.path)
        return Place(span.path, span.line, signature.rule)

    def _capture(self, verdict: Verdict) -> Place | None:
        """The `graphs` field: a degraded model's own, a victim's culprit's."""
        names = (verdict.model,) if verdict.lost or not verdict.culprits else verdict.culprits
        if verdict.outcome != DEGRADED and not verdict.culprits:
            names = self.capturers(verdict.model)
            names = names if len(names) == 1 else ()
        signature: Signature | None = verdict.match.signature if verdict.match else None
        field = signature.field if signature and signature.field else _GRAPHS
        for name in names:
            model = self._model(name)
            if model is not None and model.written(*field):
                span = model.at(*field)
                return Place(span.path, span.line, signature.rule if signature else "")
        return None

    def capturers(self, victim: str = "") -> tuple[str, ...]:
        """The models of the repository, other than the victim, that capture graphs: suspects where a log names none."""
        found = []
        for folder in self._folders:
            try:
                names = sorted(one.name for one in os.scandir(folder) if one.is_dir())
            except OSError:
                continue
            for name in names:
                model = self._model(name) if name != victim else None
                if model is not None and model.config.optimization.cuda.graphs:
                    found.append(name)
        return tuple(found)

    def _frame(self, model: Model, verdict: Verdict) -> Place | None:
        """The line of the model's own Python code that raised."""
        texts = (verdict.text, *(note.text for note in verdict.instances), *(note.text for note in verdict.symptoms))
        for text in texts:
            for found in _FRAME.finditer(text):
                _, inside, tail = found[1].rpartition(f"/{model.name}/")
                path = f"{model.folder.path}/{tail}"
                if inside and ".." not in tail and os.path.isfile(path):
                    return Place(path, int(found[2]))
        return None

    def _file(self, model: Model) -> Span:
        """The model's file in its highest version, or what is there in its place."""
        if not model.versions:
            return Span(model.config_path or model.folder.path)
        version = model.versions[-1]
        there = model.default_file and version.entry(model.default_file)
        return model.file_span(version.name, *([model.default_file] if there else []))

    def _model(self, name: str) -> Model | None:
        if name not in self._models:
            self._models[name] = self._read(name)
        return self._models[name]

    def _read(self, name: str) -> Model | None:
        if not name or "/" in name or name in (".", ".."):
            return None
        root = self._root(name)
        if not root:
            return None
        repository = Repository(RepositoryFolder(root, (), ()), self._launch)
        folder = read_model(name if root == "." else f"{root}/{name}", os.path.realpath(root))
        config = "config.pbtxt"
        variant = self._options.get("model_config_name", "")
        if variant and "/" not in variant and os.path.isfile(f"{folder.path}/configs/{variant}.pbtxt"):
            config = f"configs/{variant}.pbtxt"
        elif folder.entry(config) is None:
            config = ""
        return Model(repository, folder, f"{folder.path}/{config}" if config else "")

    def _root(self, name: str) -> str:
        """The repository that has this model: the folder given, else one below it."""
        for folder in self._folders:
            if os.path.isdir(os.path.join(folder, name)):
                return folder
        if not self._searched:
            self._searched = True
            self._folders += [found for found in find_repositories(self._folders[0]) if found not in self._folders]
            return self._root(name)
        return ""


def _tensor(config: Any, name: str, part: str) -> tuple[str | int, ...]:
    """The path of a part of the input or output of this name."""
    for field in ("input", "output"):
        for number, tensor in enumerate(getattr(config, field)):
            if tensor.name == name:
                return (field, number, part)
    return ("input",)


def _first_written(model: Model, field: tuple[str, ...]) -> tuple[str | int, ...]:
    """The path of a field, in the first entry of each list on the way that has it written; () where none has."""
    paths: list[tuple[tuple[str | int, ...], Any]] = [((), model.config)]
    for step in field:
        following = []
        for path, node in paths:
            value: Any = getattr(node, step, None)
            if isinstance(value, str | bytes) or not hasattr(value, "__len__") or step == field[-1]:
                following.append(((*path, step), value))
            else:
                following += [((*path, step, number), one) for number, one in enumerate(value)]
        paths = following[:100]
    return next((path for path, _ in paths if model.written(*path)), ())
