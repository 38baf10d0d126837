"""# TCG023 legacy-capture-mode

## What it finds
A release up to 22.03, a TensorRT model with `optimization { cuda { graphs: true } }`, and any second model that works
on a GPU inside the server's process.

## Why it matters
Up to 22.03 Triton captures CUDA graphs in global mode: as long as a capture runs, most CUDA calls of every other thread
of the server fail with error 900, even a `cudaMalloc`, and even on another GPU; the capture is lost too. In these
releases loads wait for each other, so the start is at risk only where a warm-up runs at that time; a reload beside live
traffic always is.

## Bad
```
# --triton 22.03
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## Good
```
# --triton 22.08
# detect/config.pbtxt
backend: "tensorrt"
max_batch_size: 4
optimization { cuda { graphs: true } }
# encode/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
```

## What Triton says
«operation not permitted when stream is capturing» by the model that was hit, «unable to finish CUDA graph for» by
the one that captured.

## Evidence
tensorrt_backend `instance_state.cc`, pull request 27 (ea6c035), thread-local mode from 22.04 on; which calls fail in
which mode, on the same and on another GPU, measured on two H200s.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity, listing

RULE = Rule(
    code="TCG023",
    name="legacy-capture-mode",
    title="Up to 22.03 a capture of CUDA graphs bans CUDA calls on every GPU",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("optimization.cuda.graphs",),
    until=(22, 3),
    evidence=(
        "tensorrt_backend src/instance_state.cc BuildCudaGraph, ea6c035, 22.04",
        "measured: CUDA calls beside a capture in global mode, on the same and another GPU, H200",
    ),
)

RELATED = 8


def check(repository: Repository) -> Iterator[Finding]:
    """One finding, at the first model that captures."""
    capturers = [one.model for one in repository.gpu_parties if one.captures]
    if not capturers or len(repository.gpu_parties) < 2:
        return
    first, others = capturers[0], [one.model for one in repository.gpu_parties if one.model is not capturers[0]]
    yield RULE.finding(
        first.at("optimization", "cuda", "graphs"),
        f"`{first.name}` captures CUDA graphs in global mode in this release: while it does, most CUDA calls "
        f"of {listing(one.name for one in others)} fail (CUDA error 900), on every GPU: in a warm-up, or in a request "
        "that runs while a model is reloaded",
        help="use 22.04 or later, which captures in thread-local mode (from 23.04 on with "
        "`--model-load-thread-count=1`), or turn graphs off",
        model=first.name,
        related=[Related("captures too", one.at("optimization", "cuda", "graphs")) for one in capturers[1:][:RELATED]],
    )
