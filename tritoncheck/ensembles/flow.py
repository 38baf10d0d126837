"""How tensors run through an ensemble, by its own text alone.

As the core checks it while it scans (`model_config_utils.cc`, `ValidateEnsembleSchedulingConfig` and
`BuildEnsembleGraph`, 20.01 to 26.06): every tensor has one writer, can be computed from the inputs, and is used. The
core stops at the first fault; here are all that do not follow from another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.ensembles.circle import circles

if TYPE_CHECKING:
    from tritoncheck.ensembles.ensemble import Step


class Use(NamedTuple):
    """A step that reads or writes a tensor: by the key in its `input_map` or `output_map`."""

    step: int
    key: str


class Flow(NamedTuple):
    """What is wrong with the way tensors run.

    rewritten: a tensor with its first writer and the second one. unused_inputs, unused: inputs of the ensemble, and
    tensors by their writers, that nothing reads. unwritten: tensors that steps read and nothing writes, by their
    readers. missing_outputs: outputs of the ensemble that no step writes. waiting: steps that wait for each other.
    order: the steps that can run, each after those that it reads from.
    """

    rewritten: tuple[tuple[str, Use, Use], ...]
    unused_inputs: tuple[str, ...]
    unused: tuple[tuple[str, Use], ...]
    unwritten: tuple[tuple[str, Use], ...]
    missing_outputs: tuple[str, ...]
    waiting: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self[:6])


def read_flow(inputs: Iterable[str], outputs: Iterable[str], steps: Sequence[Step]) -> Flow:
    """Follow the tensors of an ensemble with these inputs and outputs."""
    given, wanted = dict.fromkeys(inputs), dict.fromkeys(outputs)
    writers: dict[str, Use] = {}
    readers: dict[str, list[Use]] = {}
    rewritten = []
    for step in steps:
        for key, tensor in step.outputs.items():
            use = Use(step.number, key)
            if tensor in writers:
                rewritten.append((tensor, writers[tensor], use))
            else:
                writers[tensor] = use
        for key, tensor in step.inputs.items():
            readers.setdefault(tensor, []).append(Use(step.number, key))
    order = _order(given, writers, steps)
    unread = [tensor for tensor in writers if tensor not in readers and tensor not in wanted]
    unmade = [tensor for tensor in readers if tensor not in writers and tensor not in given]
    return Flow(
        tuple(rewritten),
        tuple(one for one in given if one not in readers and not (one in writers and one in wanted)),
        tuple((tensor, writers[tensor]) for tensor in unread if tensor not in given),
        tuple((tensor, readers[tensor][0]) for tensor in unmade),
        tuple(one for one in wanted if one not in writers and one not in given and one not in readers),
        _waiting(frozenset(order), writers, steps),
        order,
    )


def _order(given: Iterable[str], writers: Mapping[str, Use], steps: Sequence[Step]) -> tuple[int, ...]:
    """The steps that can run, in an order in which they can. A tensor that is an input is there from the start."""
    ready = set(given)
    missing = [len(set(step.inputs.values()) - ready) for step in steps]
    waiting: dict[str, list[int]] = {}
    for number, step in enumerate(steps):
        for tensor in set(step.inputs.values()) - ready:
            waiting.setdefault(tensor, []).append(number)
    order = [number for number, count in enumerate(missing) if not count]
    for number in order:
        for tensor in steps[number].outputs.values():
            if tensor in ready or writers[tensor].step != steps[number].number:
                continue
            ready.add(tensor)
            for other in waiting.get(tensor, ()):
                missing[other] -= 1
                if not missing[other]:
                    order.append(other)
    return tuple(order)


def _waiting(run: frozenset[int], writers: Mapping[str, Use], steps: Sequence[Step]) -> tuple[int, ...]:
    """A group of steps that wait for each other, () if there is none."""
    graph = {
        step.number: [
            writers[tensor].step
            for tensor in step.inputs.values()
            if tensor in writers and writers[tensor].step not in run
        ]
        for step in steps
        if step.number not in run
    }
    return tuple(sorted(min(circles(graph), default=())))
