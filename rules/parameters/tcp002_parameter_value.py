"""# TCP002 parameter-value

## What it finds
A value in `parameters` that the ONNX Runtime or PyTorch backend cannot read: no number where it reads one, another
word than true or false, a number out of range.

## Why it matters
The backend refuses the model while it loads. Booleans are `true`, `on`, `1`, `false`, `off`, `0` in any case; `yes`
is none.

## Bad
```
# net/config.pbtxt
backend: "onnxruntime"
parameters { key: "enable_mem_arena" value { string_value: "yes" } }
```

## Good
```
# net/config.pbtxt
backend: "onnxruntime"
parameters { key: "enable_mem_arena" value { string_value: "1" } }
```

## What Triton says
«failed to convert 'yes' to boolean», «failed to convert 'four' to integral number», «unsupported
cudnn_conv_algo_search value», «unsupported arena_extend_strategy value»

## Evidence
backend `src/backend_common.cc` `ParseBoolValue`, `ParseIntValue`; onnxruntime_backend `onnxruntime.cc` and
pytorch_backend `libtorch.cc` `ParseParameters`, 22.12 to 26.06.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCP002",
    name="parameter-value",
    title="A parameter with a value that the backend cannot read",
    severity=Severity.ERROR,
    reads=("parameters", "backend", "platform", "default_model_filename"),
    refused=True,
    evidence=(
        "onnxruntime_backend src/onnxruntime.cc, 22.12-26.06",
        "pytorch_backend src/libtorch.cc ParseParameters, 22.12-26.06",
    ),
    only_with=("parameters",),
)

_BOOLEAN = re.compile(r"(?i:true|on|1|false|off|0)")
_NUMBER = re.compile(r"\s*[+-]?\d+")  # what follows a number is not looked at
_SWITCHES = (
    *("DISABLE_OPTIMIZED_EXECUTION", "ENABLE_CACHE_CLEANING", "INFERENCE_MODE", "ENABLE_TENSOR_FUSER"),
    *("ENABLE_WEIGHT_SHARING", "ENABLE_JIT_PROFILING", "ENABLE_JIT_EXECUTOR", "DISABLE_CUDNN"),
)
_YES = "`1` or `0`"
# backend -> key -> (what fits, in words).
FORMS = {
    "onnxruntime": {
        "enable_mem_arena": (_BOOLEAN, _YES),
        "enable_mem_pattern": (_BOOLEAN, _YES),
        "intra_op_thread_count": (_NUMBER, "a number"),
        "inter_op_thread_count": (_NUMBER, "a number"),
        "execution_mode": (_NUMBER, "`0` (sequential) or `1` (parallel)"),
        "cudnn_conv_algo_search": (re.compile("[012]"), "`0`, `1` or `2`"),
        "arena_extend_strategy": (re.compile("[01]"), "`0` or `1`"),
        "gpu_mem_limit": (_NUMBER, "a number of bytes"),
    },
    "pytorch": {
        **dict.fromkeys(_SWITCHES, (_BOOLEAN, "`true` or `false`")),
        "INTRA_OP_THREAD_COUNT": (_NUMBER, "a number"),
        "INTER_OP_THREAD_COUNT": (_NUMBER, "a number"),
    },
}


def check(model: Model) -> Iterator[Finding]:
    """Every value that does not fit."""
    forms = FORMS.get(model.backend.name, {})
    for key in sorted(set(model.config.parameters).intersection(forms)):
        form, words = forms[key]
        value = model.config.parameters[key].string_value
        if value and not value.startswith("${") and not form.match(value):
            yield RULE.finding(
                model.value_at("parameters", key, "value", "string_value"),
                f"the {model.backend.name} backend cannot read `{value}` for `{key}`: it refuses the model",
                help=f"write {words}",
            )
