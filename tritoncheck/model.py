"""What a rule sees: models and repositories, their values as protobuf messages, their places as spans.

Joins the text, the schema and the folder of each model. A model keeps its message; the tree of a text without faults
is dropped at once and read again when a place in it is asked for, so that ten thousand models fit into little memory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tritoncheck.backend import ALL_OR_NONE, NEVER_COMPLETE, Backend, default_file, recognised, resolve_backend
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.reading import Fault as DeploymentFault
from tritoncheck.graphs import Graphs, read_graphs
from tritoncheck.modelfile.contents import Contents
from tritoncheck.modelfile.data import DataFile, count_strings, look
from tritoncheck.modelfile.opened import Opened
from tritoncheck.race import Party, Race, parties, races, races_of, served, start_races
from tritoncheck.repository import Entry, ModelFolder, RepositoryFolder, VersionFolder
from tritoncheck.rule import Edit, Span
from tritoncheck.schema.bind import Binding, bind
from tritoncheck.schema.verdict import ServerLine, server_lines
from tritoncheck.source import SourceTree
from tritoncheck.tensors import byte_size, type_name
from tritoncheck.textproto import Document, Field, Message, Problem, Scalar, entry_removals, parse, removals
from tritoncheck.together import served_together

if TYPE_CHECKING:
    from tritoncheck.deployment.fit import Fit
    from tritoncheck.ensembles import Ensemble, Index, Part
    from tritoncheck.faults import Fault

Path = tuple[str | int, ...]

# A model configuration of this size is no model configuration; it is not read.
SIZE_LIMIT = 4 * 1024 * 1024


class Model:
    """One model, with one configuration of it (`config.pbtxt`, or a variant in `configs/`).

    name: the name Triton knows it by, that of its folder. folder: what lies in it.
    config_path: the file, "" where there is none. variant: "" or the variant's name.
    config: the configuration as written, a protobuf message of the target release; nothing is filled in.
    problems: faults of the text, in the order of the file. server: what libprotobuf prints for them.
    unreadable: why the file could not be read, "" if it could.
    """

    def __init__(self, repository: Repository, folder: ModelFolder, config_path: str, variant: str = "") -> None:
        self.repository = repository
        self.name = folder.name
        self.folder = folder
        self.config_path = config_path
        self.variant = variant
        self.problems: list[Problem] = []
        self.server: list[ServerLine] = []
        self.unreadable = ""
        self._text = ""
        self._document: Document | None = None
        self._unknown: list[Path] = []
        self.config: Any = None
        self._read()

    @property
    def launch(self) -> Launch:
        """How the server is started."""
        return self.repository.launch

    @property
    def deployed(self) -> bool:
        """Whether the user said that this is what a server reads, not a source tree."""
        return self.repository.deployed

    @property
    def text(self) -> str:
        """The file as Latin-1, one character a byte."""
        return self._text

    def _read(self) -> None:
        release = self.launch.release
        if self.config_path:
            try:
                edited = self.repository.edited.get(self.config_path)
                self._text = read_text(self.config_path) if edited is None else edited
            except OSError as error:
                self.unreadable = error.strerror or str(error)
        document = parse(self._text)
        binding = bind(document, release)
        problems = document.problems + binding.problems
        if problems:
            self.server = server_lines(document, problems)
            document, binding, problems = _lenient(self._text, release, problems)
            self.problems = sorted(problems, key=lambda problem: (problem.start, problem.layer))
        self.config = binding.message
        self._unknown = binding.unknown
        if problems:
            self._document = document

    @property
    def document(self) -> Document:
        """The tree, read again if it was dropped."""
        if self._document is None:
            self._document = parse(self._text, lenient=bool(self.problems))
        return self._document

    def type_name(self, data_type: int) -> str:
        """`TYPE_FP32`; the number of a type that there is not."""
        return type_name(data_type)

    def byte_size(self, data_type: int, dims: Iterable[int]) -> int | None:
        """The bytes of a tensor; None where the type or a dimension varies or is unknown."""
        return byte_size(data_type, dims)

    def problems_of(self, kind: str) -> list[Fault]:
        """The faults of one kind as a rule reports them."""
        if not self.problems:
            return []
        from tritoncheck.faults import faults

        return faults(self, kind)

    def rest(self) -> None:
        """Drop the tree."""
        self._document = None

    @cached_property
    def backend(self) -> Backend:
        """The backend that will serve it, as far as configuration and files tell."""
        return resolve_backend(self.config, self.folder)

    def recognised(self, folder: VersionFolder) -> list[tuple[str, str]]:
        """The files in a folder by which Triton guesses the backend, with that backend, in its order."""
        return recognised(folder)

    @property
    def is_ensemble(self) -> bool:
        """Whether it is an ensemble."""
        return self.backend.name == "ensemble"

    @property
    def is_final(self) -> bool:
        """Whether inputs, outputs and `max_batch_size` are known to stay as they are written: auto-complete is off, the
        backend has none, or it leaves a configuration alone that has an input and an output.

        Python models are not looked into: `part.exact` does that.
        """
        if self.launch.autocomplete is False or self.backend.name in NEVER_COMPLETE:
            return True
        return self.backend.name in ALL_OR_NONE and bool(self.config.input and self.config.output)

    @cached_property
    def ensemble(self) -> Ensemble | None:
        """Its steps and tensors, None unless it has `ensemble_scheduling`."""
        if self.config.WhichOneof("scheduling_choice") != "ensemble_scheduling":
            return None
        from tritoncheck.ensembles import Ensemble

        return Ensemble(self)

    @cached_property
    def part(self) -> Part:
        """It as the ensembles see it that have it as a part."""
        from tritoncheck.ensembles import Part

        return Part(self)

    @cached_property
    def graphs(self) -> Graphs | None:
        """The CUDA graphs that it captures while it loads; None unless it is a TensorRT model with graphs on."""
        if not self.config.HasField("optimization") or not self.config.optimization.cuda.graphs:
            return None
        return read_graphs(self.config, self.launch) if self.backend.name == "tensorrt" else None

    @property
    def default_file(self) -> str:
        """The file that the backend opens in each version folder, "" where that is not known."""
        return default_file(self.backend, self.config)

    @property
    def versions(self) -> tuple[VersionFolder, ...]:
        """The folders that Triton takes for versions, by number."""
        found = [folder for folder in self.folder.folders if folder.number is not None]
        return tuple(sorted(found, key=lambda folder: folder.number or 0))

    @cached_property
    def loaded(self) -> tuple[VersionFolder, ...]:
        """The version folders that load at the start under the version policy as written, by number; of several
        folders that are the same number to Triton, the plain one."""
        by_number = {}
        for folder in self.versions:
            if folder.plain or folder.number not in by_number:
                by_number[folder.number] = folder
        policy, found = self.config.version_policy, tuple(by_number.values())
        which = policy.WhichOneof("policy_choice")
        if which == "all":
            return found
        if which == "specific":
            return tuple(folder for folder in found if folder.number in set(policy.specific.versions))
        count = policy.latest.num_versions if which == "latest" else 1
        return found[-count:] if count > 0 else ()

    @property
    def contents(self) -> Contents:
        """What lies in files: `model.contents.onnx(model.path(version))`."""
        return self.repository.contents

    @cached_property
    def opened(self) -> Opened:
        """The files that its backend opens, with what they say."""
        return Opened(self)

    def path(self, version: VersionFolder, name: str = "") -> str:
        """The path of a file in a version folder; without a name of the one that the backend opens."""
        return "/".join((self.folder.path, version.name, name or self.default_file))

    def kind_of(self, version: VersionFolder, name: str) -> str:
        """What kind of file lies in a version folder, by its first bytes: `an ONNX model`, `empty`; "" if unknown."""
        return self.contents.kind(self.path(version, name))

    def data_file(self, folder: str, name: str) -> DataFile:
        """A file with the bytes of a tensor, in a folder of the model such as `warmup`."""
        return look("/".join((self.folder.path, folder)), name)

    def data_strings(self, folder: str, name: str, most: int) -> int | None:
        """How many strings such a file holds, as `count_strings` says."""
        return count_strings("/".join((self.folder.path, folder)), name, most)

    def entry(self, name: str) -> Entry | None:
        """An entry of the model's folder by name, None if there is none."""
        return self.folder.entry(name)

    def written(self, *path: str | int) -> bool:
        """Whether a field stands in the text: `model.written("optimization", "cuda", "graphs")`."""
        return self.document.find(path) is not None

    def unknown(self, *path: str | int) -> bool:
        """Whether the value at a path, or part of it, is hidden behind a placeholder or a fault."""
        return any(_overlap(path, hurt) for hurt in self._unknown)

    @property
    def broken(self) -> bool:
        """Whether the text has a fault, so that Triton will not read it."""
        return bool(self.problems or self.unreadable)

    def at(self, *path: str | int) -> Span:
        """The place of a field: a scalar's name and value, a block's name, a list's item.

        What is not written gives the nearest thing around it that is; a model without configuration, its folder.
        """
        if not self.config_path:
            return Span(self.folder.path)
        document = self.document
        for end in range(len(path), 0, -1):
            node = document.find(path[:end])
            if node is None:
                continue
            if isinstance(node, Field):
                if isinstance(node.value, Scalar):
                    return self.span(*document.span(node))
                start = document.tokens.starts[node.token]
                return self.span(start, document.tokens.ends[node.token])
            start, stop = document.span(node)
            if isinstance(node, Message):
                stop = start + 1
            return self.span(start, stop)
        first = document.tokens.starts[0]
        return self.span(first, document.tokens.ends[0])

    def value_at(self, *path: str | int) -> Span:
        """The place of a scalar field's value alone; as `at` where there is none."""
        node = self.document.find(path) if self.config_path else None
        if isinstance(node, Field) and isinstance(node.value, Scalar):
            return self.span(*self.document.span(node.value))
        return self.at(*path)

    def deletion(self, *path: str | int) -> tuple[Edit, ...]:
        """What deletes every field at a path; nothing where it is not written or a comment would be lost."""
        ranges = removals(self.document, path) if self.config_path else []
        return tuple(Edit(self.config_path, start, end, "") for start, end in ranges)

    def entry_deletion(self, path: Path, key: str) -> tuple[Edit, ...]:
        """What deletes the last entry with a key of a map field; nothing where that cannot be done cleanly."""
        ranges = entry_removals(self.document, path, key) if self.config_path else []
        return tuple(Edit(self.config_path, start, end, "") for start, end in ranges)

    def insertion(self, path: tuple[str | int, ...], text: str) -> tuple[Edit, ...]:
        """What writes a text at the beginning of a message; nothing where that is not written."""
        node = self.document.find(path) if self.config_path else None
        message = node.value if isinstance(node, Field) else node
        if not isinstance(message, Message):
            return ()
        at = self.document.span(message)[0] + 1
        gap = "" if self.text[at : at + 1].isspace() else " "
        return (Edit(self.config_path, at, at, f" {text}{gap}"),)

    def span(self, start: int, end: int) -> Span:
        """Byte offsets as a place."""
        document = self.document
        line, column = document.position(start)
        end_line, end_column = document.position(end)
        return Span(self.config_path, line, column, end_line, end_column, start, end)

    def file_span(self, *parts: str) -> Span:
        """The place of a file or folder inside the model's folder."""
        return Span("/".join((self.folder.path, *parts)))


class Repository:
    """One model repository with all its models, and how the server is started.

    edited: texts that stand for those of some files, by path, Latin-1. faults: what is wrong with the files near it
    that say how the server is started.
    """

    def __init__(
        self,
        folder: RepositoryFolder,
        launch: Launch,
        deployed: bool = False,
        edited: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.launch = launch
        self.deployed = deployed
        self.edited = edited or {}
        self.path = folder.path
        self.models: list[Model] = []
        self.siblings: list[Repository] = []
        self.faults: tuple[DeploymentFault, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Model]:
        """Models by name; a variant never hides the `config.pbtxt`."""
        return {model.name: model for model in self.models if not model.variant}

    def span(self, *parts: str) -> Span:
        """The place of an entry of the repository's folder."""
        return Span("/".join((self.path, *parts)))

    def place(self, *keys: str) -> Span:
        """Where to speak of how the server is started: `repository.place("flag:model-load-thread-count")`.

        In the deployment file, where it was written or would be; the repository's folder where no file is known. The
        keys are those of `Launch.origins`; of several the first that was written counts.
        """
        return self.launch.place(*keys) or self.span()

    @cached_property
    def gpu_count(self) -> int | None:
        """How many GPUs the server sees, None where that is not known."""
        from tritoncheck.deployment.gpu_request import seen

        gpus = seen(self.launch.gpus, dict(self.launch.environment))
        if gpus is not None and not gpus.all:
            return gpus.number
        return len(self.fit.host.gpus) or None if self.launch.host is not None and not self.launch.gpu else None

    @cached_property
    def fit(self) -> Fit:
        """The image and the host, and whether the one runs on the other."""
        from tritoncheck.deployment.fit import fit

        return fit(self.launch)

    @cached_property
    def uses_gpu(self) -> bool:
        """Whether a model may use a GPU: the server sees one, and not all models are put on the CPU by their instance
        groups."""
        if self.launch.gpus is not None and self.launch.gpus.none:
            return False
        engines = [model.config for model in self.models if not model.config.HasField("ensemble_scheduling")]
        groups = [list(config.instance_group) for config in engines]
        return not engines or any(not own or any(one.kind != one.KIND_CPU for one in own) for own in groups)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all that lies in its folder."""
        return frozenset(entry.name for entry in self.folder.entries)

    @cached_property
    def contents(self) -> Contents:
        """What lies in the files of its models, each read once."""
        return Contents()

    @cached_property
    def together(self) -> tuple[Repository, ...]:
        """The other repositories that the same server reads, as far as its command line tells."""
        return served_together(self)

    @cached_property
    def source(self) -> SourceTree:
        """What the tree around keeps and what it leaves to the deployment."""
        return SourceTree(self)

    @cached_property
    def served(self) -> dict[str, Model]:
        """Models by name, each with the configuration that the flags make the server read."""
        return served(self)

    @cached_property
    def ensembles(self) -> Index:
        """Which model a step means, and which ensembles stand in a circle."""
        from tritoncheck.ensembles import Index

        return Index(self)

    @cached_property
    def races(self) -> tuple[Race, ...]:
        """Who captures CUDA graphs at load and whom that can hit, whatever the release and the flags."""
        return races(self, self.served.values())

    @cached_property
    def start_races(self) -> tuple[Race, ...]:
        """The races among what the flags make the server load together at its start, whatever the release."""
        return start_races(self)

    @cached_property
    def gpu_parties(self) -> tuple[Party, ...]:
        """Every model that works on a GPU inside the server's process."""
        return parties(self)

    def races_of(self, *names: str) -> tuple[Race, ...]:
        """The races in one request to load these models, with the parts of the ensembles among them."""
        return races_of(self, names)


def read_text(path: str) -> str:
    """A configuration file as Latin-1. OSError for what is no regular file, too large, or cannot be read."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        kind = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe"}.get(stat.S_IFMT(status.st_mode), "not a regular file")
        raise OSError(0, kind)
    if status.st_size > SIZE_LIMIT:
        raise OSError(0, f"{status.st_size} bytes is no model configuration")
    with open(path, "rb") as file:
        return file.read().decode("latin-1")


def _lenient(
    text: str, release: tuple[int, ...] | None, strict: list[Problem]
) -> tuple[Document, Binding, list[Problem]]:
    """The reading for people of a text that Triton refuses."""
    document = parse(text, lenient=True)
    binding = bind(document, release)
    return document, binding, (document.problems + binding.problems) or strict


def _overlap(path: Path, hurt: Path) -> bool:
    """Whether one path lies in the other; an index left out on one side fits any."""
    left = tuple(step for step in path if isinstance(step, str))
    right = tuple(step for step in hurt if isinstance(step, str))
    shorter = min(len(left), len(right))
    return left[:shorter] == right[:shorter]
