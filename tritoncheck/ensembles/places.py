"""Which model a step means, and which ensembles stand in a circle: one index for all repositories of a server.

Core `model_repository_manager.cc`: `ConnectDependencyGraph` finds the models that a step names,
`CircularDependencyCheck` the circles. Namespaces (23.03) are repositories: a step means a
model of its own one, else the only one of the others.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.ensembles.circle import circles, way_back
from tritoncheck.rule import has_hole

if TYPE_CHECKING:
    from tritoncheck.model import Model
    from tritoncheck.model_repository import Repository


# So many missing names are compared with those of all models.
_MOST_LIKENED = 20


class Place(NamedTuple):
    """What is known of a model that a step names.

    model: the model; None where it is not there or not to be looked at. missing: the server has no such model, or,
    if it is ambiguous, several. elsewhere: the repositories of this run that have it; unless it is ambiguous, they are
    not known to belong to the same server. near: a model of the server with a name much like it, "" if none has.
    """

    model: Model | None
    missing: bool = False
    ambiguous: bool = False
    elsewhere: tuple[Repository, ...] = ()
    near: str = ""


class Index:
    """The models of one server as the ensembles of one of its repositories see them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._likened: dict[str, str] = {}

    def find(self, name: str, namespace: str = "") -> Place:
        """The model that a step names."""
        repository = self._repository
        if not name or has_hole(name) or repository.folder.alone or (namespace and self._namespaces):
            return Place(None)
        model = repository.served.get(name)
        if model is not None:
            if not self._namespaces or model.repository is repository:
                return Place(model)
            having = tuple(other for other in repository.together if name in other.by_name)
            if len(having) > 1:
                return Place(None, missing=True, ambiguous=True, elsewhere=having)
            return Place(model)
        if name in self._folders:
            return Place(None)  # a folder without a model in it: Triton refuses that, and another rule tells of it
        having = tuple(other for other in repository.siblings if name in other.by_name)
        return Place(None, missing=True, elsewhere=having, near=self._near(name))

    @cached_property
    def whole(self) -> bool:
        """Whether it is known which repositories the server reads."""
        launch = self._repository.launch
        named = len(launch.all("model-repository") + launch.all("model-store"))
        return launch.flags_known and named in (1, len(self._repository.together) + 1)

    @cached_property
    def circles(self) -> dict[str, tuple[str, ...]]:
        """The ensembles that depend on themselves, each with the way from it back to it."""
        served = self._repository.served.values()
        graph = {model.name: _parts(model) for model in served if model.ensemble is not None and not model.broken}
        found: dict[str, tuple[str, ...]] = {}
        for group in circles(graph):
            for name in group:
                found[name] = way_back(graph, name, group)
        return found

    @cached_property
    def callers(self) -> dict[str, str]:
        """For each name in a step of an ensemble of this repository, the first ensemble that has it."""
        found: dict[str, str] = {}
        for model in self._repository.models:
            if not model.broken:
                for name in _parts(model):
                    found.setdefault(name, model.name)
        return found

    @cached_property
    def _namespaces(self) -> bool:
        return self._repository.launch.switch("model-namespacing", False)

    @cached_property
    def _folders(self) -> frozenset[str]:
        every = (self._repository, *self._repository.together)
        return frozenset(folder.name for one in every for folder in one.folder.models)

    def _near(self, name: str) -> str:
        """A model with a name much like this one. Where many are missing it is no slip, and is not looked for."""
        if name not in self._likened and len(self._likened) < _MOST_LIKENED:
            from tritoncheck.schema.advice import nearest

            self._likened[name] = nearest(name, self._repository.served) or ""
        return self._likened.get(name, "")


def _parts(model: Model) -> list[str]:
    """The names in the steps of an ensemble, each once, in their order."""
    return list(dict.fromkeys(step.model_name for step in model.config.ensemble_scheduling.step))
