"""# TCS014 duplicate-tensor

## What it finds
Two inputs, or two outputs, of the same name in one configuration.

## Why it matters
The model loads, and with two required inputs of one name it refuses every request for ever: it waits for as many
inputs as are listed, and a request can hold each name only once. Of two outputs the second is dropped; an ensemble
that maps it is refused.

## Bad
```
# bert/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input [
  { name: "input_ids" data_type: TYPE_INT64 dims: [ -1 ] },
  { name: "input_ids" data_type: TYPE_INT64 dims: [ -1 ] }
]
output { name: "logits" data_type: TYPE_FP32 dims: [ 2 ] }
```

## Good
```
# bert/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
input [
  { name: "input_ids" data_type: TYPE_INT64 dims: [ -1 ] },
  { name: "attention_mask" data_type: TYPE_INT64 dims: [ -1 ] }
]
output { name: "logits" data_type: TYPE_FP32 dims: [ 2 ] }
```

## What Triton says
Nothing at load. To a request «expected 2 inputs but got 1 inputs for model 'bert'», and to one with the name twice
«input 'input_ids' already exists in request».

## Evidence
core `model.cc` `Init` and `infer_request.cc` `Normalize`, 20.08 to 26.06; asked of real servers 22.11 to 24.10: two
required inputs of a name refuse every request, with the second `optional` requests pass.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCS014",
    name="duplicate-tensor",
    title="Two inputs or two outputs of the same name",
    severity=Severity.WARNING,
    reads=("input", "output"),
    evidence=("core src/infer_request.cc Normalize, 20.08-26.06", "measured on 22.11-24.10"),
    only_with=("input", "output"),
)


def check(model: Model) -> Iterator[Finding]:
    """Each name that comes again."""
    for side, tensors in (("input", model.config.input), ("output", model.config.output)):
        if len(tensors) < 2:
            continue
        first: dict[str, int] = {}
        for number, tensor in enumerate(tensors):
            if not tensor.name or first.setdefault(tensor.name, number) == number:
                continue
            fatal = side == "input" and not (tensor.optional or tensors[first[tensor.name]].optional)
            outcome = "the model will load and refuse every request" if fatal else "Triton drops the second"
            yield RULE.finding(
                model.at(side, number, "name"),
                f"{side} `{tensor.name}` is listed twice: {outcome}",
                help="delete one of the two, or write the name that was meant",
                related=[Related("the first", model.at(side, first[tensor.name], "name"))],
                confidence=Confidence.HIGH if fatal else Confidence.MEDIUM,
            )
