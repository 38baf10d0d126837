"""Who captures CUDA graphs at load, which models loading beside it can be hit, and what was measured of it.

The facts. A TensorRT model with `optimization { cuda { graphs: true } }` captures on a blocking stream while it loads
(tensorrt_backend `instance_state.cc`, `TRTv3Interface::BuildCudaGraph`). While it does, no other thread of the process
may touch the legacy stream of that GPU: that call fails with CUDA error 906 and its model does not load; the capture
ends with 901 and the capturer comes up without the graph. The core serialised loads by a mutex until 23.03 (core
commit c269d67 removed it in 23.04). All of it was measured on an H200; see `MEASURED`.

Knows no rules and no wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tritoncheck.backend import CPU_ONLY, NO_DEVICE, OWN_PROCESS

if TYPE_CHECKING:
    from tritoncheck.model import Model
    from tritoncheck.model_repository import Repository

# Measured, or read, to use the legacy stream while they load: tensorrt_backend `InitializeExecuteInputBinding` (a
# memset), ORT `GPUDataTransfer::CopyTensor`, pytorch_backend `LoadModel` (both copy weights).
HIT = frozenset(("tensorrt", "onnxruntime", "pytorch"))
# They use the GPU inside the server's process; whether its legacy stream while they load was not measured.
MAY_BE_HIT = frozenset(("tensorflow", "fil", "dali", "tensorrtllm"))
IMMUNE = OWN_PROCESS | CPU_ONLY | NO_DEVICE


class Measured(NamedTuple):
    """One set-up on one H200 (24.10 core, stand-in backend): models with graphs, without, and failed starts."""

    captures: int
    plain: int
    failed: int
    starts: int


# What a set-up gave; from three graph models on, one more or less made no difference.
MEASURED = (
    Measured(1, 0, 0, 20),
    Measured(1, 1, 10, 40),
    Measured(1, 2, 25, 40),
    Measured(1, 3, 24, 40),
    Measured(2, 0, 17, 20),
    Measured(3, 0, 19, 20),
    Measured(3, 1, 20, 20),
)


class Party(NamedTuple):
    """A model that may take part.

    gpus: the GPUs it uses, None for all or unknown. placed: whether they are known. captures: whether it captures
    graphs. sure: it is known to use the legacy stream of a GPU that is known while it loads, not only possible.
    """

    model: Model
    gpus: frozenset[int] | None
    placed: bool
    captures: bool
    sure: bool


class Company(NamedTuple):
    """All parties that share a GPU: first those that capture, then those that can be hit, then those that only may
    be, each by name. captures, possible: how many are of the first kind, of the last. placed: GPUs of all are known."""

    parties: tuple[Party, ...]
    captures: int
    possible: int
    placed: bool


class Race(NamedTuple):
    """A model that captures graphs, and the company that it can hit while it does; it is one of that company.

    versions: how many versions of the capturer itself load at once; from 2 on it can hit itself.
    """

    capturer: Party
    company: Company
    versions: int = 1

    @property
    def victims(self) -> Iterator[Party]:
        """Whom it can hit, in the order of the company."""
        return (one for one in self.company.parties if one is not self.capturer)

    @property
    def hit(self) -> int:
        """How many others are known to be in reach."""
        return len(self.company.parties) - self.company.possible - int(self.capturer.sure)

    @property
    def sure(self) -> bool:
        """Whether it is known of some model that it can be hit."""
        return self.capturer.sure and (self.versions > 1 or self.hit > 0)

    @property
    def measured(self) -> Measured:
        """The measured set-up nearest to this one; a lone model with several versions counts as several."""
        captures, plain = self.company.captures, self.hit + 1 - self.company.captures
        return measured(self.versions if captures == 1 and not plain else captures, plain)


def measured(captures: int, plain: int) -> Measured:
    """The measured set-up nearest to this many models with graphs and without."""
    return min(MEASURED, key=lambda one: (abs(one.captures - captures), abs(one.plain - plain)))


def switched_on(config: Any) -> bool:
    """Whether a configuration asks for CUDA graphs, whoever reads that."""
    return bool(config.HasField("optimization") and config.optimization.cuda.graphs)


def party(model: Model) -> Party | None:
    """The model as a party of a race; None where it does no GPU work inside the server's process at load, or where
    that cannot be told."""
    backend, config = model.backend.name, model.config
    if model.unreadable or not backend or backend in IMMUNE or getattr(config, "runtime", "").endswith(".py"):
        return None
    hidden = model.broken and any(model.unknown(field) for field in ("backend", "platform", "runtime"))
    if hidden or not runs_on_gpu(model):
        return None
    hidden = model.broken and (model.unknown("instance_group", "gpus") or model.unknown("instance_group", "kind"))
    placed = not hidden
    captures = backend == "tensorrt" and switched_on(config)
    if captures:  # with a shape tensor the backend gives the capture up before it begins
        captures = not any(one.is_shape_tensor for one in (*config.input, *config.output))
    return Party(model, gpus_of(config) if placed else None, placed, captures, placed and backend in HIT)


def runs_on_gpu(model: Model) -> bool:
    """Whether some instance is on a GPU of the server's own process, as far as can be told."""
    groups, backend = model.config.instance_group, model.backend.name
    if backend in IMMUNE:
        return False
    if backend == "tensorrtllm":
        return True  # its configurations say KIND_CPU; the engine is on the GPU all the same
    kinds = {_kind(group) for group in groups}
    if backend not in HIT | MAY_BE_HIT:  # somebody's own; one in Python runs in a process of its own
        return "KIND_GPU" in kinds and not any(version.entry("model.py") for version in model.versions)
    if backend == "tensorrt":
        several = "KIND_MODEL" in kinds and "enable_multi_device" in model.config.parameters
        return not kinds or several or bool(kinds & {"KIND_GPU", "KIND_AUTO"})
    if model.broken and (model.unknown("instance_group", "kind") or (not groups and model.unknown("instance_group"))):
        return "KIND_GPU" in kinds
    on_gpu = {"KIND_GPU", "KIND_AUTO", "KIND_MODEL"} if backend == "pytorch" else {"KIND_GPU", "KIND_AUTO"}
    return not kinds or bool(kinds & on_gpu)


def gpus_of(config: Any) -> frozenset[int] | None:
    """The GPUs that all instance groups together name; None where a group leaves them to the server, which then
    uses every GPU."""
    if not config.instance_group:
        return None
    named: set[int] = set()
    for group in config.instance_group:
        if _kind(group) == "KIND_CPU":
            continue
        if not group.gpus:
            return None
        named.update(group.gpus)
    return frozenset(named) or None


def share_gpu(one: frozenset[int] | None, other: frozenset[int] | None) -> bool:
    """Whether two sets of GPUs have one in common; None is every GPU."""
    return one is None or other is None or bool(one & other)


def served(repository: Repository) -> dict[str, Model]:
    """The models as the server reads them: by `config.pbtxt`, or by the variant that `--model-config-name` names.

    Those of other repositories that the same server reads are among them.
    """
    wanted = repository.launch.last("model-config-name")
    found = {model.name: model for one in repository.together for model in one.models if model.variant in ("", wanted)}
    found |= {model.name: model for model in repository.models if model.variant in ("", wanted)}
    return found


def races(repository: Repository, models: Iterable[Model]) -> tuple[Race, ...]:
    """Every capturing model of a repository that shares a GPU with another in-process GPU model among `models`, or
    loads in several versions."""
    models = list(models)
    if not any(switched_on(model.config) for model in models):
        return ()
    parties = [one for one in map(party, models) if one is not None]
    companies: dict[frozenset[int] | None, Company] = {}
    found = []
    for one in parties:
        if not one.captures:
            continue
        company = companies.get(one.gpus)
        if company is None:
            company = companies[one.gpus] = _company([other for other in parties if share_gpu(one.gpus, other.gpus)])
        versions = loaded_versions(one.model)
        if one.model.repository is not repository:
            continue
        if len(company.parties) > 1 or versions > 1:
            found.append(Race(one, company, versions))
    return tuple(found)


def _company(parties: list[Party]) -> Company:
    ordered = sorted(parties, key=lambda one: (not one.captures, not one.sure))
    captures, possible = sum(one.captures for one in parties), sum(not one.sure for one in parties)
    return Company(tuple(ordered), captures, possible, all(one.placed for one in parties))


def parties(repository: Repository) -> tuple[Party, ...]:
    """Every model that works on a GPU inside the server's process, by name."""
    return tuple(one for one in map(party, repository.served.values()) if one is not None)


def start_races(repository: Repository) -> tuple[Race, ...]:
    """The races among the models that the server loads at its start, all together; none where it loads one by one."""
    launch = repository.launch
    if launch.serial:
        return ()
    if launch.control_mode != "explicit" or "*" in launch.load_models:
        return repository.races
    return races_of(repository, launch.load_models)


def races_of(repository: Repository, names: Iterable[str]) -> tuple[Race, ...]:
    """The races among these models and the parts of the ensembles among them."""
    wanted = with_parts(repository, names)
    return races(repository, [repository.served[name] for name in sorted(wanted)])


def with_parts(repository: Repository, names: Iterable[str]) -> frozenset[str]:
    """These models and the parts of those that are ensembles: what a request to load them loads."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        model = repository.served.get(name)
        if name in found or model is None:
            continue
        found.add(name)
        waiting += [step.model_name for step in model.config.ensemble_scheduling.step]
    return frozenset(found)


def loaded_versions(model: Model) -> int:
    """How many versions of a model load at the start, at least 1: each is a load of its own (core
    `model_lifecycle.cc`, `VersionsToLoad`). Where no version folder is there, what the policy asks for."""
    policy, present = model.config.version_policy, {folder.number for folder in model.versions if folder.plain}
    which = policy.WhichOneof("policy_choice")
    if which == "all":
        return max(1, len(present))
    if which == "specific":
        wanted = set(policy.specific.versions)
        return max(1, len(wanted & present if present else wanted))
    if which == "latest":
        wanted_count = int(policy.latest.num_versions)
        return max(1, min(wanted_count, len(present)) if present else wanted_count)
    return 1


def _kind(group: Any) -> str:
    """The kind of an instance group by name; an unknown number is `KIND_AUTO`."""
    names = group.DESCRIPTOR.enum_types_by_name["Kind"].values_by_number
    return names[group.kind].name if group.kind in names else "KIND_AUTO"
