"""# TCV007 arch-capability

## What it finds
`cc_model_filenames` without an entry for the compute capability of the host's GPU, which `--compute-capability`,
`--gpu` or `--host` tells.

## Why it matters
Triton then loads the default file (`model.plan`) without a word. A TensorRT plan for another capability is refused;
of other kinds one gets a file that was not meant for this GPU.

## Bad
```
# --gpu "NVIDIA L4"
# detector/config.pbtxt
backend: "tensorrt"
cc_model_filenames [ { key: "8.6" value: "ampere.plan" } ]
```

## Good
```
# --gpu "NVIDIA L4"
# detector/config.pbtxt
backend: "tensorrt"
cc_model_filenames [ { key: "8.9" value: "ada.plan" }, { key: "8.6" value: "ampere.plan" } ]
```

## What Triton says
Nothing where the default file loads; else «unable to create TensorRT engine», after TensorRT's own «generated on an
incompatible device».

## Evidence
backend `src/backend_model_instance.cc`, constructor, 20.07 to 26.08: the key is `major.minor` of the instance's GPU,
and a missing key leaves the default file.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Rule, Severity

RULE = Rule(
    code="TCV007",
    name="arch-capability",
    title="`cc_model_filenames` has no entry for the host's GPU",
    severity=Severity.WARNING,
    needs=("config", "host"),
    reads=("cc_model_filenames", "instance_group"),
    only_with=("cc_model_filenames",),
    evidence=("backend src/backend_model_instance.cc, constructor, 20.07-26.08",),
)

# The backends that take the file's name from `BackendModelInstance`.
READERS = frozenset(("tensorrt", "onnxruntime", "pytorch", "tensorflow", "openvino"))


def check(model: Model) -> Iterator[Finding]:
    """A GPU for which no file is named."""
    listed = set(model.config.cc_model_filenames)
    groups = model.config.instance_group
    if not listed or not model.launch.host_known or model.backend.name not in READERS:
        return
    if groups and all(one.kind == one.KIND_CPU for one in groups):
        return
    for gpu in model.repository.fit.host.gpus:
        key = ".".join(str(part) for part in gpu.capability or ())
        if not key or key in listed:
            continue
        shown = f" (`{gpu.name}`)" if gpu.name else ""
        yield RULE.finding(
            model.at("cc_model_filenames"),
            f"no file is named for compute capability {key}{shown}: Triton loads the default file, without a word",
            help=f'add `{{ key: "{key}" value: "…" }}`, or delete `cc_model_filenames` if one file is for all GPUs',
            confidence=Confidence.HIGH if gpu.told else Confidence.MEDIUM,
        )
        return
