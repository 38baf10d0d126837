"""Who captures CUDA graphs at load, and which models loading beside it can be hit.

The facts. A TensorRT model with `optimization { cuda { graphs: true } }` captures on a blocking stream while it loads
(tensorrt_backend `instance_state.cc`, `TRTv3Interface::BuildCudaGraph`). While it does, no other thread of the process
may touch the legacy stream of that GPU: that call fails with CUDA error 906 and its model does not load; the capture
ends with 901 and the capturer comes up without the graph. The core serialised loads by a mutex until 23.03 (core
commit c269d67 removed it in 23.04). All of it was measured on an H200; see `MEASURED`.

Knows no rules and no wording.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tritoncheck.backend import CPU_ONLY, IN_PROCESS_GPU, NO_DEVICE, OWN_PROCESS

if TYPE_CHECKING:
    from tritoncheck.model import Model, Repository

FIRST_RACING_RELEASE = (23, 4)  # core c269d67 removed the mutex around model and instance initialisation
FIRST_THREAD_LOCAL_RELEASE = (22, 4)  # tensorrt_backend ea6c035; before, captures were in global mode


class Party(NamedTuple):
    """A model that may take part. gpus: the GPUs it uses, None for all or unknown. sure: in-process GPU work is
    known of its backend and instance kind, not only possible."""

    model: Model
    gpus: frozenset[int] | None
    captures: bool
    sure: bool


class Race(NamedTuple):
    """A model that captures graphs, and every other model that can be hit while it does.

    versions: how many versions of the capturer itself load at once; from 2 on it can hit itself.
    """

    capturer: Party
    victims: tuple[Party, ...]
    versions: int = 1


def captures_graphs(model: Model) -> bool:
    """Whether the model captures graphs at load: TensorRT, graphs on, and at least one instance on a GPU."""
    return bool(model.backend.name == "tensorrt" and model.config.optimization.cuda.graphs)


def gpus_of(config: Any) -> frozenset[int] | None:
    """The GPUs that all instance groups together name; None where a group leaves them to the server."""
    groups = [group for group in config.instance_group if _kind(group) not in ("KIND_CPU",)]
    if not config.instance_group:
        return None
    named: set[int] = set()
    for group in groups:
        if not group.gpus:
            return None
        named.update(group.gpus)
    return frozenset(named)


def runs_on_gpu(model: Model) -> bool:
    """Whether some instance is on a GPU, or may be."""
    groups = model.config.instance_group
    if model.backend.name in CPU_ONLY | NO_DEVICE:
        return False
    return not groups or any(_kind(group) != "KIND_CPU" for group in groups)


def party(model: Model) -> Party | None:
    """The model as a party of a race; None where it does no GPU work inside the server's process at load."""
    backend = model.backend.name
    if backend in OWN_PROCESS or not runs_on_gpu(model):
        return None
    if model.unknown("instance_group") or model.unknown("backend") or model.unknown("platform"):
        return None
    if backend not in IN_PROCESS_GPU:
        return None
    return Party(model, gpus_of(model.config), captures_graphs(model), True)


def share_gpu(one: Party, other: Party) -> bool:
    """Whether two models have a GPU in common, as far as their configurations tell."""
    return one.gpus is None or other.gpus is None or bool(one.gpus & other.gpus)


def races(repository: Repository) -> tuple[Race, ...]:
    """Every capturing model that shares a GPU with another in-process GPU model, by name."""
    models = [model for model in repository.models if not model.variant]
    if not any(captures_graphs(model) for model in models):
        return ()
    parties = [one for one in map(party, models) if one is not None]
    found = []
    for one in parties:
        if not one.captures:
            continue
        victims = tuple(other for other in parties if other is not one and share_gpu(one, other))
        versions = loaded_versions(one.model)
        if victims or versions > 1:
            found.append(Race(one, victims, versions))
    return tuple(found)


def loaded_versions(model: Model) -> int:
    """How many versions of a model load at the start, at least 1: each is a load of its own (core
    `model_lifecycle.cc`, `VersionsToLoad`)."""
    policy, present = model.config.version_policy, {folder.number for folder in model.versions if folder.plain}
    which = policy.WhichOneof("policy_choice")
    if which == "all":
        return max(1, len(present))
    if which == "specific":
        wanted = set(policy.specific.versions)
        return max(1, len(wanted & present if present else wanted))
    if which == "latest":
        return max(1, min(policy.latest.num_versions, len(present)) if present else policy.latest.num_versions)
    return 1


def _kind(group: Any) -> str:
    """The kind of an instance group by name; an unknown number is `KIND_AUTO`."""
    names = group.DESCRIPTOR.enum_types_by_name["Kind"].values_by_number
    return names[group.kind].name if group.kind in names else "KIND_AUTO"
