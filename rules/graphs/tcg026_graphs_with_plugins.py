"""# TCG026 graphs-with-plugins

## What it finds
CUDA graphs on a TensorRT model of a server that loads TensorRT plugins: by `--backend-config=tensorrt,plugins=…`, or by
a library in `LD_PRELOAD` that has `plugin` in its name.

## Why it matters
What a plugin does in its `enqueue` is part of the capture. One that allocates memory or waits for the GPU breaks it,
and then the model is READY without its graph. Which plugins an engine uses stands in no file that is read here.

## Bad
```
# --launch "tritonserver --model-repository=/models --backend-config=tensorrt,plugins=/opt/libyolo.so"
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true } }
```

## Good
```
# --launch "tritonserver --model-repository=/models --backend-config=tensorrt,plugins=/opt/libyolo.so"
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
```

## What Triton says
«unable to finish CUDA graph for …»; TensorRT: «The CUDA graph capture on the stream has failed»

## Evidence
Report NVIDIA/TensorRT#4325, where a maintainer names plugins as the likely cause; tensorrt_backend `tensorrt.cc`
`TRITONBACKEND_Initialize` and `instance_state.cc` `BuildCudaGraph`, read in the branch of 26.06. Not measured.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG026",
    name="graphs-with-plugins",
    title="CUDA graphs on a server that loads TensorRT plugins",
    severity=Severity.WARNING,
    confidence=Confidence.LOW,
    scope="repository",
    needs=("config", "launch"),
    reads=("optimization.cuda",),
    evidence=("tensorrt_backend src/instance_state.cc BuildCudaGraph, 26.06", "NVIDIA/TensorRT#4325"),
)

_PLUGINS = re.compile(r"tensorrt,plugins=(.+)")


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for the launch."""
    launch = repository.launch
    given = [found[1] for value in launch.all("backend-config") if (found := _PLUGINS.fullmatch(value))]
    loaded = re.split(r"[:\s;]+", launch.variable("LD_PRELOAD") or "")
    preloaded = [one for one in loaded if "plugin" in one.rpartition("/")[2].lower()]
    if not given and not preloaded:
        return
    capturing = [model for model in repository.served.values() if not model.broken and model.graphs is not None]
    if not capturing:
        return
    yield RULE.finding(
        capturing[0].at("optimization", "cuda", "graphs"),
        f"the server loads TensorRT plugins (`{(given or preloaded)[0]}`), and one that allocates or waits breaks the "
        f"capture of {listing((one.name for one in capturing), len(capturing))}",
        help="search the log for `CUDA graph` after a start; leave `graphs` off for an engine whose capture fails",
        model=capturing[0].name,
    )
