"""# TCS007 platform-backend-pair

## What it finds
A `platform` and a `backend` that do not belong together: `tensorrt`, `onnxruntime`, `pytorch` or `tensorflow` with a
platform that is not its own, `tensorflow` without any, and, up to 23.04, any other backend with the platform of one of
these four.

## Why it matters
Triton refuses the model. For the four backends that had a platform before backends existed, both must name the same
one. One of the two is enough; Triton derives the other, except for TensorFlow, which has two platforms.

## Bad
```
# resnet/config.pbtxt
platform: "tensorrt_plan"
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«unexpected 'platform' and 'backend' pair, got:tensorrt_plan, onnxruntime»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 20.07 to 26.06; 13 platforms with 13 backends on real servers
22.11 to 24.10. Backends of other names with one of these platforms are refused on 22.11 and 23.04 and load from 23.07
on; with an invented platform they load on all.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity, has_hole, listing, release_tag

RULE = Rule(
    code="TCS007",
    name="platform-backend-pair",
    title="`platform` and `backend` do not belong together",
    severity=Severity.ERROR,
    needs=("config", "launch"),
    reads=("platform", "backend", "default_model_filename"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.07-26.06", "measured on 22.11-24.10"),
    only_with=("platform", "backend"),
)

OWN = {
    "tensorrt": ("tensorrt_plan",),
    "onnxruntime": ("onnxruntime_onnx",),
    "pytorch": ("pytorch_libtorch", "torch_aoti"),
    "tensorflow": ("tensorflow_savedmodel", "tensorflow_graphdef"),
}
BACKEND_OF = {platform: backend for backend, platforms in OWN.items() for platform in platforms}
AOTI_SINCE = (26, 3)
STRICT_UNTIL = (23, 4)


def check(model: Model) -> Iterator[Finding]:
    """Look the two up in the table of pairs."""
    platform, backend = model.config.platform, getattr(model.config, "backend", "")
    if not backend or platform == "ensemble" or has_hole(platform + backend):
        return
    if not platform:
        if backend == "tensorflow" and _odd_file(model):
            yield RULE.finding(
                model.at("backend"),
                "`tensorflow` needs a `platform` where the model has no usual name: Triton refuses the model",
                help='write `platform: "tensorflow_savedmodel"` or `platform: "tensorflow_graphdef"`',
                related=[Related("not a usual name", model.at("default_model_filename"))],
            )
        return
    release = model.launch.release
    if backend in OWN:
        own = OWN[backend]
        if platform == "torch_aoti" and backend == "pytorch" and release is not None and release < AOTI_SINCE:
            own = own[:1]
        wrong = platform not in own and not (platform == "libtorch" and backend == "pytorch")
    else:
        own = ()
        wrong = BACKEND_OF.get(platform) is not None and release is not None and release[:2] <= STRICT_UNTIL
    if not wrong:
        return
    other = BACKEND_OF.get(platform, "")
    subject = f"the platform of `{other}`" if other and other != backend else "no platform of its own"
    who = f"Triton {release_tag(release)}" if release and (not own or other == backend) else "Triton"
    named = " or ".join(f"`{one}`" for one in own)
    yield RULE.finding(
        model.at("platform"),
        f"`{backend}` does not go with {listing([platform])}, {subject}: {who} refuses the model",
        help=f"write the platform {named}, or leave `platform` out" if own else "leave `platform` out",
        related=[Related("the backend", model.at("backend"))],
    )


def _odd_file(model: Model) -> bool:
    """Whether the file is named, and not by one of the two names that tell the platform."""
    name = model.config.default_model_filename
    return bool(name) and name not in ("model.savedmodel", "model.graphdef")
