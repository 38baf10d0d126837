"""# TCG005 output-copy-stream-crash

## What it finds
`output_copy_stream: true` together with `graphs: true` on Triton 23.03 to 24.04.

## Why it matters
With an output copy stream each instance has more sets of buffers than it has events, and the capture of its graphs
reads past the end of a list. The server dies of a segmentation fault while it loads the model, and takes every other
model with it.

## Bad
```
# --triton 23.10
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true output_copy_stream: true } }
```

## Good
```
# --triton 23.10
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true } }
```

## What Triton says
Nothing of its own; the process ends with signal 11.

## Evidence
tensorrt_backend `instance_state.cc`, 23.03 to 24.04; corrected by commit 5c881ce in 24.05.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Related, Rule, Severity, release_tag

RULE = Rule(
    code="TCG005",
    name="output-copy-stream-crash",
    title="`output_copy_stream` with graphs crashes the server on 23.03 to 24.04",
    severity=Severity.ERROR,
    needs=("config", "launch"),
    reads=("backend", "platform", "default_model_filename", "optimization.cuda"),
    since=(23, 3),
    until=(24, 4),
    evidence=("tensorrt_backend src/instance_state.cc, 23.03-24.04, commit 5c881ce",),
    only_with=("optimization",),
)


def check(model: Model) -> Iterator[Finding]:
    """Both switches on, in a release that cannot take it."""
    if model.graphs is None or not model.config.optimization.cuda.output_copy_stream or not model.launch.release:
        return
    place = model.value_at("optimization", "cuda", "output_copy_stream")
    yield RULE.finding(
        model.at("optimization", "cuda", "output_copy_stream"),
        "the whole server crashes with a segmentation fault while this model loads: Triton"
        f" {release_tag(model.launch.release)} cannot capture CUDA graphs with `output_copy_stream`",
        help="write `output_copy_stream: false`, or use Triton 24.05 or later",
        related=[Related("graphs are on", model.at("optimization", "cuda", "graphs"))],
        fix=Fix("output_copy_stream: false", (Edit(place.path, place.start, place.end, "false"),)),
    )
