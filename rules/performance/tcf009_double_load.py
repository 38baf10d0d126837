"""# TCF009 double-load

## What it finds
A TensorRT model with a plan of 1 GiB or more and a configuration in which nothing is left to complete, on a server that
is known to complete configurations.

## Why it matters
To complete a configuration the backend deserialises the engine, looks at its tensors and throws it away; then it
deserialises it again to serve it. With a large engine that costs seconds and, for a moment, GPU memory, at each start.

## Bad
```
# --launch "tritonserver --model-repository=/models"
# encoder/1/model.plan
(plan 10.3.0.26, 2 GiB)
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP16 dims: [ 512 ] }
output { name: "y" data_type: TYPE_FP16 dims: [ 4096 ] }
dynamic_batching { }
```

## Good
```
# --launch "tritonserver --model-repository=/models --disable-auto-complete-config"
# encoder/1/model.plan
(plan 10.3.0.26, 2 GiB)
# encoder/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP16 dims: [ 512 ] }
output { name: "y" data_type: TYPE_FP16 dims: [ 4096 ] }
dynamic_batching { }
```

## What Triton says
Nothing.

## Evidence
tensorrt_backend `src/model_state.cc` `AutoCompleteConfigHelper` and `CreateEngine`, read in the branch of 26.06; models
are completed by default from 22.07 on. How long the second time takes was not measured.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCF009",
    name="double-load",
    title="A large engine is deserialised twice at each start",
    severity=Severity.INFO,
    needs=("config", "files", "launch"),
    reads=("input", "output", "max_batch_size"),
    since=(22, 7),
    evidence=("tensorrt_backend src/model_state.cc AutoCompleteConfigHelper, CreateEngine, 26.06",),
    backends=("tensorrt",),
    only_with=("max_batch_size", "input", "output"),
)

LARGE = 2**30


def check(model: Model) -> Iterator[Finding]:
    """One finding for the model."""
    if model.launch.autocomplete is not True or model.variant:
        return
    for version in model.loaded:
        entry = version.entry(model.default_file)
        if entry is None or entry.kind != "file" or entry.size < LARGE or not _complete(model):
            continue
        adds = model.config.WhichOneof("scheduling_choice") is None
        yield RULE.finding(
            model.at("input"),
            f"`{model.name}` leaves nothing to complete, but its engine of {entry.size / 2**30:.1f} GiB is deserialised"
            " twice at each start to see that",
            help="start the server with `--disable-auto-complete-config` once no model of it needs completing"
            + ("; write `dynamic_batching { }` first, which it adds" if adds else ""),
            related=[Related("the engine", model.file_span(version.name, model.default_file))],
        )
        return


def _complete(model: Model) -> bool:
    """Whether every input and output is written out."""
    config = model.config
    tensors = (*config.input, *config.output)
    return bool(config.input and config.output) and all(one.name and one.data_type and one.dims for one in tensors)
