"""The blocks of a model configuration in the styles in use, with values drawn from a `Random`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

GPUS = 8
TYPES = ("TYPE_FP32", "TYPE_FP16", "TYPE_INT64", "TYPE_UINT8", "TYPE_INT32")
SIZES = (224, 256, 320, 384, 512, 640)


class Tensor(NamedTuple):
    """An input or an output."""

    name: str
    kind: str
    dims: tuple[int, ...]


def tensors(side: str, listed: list[Tensor], random: Random) -> list[str]:
    """The inputs or the outputs, in one of the styles in use."""
    style = random.randrange(3)
    if style == 2:
        lines = []
        for name, kind, dims in listed:
            lines += [f"{side} {{", f'  name: "{name}"', f"  data_type: {kind}"]
            lines += [*(f"  dims: {size}" for size in dims), "}"]
        return lines
    lines = [f"{side} [" if style else f"{side}: ["]
    for number, (name, kind, dims) in enumerate(listed):
        comma = "," if number + 1 < len(listed) else ""
        shape = ", ".join(map(str, dims))
        lines += ["  {", f'    name: "{name}"', f"    data_type: {kind}", f"    dims: [ {shape} ]"]
        lines += [f"  }}{comma}"]
    return [*lines, "]"]


def instances(kind: str, random: Random) -> list[str]:
    if kind in ("python", "openvino"):
        return [
            "instance_group [",
            "  {",
            f"    count: {random.randint(1, 4)}",
            "    kind: KIND_CPU",
            "  }",
            "]",
        ]
    gpu = random.randrange(GPUS)
    return [
        "instance_group [",
        "  {",
        f"    count: {random.randint(1, 2)}",
        "    kind: KIND_GPU",
        f"    gpus: [ {gpu} ]",
        "  }",
        "]",
    ]


def batching(random: Random) -> list[str]:
    if random.random() < 0.4:
        return ["dynamic_batching { }"]
    delay = random.choice((100, 500, 1000, 5000))
    return [
        "dynamic_batching {",
        "  preferred_batch_size: [ 4, 8 ]",
        f"  max_queue_delay_microseconds: {delay}",
        "}",
    ]


def _parameters(pairs: dict[str, str]) -> list[str]:
    lines = []
    for key, value in pairs.items():
        lines += ["parameters {", f'  key: "{key}"', f'  value: {{ string_value: "{value}" }}', "}"]
    return lines


def warmup(inputs: list[Tensor]) -> list[str]:
    """One sample of zeros that fits the inputs, none of which has a dimension that varies."""
    lines = ["model_warmup [", "  {", '    name: "zeros"', "    batch_size: 1"]
    for name, kind, dims in inputs:
        shape = ", ".join(map(str, dims))
        lines += ["    inputs {", f'      key: "{name}"', "      value {", f"        data_type: {kind}"]
        lines += [f"        dims: [ {shape} ]", "        zero_data: true", "      }", "    }"]
    return [*lines, "  }", "]"]


def _tensorrt(random: Random) -> list[str]:
    if random.random() < 0.02:
        return ["optimization {", "  cuda {", "    graphs: true", "  }", "}"]
    return [
        "optimization {",
        "  input_pinned_memory { enable: true }",
        "  output_pinned_memory { enable: true }",
        "}",
    ]


def _onnx(random: Random) -> list[str]:
    if random.random() < 0.7:
        return _parameters({"intra_op_thread_count": str(random.randint(1, 8)), "execution_mode": "0"})
    return [
        "optimization { execution_accelerators {",
        "  gpu_execution_accelerator : [ {",
        '    name : "tensorrt"',
        '    parameters { key: "precision_mode" value: "FP16" }',
        '    parameters { key: "max_workspace_size_bytes" value: "1073741824" }',
        "  } ]",
        "} }",
    ]


def _python(random: Random) -> list[str]:
    return _parameters(
        {
            "EXECUTION_ENV_PATH": "$$TRITON_MODEL_DIRECTORY/env.tar.gz",
            "tokenizer": f"bert-base-{random.choice(('cased', 'uncased'))}",
            "threshold": f"{random.random():.2f}",
        }
    )


def _pytorch(random: Random) -> list[str]:
    return _parameters({"INFERENCE_MODE": "true", "DISABLE_OPTIMIZED_EXECUTION": random.choice(("true", "false"))})


def _openvino(random: Random) -> list[str]:
    return _parameters({"NUM_STREAMS": str(random.randint(1, 4)), "SKIP_OV_DYNAMIC_BATCHSIZE": "yes"})


HEADS = {
    "tensorrt": 'platform: "tensorrt_plan"',
    "onnx": 'platform: "onnxruntime_onnx"',
    "python": 'backend: "python"',
    "pytorch": 'platform: "pytorch_libtorch"',
    "openvino": 'backend: "openvino"',
}
TAILS: dict[str, Callable[[Random], list[str]]] = {
    "tensorrt": _tensorrt,
    "onnx": _onnx,
    "python": _python,
    "pytorch": _pytorch,
    "openvino": _openvino,
}
