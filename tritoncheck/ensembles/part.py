"""A model as the ensembles around it see it: its tensors, its batch size, whether it is decoupled.

The core compares an ensemble with what its parts are after their backends have completed them
(`ensemble_utils.cc` asks the loaded model for its configuration). So what a backend may still fill in is unknown here,
not empty: a list without entries, a tensor without type, a batch size of 0.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from tritoncheck.backend import ALL_OR_NONE

if TYPE_CHECKING:
    from tritoncheck.model import Model

# They fill an empty list, and gaps in the entries of one that is not, but add none (tensorrt_backend
# `model_state.cc` `FixIO`, openvino_backend `openvino.cc` `AutoCompleteInputOrOutput`).
_FILL_ONLY = frozenset(("tensorrt", "openvino"))
_SOURCE_LIMIT = 1024 * 1024
_PLAIN_CLASS = re.compile(rb"^class\s+TritonPythonModel\s*(?:\(\s*(?:object)?\s*\))?\s*:", re.MULTILINE)


class Tensor(NamedTuple):
    """An input or output. type: the enum's number, 0 where unknown. dims: None where unknown. number: its place in
    the list. optional: whether requests may leave it out.
    """

    name: str
    type: int
    dims: tuple[int, ...] | None
    number: int
    optional: bool = False


class Part:
    """One model, by its configuration as written and what its backend may add to that."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @cached_property
    def opaque(self) -> bool:
        """Whether nothing can be told of it: its text has faults or there is none, or what serves it is unknown."""
        return self.model.broken or not self.model.config_path

    @cached_property
    def exact(self) -> bool:
        """Whether the configuration as written is the one that the server uses."""
        backend = self.model.backend.name
        if self.opaque:
            return False
        if self.model.is_final:
            return True
        return backend == "python" and not _completes_itself(self.model)

    @cached_property
    def kept(self) -> bool:
        """Whether the tensors as written are those that the server uses, with gaps filled; where not, it is likely.

        A Python model that completes itself is refused where it contradicts what is written (python_backend
        `model_config.py`, `add_input`)."""
        return self.exact or (not self.opaque and self.model.backend.name in _FILL_ONLY | {"python"})

    @cached_property
    def inputs(self) -> dict[str, Tensor]:
        """The inputs as written, by name; none where they may be thrown away."""
        return self._listed("input")

    @cached_property
    def outputs(self) -> dict[str, Tensor]:
        """The outputs as written, by name; none where they may be thrown away."""
        return self._listed("output")

    def _listed(self, side: str) -> dict[str, Tensor]:
        if self.opaque or (self.model.backend.name in ALL_OR_NONE and not self.exact):
            return {}
        return _tensors(getattr(self.model.config, side))

    def closed(self, side: str) -> bool:
        """Whether the server knows no other `input` or `output` of it than those written."""
        if self.exact or self.opaque or self.model.backend.name not in _FILL_ONLY:
            return self.exact
        return bool(getattr(self.model.config, side))

    @cached_property
    def batch_kept(self) -> bool:
        """Whether a `max_batch_size` above 0 stays as written; Python models may raise it, others are likely not to."""
        return self.exact or (not self.opaque and self.model.backend.name in _FILL_ONLY | ALL_OR_NONE)

    @cached_property
    def max_batch(self) -> int | None:
        """Its `max_batch_size`, None where the backend may set it."""
        if self.opaque:
            return None
        written = int(self.model.config.max_batch_size)
        return written if written or self.exact else None

    @property
    def batching(self) -> bool | None:
        """Whether its tensors have a batch dimension in front, None where unknown."""
        return None if self.max_batch is None else self.max_batch > 0

    @cached_property
    def decoupled(self) -> bool | None:
        """Whether it may send any number of responses, None where unknown; of an ensemble, whether a part of it."""
        if self.opaque:
            return None
        if self.model.ensemble is not None:
            return self.model.ensemble.decoupled
        if self.model.config.model_transaction_policy.decoupled:
            return True
        return False if self.exact or self.model.backend.name in _FILL_ONLY | ALL_OR_NONE else None

    @cached_property
    def twice(self) -> frozenset[str]:
        """The outputs that it lists more than once."""
        counts = Counter(one.name for one in self.model.config.output)
        return frozenset(name for name, count in counts.items() if count > 1)


def _tensors(listed: Any) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    for index, one in enumerate(listed):
        dims = tuple(one.dims) or None
        optional = bool(getattr(one, "optional", False))
        found.setdefault(one.name, Tensor(one.name, one.data_type, dims, index, optional))
    return found


def _completes_itself(model: Model) -> bool:
    """Whether a Python model may complete its configuration: it has `auto_complete_config`, of its own or perhaps
    from another class, or is not there to be looked at (python_backend `pb_stub.cc`, `AutoCompleteModelConfig`)."""
    if not model.loaded:
        return True
    path = "/".join((model.folder.path, model.loaded[-1].name, model.default_file))
    try:
        with open(path, "rb") as file:
            source = file.read(_SOURCE_LIMIT)
    except OSError:
        return True
    return b"auto_complete_config" in source or not _PLAIN_CLASS.search(source)
