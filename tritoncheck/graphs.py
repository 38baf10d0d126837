"""Which CUDA graphs a TensorRT model captures while it loads: for which sizes, in how many contexts, how often.

Source: tensorrt_backend `instance_state.cc`, `InitializeGraphSpecs` (the sizes), `InitializeCudaGraph` (every spec in
every execution context) and `EVENT_SET_COUNT` (how often each); core `model_config_utils.cc` for what is filled in.
Pure functions of a configuration and of how the server is started. Knows no files, no text and no rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tritoncheck.deployment.launch import Launch

# Captured where nothing names sizes, cut at `max_batch_size` (tensorrt_backend `instance_state.cc`, to 26.08).
DOCUMENTED_SIZES = (1, 2, 3, 4, 6, 8, 12, 16)
FIRST_BATCHER_ADDED = (22, 6)  # auto-complete adds `dynamic_batching` to a TensorRT engine that batches
FIRST_COMPLETING_RELEASE = (22, 7)  # from here on auto-complete is on by default
FIRST_THREE_SETS = (23, 3)  # EVENT_SET_COUNT: each graph is captured 3 times, before that 2 times

GPU_KINDS = (0, 1)  # KIND_AUTO and KIND_GPU of ModelInstanceGroup
Shapes = Mapping[str, tuple[int, ...]]


class GraphBound(NamedTuple):
    """The `graph_lower_bound` of a spec."""

    batch_size: int
    shapes: Shapes


class GraphSpec(NamedTuple):
    """One `graph_spec`; bound is None where it has none. batch_size: 0 where it is not written."""

    batch_size: int
    shapes: Shapes
    bound: GraphBound | None


class Graphs(NamedTuple):
    """What a TensorRT model with graphs on captures.

    specs: its `graph_spec` blocks. sizes: the batch sizes captured instead where it has none, else empty.
    batcher_added: whether these are so few because auto-complete adds `dynamic_batching`.
    contexts: execution contexts (instances × profiles) on the GPU that has most of them.
    all_contexts: those on all GPUs, None where the configuration leaves the GPUs to the server.
    repeats: how often each graph is captured.
    """

    specs: tuple[GraphSpec, ...]
    sizes: tuple[int, ...]
    batcher_added: bool
    contexts: int
    all_contexts: int | None
    repeats: int

    @property
    def captures(self) -> int:
        """How many captures one GPU sees while the model loads."""
        return self.contexts * (len(self.specs) or len(self.sizes)) * self.repeats


def read_graphs(config: Any, launch: Launch) -> Graphs:
    """What a model captures, provided it is a TensorRT model with `graphs: true`."""
    specs = graph_specs(config)
    completed = completes(launch)
    contexts, all_contexts = execution_contexts(config.instance_group)
    release = launch.release
    return Graphs(
        specs=specs,
        sizes=() if specs else default_sizes(config, completed),
        batcher_added=completed and not specs and config.WhichOneof("scheduling_choice") is None,
        contexts=contexts,
        all_contexts=all_contexts,
        repeats=3 if release is None or release >= FIRST_THREE_SETS else 2,
    )


def graph_specs(config: Any) -> tuple[GraphSpec, ...]:
    """The `graph_spec` blocks; empty for a release that has no such field."""
    written = getattr(config.optimization.cuda, "graph_spec", ())
    return tuple(GraphSpec(one.batch_size, _shapes(one), _bound(one)) for one in written)


def default_sizes(config: Any, completed: bool) -> tuple[int, ...]:
    """The batch sizes that are captured where no `graph_spec` is given. completed: by auto-complete."""
    top = max(0, config.max_batch_size)
    if top == 0:
        return (0,)
    scheduler = config.WhichOneof("scheduling_choice")
    preferred: Iterable[int] | None = () if scheduler is None and completed else None
    if scheduler == "dynamic_batching":
        preferred = config.dynamic_batching.preferred_batch_size
    elif scheduler == "sequence_batching" and _strategy(config.sequence_batching) == "oldest":
        preferred = config.sequence_batching.oldest.preferred_batch_size
    wanted = {top, *DOCUMENTED_SIZES} if preferred is None else {1, top, *preferred}
    return tuple(sorted(size for size in wanted if 1 <= size <= top))


def execution_contexts(groups: Any) -> tuple[int, int | None]:
    """Execution contexts on the GPU with most of them, and on all GPUs (None where the server chooses these)."""
    if not groups:
        return 1, None
    everywhere, named, chosen = 0, dict[int, int](), True
    for group in groups:
        if group.kind not in GPU_KINDS:
            continue
        contexts = max(1, group.count) * max(1, len(set(getattr(group, "profile", ()))))
        if not group.gpus:
            everywhere, chosen = everywhere + contexts, False
        for gpu in set(group.gpus):
            named[gpu] = named.get(gpu, 0) + contexts
    most = everywhere + max(named.values(), default=0)
    return most, sum(named.values()) if chosen else None


def completes(launch: Launch) -> bool:
    """Whether the server adds `dynamic_batching` to a TensorRT model without scheduler; its default where unknown."""
    release = launch.release
    if release is not None and release < FIRST_BATCHER_ADDED:
        return False
    if launch.autocomplete is None:
        return release is None or release >= FIRST_COMPLETING_RELEASE
    return launch.autocomplete


def _shapes(block: Any) -> Shapes:
    return {name: tuple(block.input[name].dim) for name in sorted(block.input)}


def _bound(spec: Any) -> GraphBound | None:
    if "graph_lower_bound" not in spec.DESCRIPTOR.fields_by_name or not spec.HasField("graph_lower_bound"):
        return None
    return GraphBound(spec.graph_lower_bound.batch_size, _shapes(spec.graph_lower_bound))


def _strategy(sequence: Any) -> str | None:
    """`direct`, `oldest`, or None; None too for a release that knows no strategies."""
    known = "strategy_choice" in sequence.DESCRIPTOR.oneofs_by_name
    return sequence.WhichOneof("strategy_choice") if known else None
