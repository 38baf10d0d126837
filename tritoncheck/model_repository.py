"""What a rule sees of a model repository: its models, how the server is started, and what the two make together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.reading import Fault
from tritoncheck.model import Model
from tritoncheck.modelfile.contents import Contents
from tritoncheck.race import Party, Race, parties, races, races_of, served, start_races
from tritoncheck.repository import RepositoryFolder
from tritoncheck.rule import Span
from tritoncheck.source import SourceTree
from tritoncheck.together import served_together

if TYPE_CHECKING:
    from tritoncheck.deployment.fit import Fit
    from tritoncheck.ensembles import Index


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
        self.faults: tuple[Fault, ...] = ()

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
    def slipped_mount(self) -> str:
        """The path in the container at which this repository is mounted, where the server is told another one that is
        much like it and at which nothing is; else ""."""
        from tritoncheck.deployment.belonging import slipped_mount

        return slipped_mount(self.launch, self.path)

    @cached_property
    def gpu_count(self) -> int | None:
        """How many GPUs the server sees, None where that is not known."""
        if not (self.launch.gpus or self.launch.environment or self.launch.host):
            return None
        from tritoncheck.deployment.gpu_request import seen

        gpus = seen(self.launch.gpus, dict(self.launch.environment))
        if gpus is not None and not gpus.all:
            return gpus.number
        return len(self.fit.host.gpus) or None if self.launch.host is not None and not self.launch.gpu else None

    @cached_property
    def gpus_denied(self) -> bool:
        """Whether it is written that the server sees no GPU. Where merely nothing asks for one, an engine may have
        NVIDIA's runtime as its default, which hands them out unasked."""
        from tritoncheck.deployment.gpu_request import seen

        left = seen(None, dict(self.launch.environment))
        written = self.launch.gpus is not None and self.launch.gpus.none and self.launch.origin("gpus") is not None
        return written or (left is not None and left.none)

    @cached_property
    def fit(self) -> Fit:
        """The image and the host, and whether the one runs on the other."""
        from tritoncheck.deployment.fit import fit

        return fit(self.launch)

    @cached_property
    def uses_gpu(self) -> bool:
        """Whether a model may use a GPU: the server may see one, and not all models are put on the CPU by their
        instance groups."""
        if self.gpus_denied:
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
    def python_models(self) -> tuple[Model, ...]:
        """The served models of the Python backend, whose stubs keep their regions in `/dev/shm`; none whose file could
        not be read."""
        return tuple(one for one in self.served.values() if one.backend.name == "python" and not one.unreadable)

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
