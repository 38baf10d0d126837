"""# TCP016 empty-engine-path

## What it finds
A TensorRT-LLM model whose parameter `gpt_model_path` is empty, and which has no `encoder_model_path` either.

## Why it matters
In a public report the backend reads a JSON file of the engine from that folder when the model loads, finds none and
refuses the model.

## Bad
```
# llm/config.pbtxt
backend: "tensorrtllm"
parameters { key: "gpt_model_path" value { string_value: "" } }
```

## Good
```
# llm/config.pbtxt
backend: "tensorrtllm"
parameters { key: "gpt_model_path" value { string_value: "/engines/llama" } }
```

## What Triton says
«parse error at line 1, column 1»

## Evidence
Report tensorrtllm_backend#207, of 2023. Not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCP016",
    name="empty-engine-path",
    title="A TensorRT-LLM model without the path of its engine",
    severity=Severity.ERROR,
    confidence=Confidence.LOW,
    reads=("parameters", "backend"),
    refused=True,
    evidence=("tensorrtllm_backend#207; not measured",),
    only_with=("parameters",),
    backends=("tensorrtllm",),
)


def check(model: Model) -> Iterator[Finding]:
    """The parameter."""
    given = model.config.parameters
    key = "gpt_model_path"
    if key not in given or given[key].string_value.strip():
        return
    if "encoder_model_path" in given and given["encoder_model_path"].string_value.strip():
        return
    yield RULE.finding(
        model.value_at("parameters", key, "value", "string_value"),
        f"`{key}` is empty: the backend finds no engine, and is reported to refuse the model",
        help="write the folder of the engine, as the server's container sees it",
    )
