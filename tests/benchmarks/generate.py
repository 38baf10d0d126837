"""Makes a model repository of any size, the same one for the same size: what the speed is measured on.

The models are of the kinds that public repositories hold, in their proportions and styles: comments, lists with and
without colons, tabs, licence headers, 20 to 60 lines each. A few carry a slip, so that findings are made and printed
too. Knows nothing of tritoncheck.

    python -m tests.benchmarks.generate FOLDER MODELS
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from tests.benchmarks.blocks import HEADS, SIZES, TAILS, TYPES, Tensor, batching, instances, tensors, warmup
from tests.binaries import network, onnx, plan

LICENCE = """\
# Copyright (c) 2023, the authors of this repository. All rights reserved.
#
# Redistribution and use in source and binary forms, with or without
# modification, are permitted provided that the conditions of the licence in
# the root of this repository are met. This software is provided "as is",
# without warranty of any kind.
"""
NOTES = (
    "# exported with opset 17, dynamic batch",
    "# keep in step with the training repository",
    "# the client sends NHWC, the first step of the ensemble turns it",
    "# größere Bilder nur nach Rücksprache",
    "# measured: 8 is where the latency begins to climb",
    "# see the wiki before changing this",
)
# Kind and share in percent; a detector chain is an ensemble with its three models, which count as four.
SHARES = (("tensorrt", 30), ("onnx", 26), ("python", 18), ("pytorch", 10), ("openvino", 8), ("chain", 8))
MODEL_PY = """\
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse(output_tensors=[]) for _ in requests]
"""
FILES = {
    "tensorrt": "model.plan",
    "onnx": "model.onnx",
    "python": "model.py",
    "pytorch": "model.pt",
    "openvino": "model.xml",
}


def generate(folder: Path, models: int) -> None:
    """Write a repository of that many models into a folder that may not exist yet."""
    random = Random(0)
    kinds = [kind for kind, _ in SHARES]
    shares = [share for _, share in SHARES]
    left = models
    while left:
        (kind,) = random.choices(kinds, shares)
        number = models - left
        if kind != "chain":
            left -= 1
            _model(folder, random, kind, f"{kind}_{number:05}", *_plain(kind, random))
        elif left >= 4:
            left -= 4
            _chain(folder, random, number)


def _weights(kind: str, inputs: list[Tensor], results: list[Tensor]) -> bytes:
    """A small model file: as large a graph as it takes to have these tensors."""
    if kind == "onnx":
        return onnx([_onnx(one) for one in inputs], [_onnx(one) for one in results], more=["weights w, v"])
    if kind == "openvino":
        return network([one.name for one in inputs], [one.name for one in results])
    return {"tensorrt": plan(10, 3, 0, 26), "python": MODEL_PY.encode(), "pytorch": b"PK\x03\x04weights"}[kind]


def _onnx(one: Tensor) -> tuple[str, str, str]:
    return one.name, one.kind.removeprefix("TYPE_"), ",".join(map(str, ("n", *one.dims)))


def _plain(kind: str, random: Random) -> tuple[list[Tensor], list[Tensor]]:
    size, kinds = random.choice(SIZES), random.sample(TYPES, 2)
    inputs = [Tensor("images", random.choice(TYPES[:2]), (3, size, size)), Tensor("scale", "TYPE_FP32", (2,))]
    if kind == "python":
        inputs = [Tensor("text", "TYPE_STRING", (1,)), Tensor("options", "TYPE_STRING", (-1,))]
    inputs = inputs[: random.choice((1, 1, 2))]
    results = [
        Tensor(f"output_{n}", random.choice(kinds), (random.choice((-1, 100, 1000)), 4))
        for n in range(random.randint(1, 3))
    ]
    if kind == "pytorch":
        inputs = [each._replace(name=f"INPUT__{n}") for n, each in enumerate(inputs)]
        results = [each._replace(name=f"OUTPUT__{n}") for n, each in enumerate(results)]
    return inputs, results


def _model(folder: Path, random: Random, kind: str, name: str, inputs: list[Tensor], results: list[Tensor]) -> None:
    sides = [*tensors("input", inputs, random), *tensors("output", results, random)]
    lines = LICENCE.splitlines() if random.random() < 0.2 else []
    lines += [f'name: "{name}"', HEADS[kind], f"max_batch_size: {random.choice((8, 16, 32))}", *sides]
    lines += instances(kind, random)
    lines += batching(random)
    lines += TAILS[kind](random)
    if random.random() < 0.2:
        lines += ["version_policy: { latest { num_versions: 1 } }"]
    if kind in ("tensorrt", "onnx") and random.random() < 0.15:
        lines += warmup(inputs)
    if random.random() < 0.01:
        lines += ["max_queue_size: 16"]  # no such field
    _write(folder / name, lines, random)
    version = folder / name / "1"
    version.mkdir()
    (version / FILES[kind]).write_bytes(_weights(kind, inputs, results))
    if kind == "openvino":
        (version / "model.bin").write_bytes(b"weights")


def _write(folder: Path, lines: list[str], random: Random) -> None:
    for _ in range(random.randint(0, 4)):
        lines.insert(random.randint(0, len(lines)), random.choice(NOTES))
    while len(lines) < 20:
        lines.insert(0, random.choice(NOTES))
    text = "\n".join(lines) + "\n"
    if random.random() < 0.05:
        text = text.replace("  ", "\t")
    folder.mkdir(parents=True)
    (folder / "config.pbtxt").write_text(text, encoding="utf-8")


def _chain(folder: Path, random: Random, number: int) -> None:
    """An ensemble with the models that it calls: decode, detect, select."""
    size = random.choice(SIZES)
    raw, image = Tensor("raw", "TYPE_UINT8", (-1,)), Tensor("images", "TYPE_FP32", (3, size, size))
    boxes, best = Tensor("boxes", "TYPE_FP32", (-1, 6)), Tensor("best", "TYPE_FP32", (100, 6))
    steps = (
        ("python", "decode", raw, image),
        ("tensorrt", "detect", image, boxes),
        ("python", "select", boxes, best),
    )
    lines = [
        f'name: "chain_{number:05}"',
        'platform: "ensemble"',
        "max_batch_size: 8",
        *tensors("input", [raw], random),
        *tensors("output", [best], random),
        "ensemble_scheduling {",
        "  step [",
    ]
    for place, (kind, verb, taken, given) in enumerate(steps):
        name = f"{verb}_{number:05}"
        _model(folder, random, kind, name, [taken], [given])
        lines += ["    {", f'      model_name: "{name}"', "      model_version: -1"]
        lines += [f'      input_map {{ key: "{taken.name}" value: "{taken.name}" }}']
        lines += [f'      output_map {{ key: "{given.name}" value: "{given.name}" }}']
        lines += ["    }," if place < 2 else "    }"]
    _write(folder / f"chain_{number:05}", [*lines, "  ]", "}"], random)
    (folder / f"chain_{number:05}" / "1").mkdir()


if __name__ == "__main__":
    generate(Path(sys.argv[1]), int(sys.argv[2]))
