"""What a rule sees of a model: its configuration, its folder, and what follows from both."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tritoncheck.backend import ALL_OR_NONE, NEVER_COMPLETE, Backend, default_file, recognised, resolve_backend
from tritoncheck.config_file import ConfigFile
from tritoncheck.deployment.launch import Launch
from tritoncheck.graphs import Graphs, read_graphs
from tritoncheck.modelfile.contents import Contents
from tritoncheck.modelfile.data import DataFile, count_strings, look
from tritoncheck.modelfile.opened import Opened
from tritoncheck.repository import Entry, ModelFolder, VersionFolder
from tritoncheck.rule import Span
from tritoncheck.tensors import byte_size, type_name

if TYPE_CHECKING:
    from tritoncheck.ensembles import Ensemble, Part
    from tritoncheck.faults import Fault
    from tritoncheck.model_repository import Repository


class Model(ConfigFile):
    """One model, with one configuration of it (`config.pbtxt`, or a variant in `configs/`).

    name: the name Triton knows it by, that of its folder. folder: what lies in it. variant: "" or the variant's name.
    """

    def __init__(self, repository: Repository, folder: ModelFolder, config_path: str, variant: str = "") -> None:
        self.repository = repository
        self.name = folder.name
        self.folder = folder
        self.variant = variant
        super().__init__(config_path, folder.path, repository.launch.release, repository.edited.get(config_path))

    @property
    def launch(self) -> Launch:
        """How the server is started."""
        return self.repository.launch

    @property
    def deployed(self) -> bool:
        """Whether the user said that this is what a server reads, not a source tree."""
        return self.repository.deployed

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
    def least_instances(self) -> int:
        """How many instances of one version start at least: `count` of a group on each GPU that it names, once where it
        names none; 1 where there is no group, or a fault hides them."""
        if self.broken and self.unknown("instance_group"):
            return 1
        return sum(max(1, one.count) * max(1, len(one.gpus)) for one in self.config.instance_group) or 1

    def batch_bytes(self, tensors: Iterable[Any]) -> int:
        """The bytes of some inputs or outputs for a full batch, or a request where it does not batch; without those
        whose type or dims vary."""
        rows: int = max(1, self.config.max_batch_size)
        return sum(self.byte_size(one.data_type, one.dims) or 0 for one in tensors if one.dims) * rows

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

    def file_span(self, *parts: str) -> Span:
        """The place of a file or folder inside the model's folder."""
        return Span("/".join((self.folder.path, *parts)))
