"""The configuration of a model as the server will have it, as far as that can be known without running it.

What core fills in (`model_config_utils.cc`, `AutoCompleteBackendFields`, `NormalizeModelConfig`,
`NormalizeInstanceGroup`) was read off the answers of real servers 22.11 to 24.10; what backends fill in, from the
sources that triton's release branches have, and from the ONNX file. Knows nothing of how it is printed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tritoncheck.model import Model
    from tritoncheck.modelfile.onnx_file import OnnxModel, OnnxTensor

Path = tuple[str | int, ...]

# backend -> (platform, file). Source: core `model_config_utils.cc` `AutoCompleteBackendFields`; real servers.
FILLED = {
    "tensorrt": ("tensorrt_plan", "model.plan"),
    "onnxruntime": ("onnxruntime_onnx", "model.onnx"),
    "pytorch": ("pytorch_libtorch", "model.pt"),
    "openvino": ("", "model.xml"),
    "python": ("", "model.py"),
}
# Backends that create two instances on a CPU if no count is given: core `SetDefaultInstanceCount`.
_TWO_ON_CPU = frozenset(("onnxruntime", "tensorflow"))
# onnxruntime_backend: the batch size where a model can batch and the configuration says nothing (22.05 on).
_ORT_BATCH = 4
_CPU = 2


@dataclass(slots=True)
class Effective:
    """message: the configuration. completed: path of each field that the server fills in -> where it comes from.
    unknown: what may be filled in besides, in one line each."""

    message: Any
    completed: dict[Path, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    def fill(self, path: Path, source: str) -> None:
        """Say that a field was completed."""
        self.completed[path] = source


def effective(model: Model) -> Effective:
    """The configuration that the server works with. For a text with faults that of its readable part."""
    found = Effective(type(model.config)())
    found.message.CopyFrom(model.config)
    _identity(model, found)
    if model.backend.name != "ensemble":
        if model.launch.autocomplete is not False:
            _tensors(model, found)
        _defaults(found)
        _groups(model, found)
        return found
    if not found.message.HasField("version_policy"):
        _latest(found)
    if not found.message.HasField("model_transaction_policy"):
        found.message.model_transaction_policy.SetInParent()
        found.fill(("model_transaction_policy",), "decoupled if one of its models is")
    return found


def _identity(model: Model, found: Effective) -> None:
    config, backend = found.message, model.backend
    if not config.name:
        config.name = model.name
        found.fill(("name",), "the folder's name")
    if not backend.name:
        found.unknown.append("the backend: neither `backend` nor `platform` nor a file of a known name says it")
        return
    source = {"files": "the file in the version folder", "name": "the model's name", "platform": "`platform`"}
    why = source.get(backend.source, f"`{backend.source}`")
    if backend.name == "ensemble":
        if not config.platform:
            config.platform = "ensemble"
            found.fill(("platform",), "`ensemble_scheduling`")
        return
    if not config.backend:
        config.backend = backend.name
        found.fill(("backend",), why)
    platform, file = FILLED.get(backend.name, ("", ""))
    if platform and not config.platform:
        config.platform = platform
        found.fill(("platform",), "`backend`" if model.config.backend else why)
    if not config.default_model_filename:
        name = model.default_file or file
        if name:
            config.default_model_filename = name
            found.fill(("default_model_filename",), f"the default of {backend.name}")


def _latest(found: Effective) -> None:
    found.message.version_policy.latest.num_versions = 1
    found.fill(("version_policy",), "default")


def _defaults(found: Effective) -> None:
    """`NormalizeModelConfig`."""
    config = found.message
    if config.version_policy.WhichOneof("policy_choice") is None:
        _latest(found)
    chosen = config.WhichOneof("scheduling_choice")
    if chosen == "dynamic_batching" and config.max_batch_size and not config.dynamic_batching.preferred_batch_size:
        config.dynamic_batching.preferred_batch_size.append(config.max_batch_size)
        found.fill(("dynamic_batching", "preferred_batch_size"), "`max_batch_size`")
    if chosen == "sequence_batching":
        sequence = config.sequence_batching
        if not sequence.max_sequence_idle_microseconds:
            sequence.max_sequence_idle_microseconds = 1_000_000
            found.fill(("sequence_batching", "max_sequence_idle_microseconds"), "default: one second")
        if sequence.HasField("oldest") and config.max_batch_size and not sequence.oldest.preferred_batch_size:
            sequence.oldest.preferred_batch_size.append(config.max_batch_size)
            found.fill(("sequence_batching", "oldest", "preferred_batch_size"), "`max_batch_size`")
    for name in ("input_pinned_memory", "output_pinned_memory"):
        if not config.optimization.HasField(name):
            getattr(config.optimization, name).enable = True
            found.fill(("optimization", name), "default; an empty block would mean false")


def _groups(model: Model, found: Effective) -> None:
    """`NormalizeInstanceGroup`: what depends on the machine is said, not guessed."""
    config, backend = found.message, model.backend.name
    if not config.instance_group:
        group = config.instance_group.add(name=config.name, count=1)
        if backend == "openvino":
            group.kind = _CPU
        two = ", with 2 instances on a CPU" if backend in _TWO_ON_CPU else ""
        where = "" if backend == "openvino" else "; KIND_GPU on each GPU if the server sees one, else KIND_CPU" + two
        found.fill(("instance_group", 0), f"default{where}")
        return
    for index, group in enumerate(config.instance_group):
        if not group.name:
            group.name = f"{config.name}_{index}"
            found.fill(("instance_group", index, "name"), "default")
        if not group.count:
            group.count = 2 if group.kind == _CPU and backend in _TWO_ON_CPU else 1
            found.fill(
                ("instance_group", index, "count"), f"default of {backend} on a CPU" if group.count > 1 else "default"
            )


def _tensors(model: Model, found: Effective) -> None:
    """What the backend's auto-complete does."""
    config, backend = found.message, model.backend.name
    if backend == "onnxruntime":
        files = [one.content for one in model.opened.onnx if not one.content.fault]
        if config.input and config.output:
            return
        if files:
            _onnx(model, found, files[-1])
        else:
            found.unknown.append("tensors and batch size that the ONNX file has, which is not here")
    elif backend == "tensorrt":
        found.unknown.append("tensors, and whether it can batch: what the plan has, which is not read")
        _batcher(model, found)
    elif backend == "python":
        modules = [one.content for one in model.opened.modules]
        if not modules or any(
            one.model_class is None or one.model_class.method("auto_complete_config") for one in modules
        ):
            found.unknown.append("what `auto_complete_config` of `model.py` sets, which is not run")
    elif backend in ("openvino", "tensorflow"):
        found.unknown.append(f"tensors and batch size that the {backend} backend takes from the model")
    elif backend not in ("pytorch", "identity", "ensemble", ""):
        found.unknown.append(f"what the {backend} backend fills in")


def _onnx(model: Model, found: Effective, file: OnnxModel) -> None:
    """onnxruntime_backend `onnxruntime.cc`, `AutoCompleteConfig` and `AutoCompleteMaxBatch`."""
    config = found.message
    tensors = (*file.inputs, *file.outputs)
    batches = all(one.shape and one.shape[0] == -1 for one in tensors)
    if batches and not config.max_batch_size and not model.launch.all("backend-config"):
        config.max_batch_size = _ORT_BATCH
        found.fill(("max_batch_size",), "the ONNX file can batch: the default of onnxruntime")
    _batcher(model, found)
    for name, listed, there in (("input", config.input, file.inputs), ("output", config.output, file.outputs)):
        if not listed:
            for index, tensor in enumerate(there):
                _add(listed.add(), tensor, config.max_batch_size > 0)
                found.fill((name, index), "the ONNX file")


def _add(field: Any, tensor: OnnxTensor, batched: bool) -> None:
    types = field.DESCRIPTOR.fields_by_name["data_type"].enum_type.values_by_name
    field.name = tensor.name
    if tensor.data_type in types:
        field.data_type = types[tensor.data_type].number
    shape = (tensor.shape or ())[1 if batched else 0 :]
    if shape:
        field.dims.extend(shape)
    else:  # a scalar
        field.dims.append(1)
        field.reshape.SetInParent()


def _batcher(model: Model, found: Effective) -> None:
    """A dynamic batcher for what can batch and has no scheduler: tensorrt_backend and onnxruntime_backend, 22.06 on."""
    config, release = found.message, model.launch.release
    if config.max_batch_size > 1 and config.WhichOneof("scheduling_choice") is None and (release or (99,)) >= (22, 6):
        config.dynamic_batching.SetInParent()
        found.fill(("dynamic_batching",), f"auto-complete of {model.backend.name}")
