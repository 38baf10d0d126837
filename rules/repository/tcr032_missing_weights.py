"""# TCR032 missing-weights

## What it finds
A model file without the file that its weights lie in: an ONNX file whose external data are not beside it, or an
OpenVINO `.xml` without its `.bin`.

## Why it matters
Large ONNX models, and all OpenVINO ones, consist of two files. Exporters and copies often bring only the first along;
the backend finds no weights then and refuses the model.

## Bad
```
# --deployed
# llm/1/model.onnx
(onnx: ids INT64[n,s] -> logits FP32[n,s,32000]; external model.onnx_data)
# llm/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --deployed
# llm/1/model.onnx_data
(the weights)
# llm/1/model.onnx
(onnx: ids INT64[n,s] -> logits FP32[n,s,32000]; external model.onnx_data)
# llm/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
ONNX Runtime: «External data path validation failed for initializer: w. … External data path does not exist», in older
ones that the file cannot be opened. OpenVINO: «Empty weights data in bin file or bin file cannot be found!»

## Evidence
onnxruntime_backend `onnxruntime.cc` `LoadModel` and openvino_backend `openvino.cc`, 21.10 to 26.06; measured with ONNX
Runtime 1.32 and OpenVINO 2026.4.
"""

import re
from collections.abc import Iterator
from typing import Any

from tritoncheck.rule import Confidence, Finding, Model, OpenedFile, Rule, Severity, listing

RULE = Rule(
    code="TCR032",
    name="missing-weights",
    title="The file with a model's weights is not beside it",
    severity=Severity.ERROR,
    needs=("files", "modelfile", "config"),
    reads=("backend", "platform", "default_model_filename", "version_policy"),
    refused=True,
    evidence=("onnxruntime_backend src/onnxruntime.cc LoadModel, 21.10-26.06", "measured with ONNX Runtime 1.32"),
    backends=("onnxruntime", "openvino"),
)


def check(model: Model) -> Iterator[Finding]:
    """Look beside the ONNX files and networks of the versions that load."""
    for onnx in model.opened.onnx:
        if not onnx.content.fault:
            lacking = [name for name in onnx.content.external if not _is_there(model, onnx.path, name)]
            if lacking:
                yield _finding(model, onnx, lacking, "its weights lie in")
    for network in model.opened.networks:
        name = re.sub(r"\.xml$", ".bin", network.name)
        if network.content.weights and not _is_there(model, network.path, name.rpartition("/")[2]):
            yield _finding(model, network, [name], "its weights are looked for in")


def _is_there(model: Model, path: str, name: str) -> bool:
    return model.contents.exists("/".join((path.rpartition("/")[0], name)))


def _finding(model: Model, file: OpenedFile[Any], lacking: list[str], lie: str) -> Finding:
    sure = model.deployed
    there = "which is not there" if len(lacking) == 1 else "which are not there"
    return RULE.finding(
        file.span(),
        f"`{file.name}` is not whole: {lie} {listing(lacking)}, {there}; the backend refuses the model",
        help=f"put {'it' if len(lacking) == 1 else 'them'} beside `{file.name}`, by the same name"
        + ("" if sure else "; if the deployment does, there is nothing to do"),
        severity=Severity.ERROR if sure else Severity.WARNING,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        refused=sure,
    )
