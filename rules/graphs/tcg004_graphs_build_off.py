"""# TCG004 graphs-build-off

## What it finds
CUDA graphs asked for on Triton 24.05 or older. It is said once for a repository, at the first such model.

## Why it matters
Until 24.05 the build script of the TensorRT backend decided by a variable that could be undefined whether graphs are
compiled in. In a backend built without them `graphs: true` does nothing and no line of the log says so. Which images
are concerned is not known, so one look at the log is worth it before a latency is explained by graphs.

## Bad
```
# --triton 24.03
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true } }
```

## Good
```
# --triton 24.06
# detector/config.pbtxt
platform: "tensorrt_plan"
max_batch_size: 8
optimization { cuda { graphs: true } }
```

## What Triton says
Nothing. A backend with graphs logs «captured CUDA graph for» or an error for each of them with `--log-verbose=1`.

## Evidence
tensorrt_backend#92, commit 630cc5e, in 24.06; the report does not say which images before it are concerned.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Related, Repository, Rule, Severity, release_tag

RULE = Rule(
    code="TCG004",
    name="graphs-build-off",
    title="CUDA graphs on a release that may have been built without them",
    severity=Severity.INFO,
    confidence=Confidence.LOW,
    scope="repository",
    needs=("repository", "launch"),
    until=(24, 5),
    evidence=("tensorrt_backend#92, commit 630cc5e, 24.06",),
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for all models with graphs."""
    release = repository.launch.release
    if release is None:
        return
    asking = [model for model in repository.models if not model.broken and model.graphs]
    if not asking:
        return
    first, others = asking[0], asking[1:]
    yield RULE.finding(
        first.at("optimization", "cuda", "graphs"),
        f"the TensorRT backend of Triton {release_tag(release)} may have been built without CUDA graphs; it then"
        " ignores `graphs: true` and logs nothing",
        help="start once with `--log-verbose=1` and look for «captured CUDA graph for»; 24.06 and later have graphs",
        model=first.name,
        related=[Related("asks for graphs too", one.at("optimization", "cuda", "graphs")) for one in others],
    )
