"""# TCX004 step-map-key

## What it finds
A key of `input_map` or `output_map` that is no input or output of the step's model. A warning where the backend of
that model may add it while it loads. Also an output that the model lists twice, so that two are mapped to one tensor.
Where it is plain which input was meant by a key, this finding says that it is left out, and TCX005 does not.

## Why it matters
Triton refuses the ensemble. The key is the name that the model gives the tensor, the value the name that the tensor
has inside the ensemble; they are often written the wrong way round.

## Bad
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "INPUT__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "INPUT_0" value: "image" }
    output_map { key: "OUTPUT__0" value: "box" }
  }
}
```

## Good
```
# detect/config.pbtxt
backend: "pytorch"
max_batch_size: 4
input { name: "INPUT__0" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 4 ] }
# pipeline/config.pbtxt
platform: "ensemble"
max_batch_size: 4
input { name: "image" data_type: TYPE_FP32 dims: [ 3, 8, 8 ] }
output { name: "box" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step {
    model_name: "detect"
    model_version: -1
    input_map { key: "INPUT__0" value: "image" }
    output_map { key: "OUTPUT__0" value: "box" }
  }
}
```

## What Triton says
«in ensemble pipeline, ensemble tensor image is mapping to non-existing input INPUT_0 in model detect»; «is mapped from
non-existing output»; «multiple outputs in model detect are mapped to the same ensemble tensor»

## Evidence
core `ensemble_utils.cc` `ValidateTensorMapping`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity, listing

RULE = Rule(
    code="TCX004",
    name="step-map-key",
    title="A step maps an input or output that its model does not have",
    severity=Severity.ERROR,
    needs=("config", "repository", "files"),
    reads=("ensemble_scheduling",),
    refused=True,
    evidence=(
        "core src/ensemble_scheduler/ensemble_utils.cc ValidateTensorMapping, 20.01-26.06",
        "measured on 22.11-24.10",
    ),
    only_with=("ensemble_scheduling",),
)


def check(model: Model) -> Iterator[Finding]:
    """Keys that the part does not have, as far as its tensors are known."""
    ensemble = model.ensemble
    if ensemble is None:
        return
    for bad in ensemble.edges.keys:
        part = bad.part.model
        span = model.at("ensemble_scheduling", "step", bad.step, f"{bad.side}_map", bad.key, "key")
        outcome = "Triton refuses the ensemble"
        if not bad.sure:
            outcome += ", unless the backend adds it" if not bad.twice else ", unless the backend drops one"
        names = [tensor.name for tensor in getattr(part.config, bad.side)]
        if bad.twice:
            what, cure = f"`{part.name}` lists its output `{bad.key}` twice", "delete one of the two"
        else:
            what = f"`{part.name}` has no {bad.side} `{bad.key}`"
            if bad.side == "input" and bad.meant:
                what += f", and its `{bad.meant}` is left out"
            cure = f"write `{bad.near}`" if bad.near else f"its {bad.side}s are {listing(names, most=6)}"
            if bad.swapped:
                cure = f'write it the other way round: `key: "{bad.tensor}" value: "{bad.key}"`'
        yield RULE.finding(
            span,
            f"{what}: {outcome}",
            help=cure if names else f"give `{part.name}` that {bad.side}",
            related=[Related(f"the {bad.side}s of `{part.name}`", part.at(bad.side, 0, "name"))] if names else [],
            severity=Severity.ERROR if bad.sure else Severity.WARNING,
            confidence=Confidence.HIGH if bad.sure else Confidence.MEDIUM,
            refused=bad.sure,
        )
