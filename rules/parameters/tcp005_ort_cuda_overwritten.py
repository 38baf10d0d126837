"""# TCP005 ort-cuda-overwritten

## What it finds
`cudnn_conv_algo_search`, `gpu_mem_limit`, `arena_extend_strategy` or `do_copy_in_default_stream` as parameters of the
`cuda` accelerator of an ONNX model.

## Why it matters
After the backend has read the accelerator, it writes its older settings of the same names over these four, with their
defaults if the model has none. What stands in the accelerator has no effect.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "cuda"
  parameters { key: "gpu_mem_limit" value: "2147483648" }
} } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
parameters { key: "gpu_mem_limit" value { string_value: "2147483648" } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `onnxruntime.cc` `LoadModel`, 24.06 to 26.06: the block for the deprecated parameters runs last.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCP005",
    name="ort-cuda-overwritten",
    title="A setting of the `cuda` accelerator that the backend overwrites",
    severity=Severity.WARNING,
    reads=("optimization.execution_accelerators", "backend", "platform", "default_model_filename"),
    since=(24, 6),
    evidence=("onnxruntime_backend src/onnxruntime.cc LoadModel, 24.06-26.06",),
    only_with=("optimization",),
)

OVERWRITTEN = ("arena_extend_strategy", "cudnn_conv_algo_search", "do_copy_in_default_stream", "gpu_mem_limit")
_PLACE = ("optimization", "execution_accelerators", "gpu_execution_accelerator")


def check(model: Model) -> Iterator[Finding]:
    """Each of the four that stands in a `cuda` accelerator."""
    if model.backend.name != "onnxruntime":
        return
    for index, one in enumerate(model.config.optimization.execution_accelerators.gpu_execution_accelerator):
        for key in OVERWRITTEN:
            if one.name == "cuda" and key in one.parameters:
                yield RULE.finding(
                    model.value_at(*_PLACE, index, "parameters", key, "key"),
                    f"`{key}` has no effect here: the backend overwrites it with that of the model's `parameters`, or"
                    " with the default",
                    help=f'write it as `parameters {{ key: "{key}" value {{ string_value: "…" }} }}` of the model',
                )
