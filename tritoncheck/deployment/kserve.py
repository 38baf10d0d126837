"""How KServe starts a Triton server: an InferenceService that asks for one, and a ServingRuntime that is one.

The runtime that an InferenceService names stands in the cluster, so its flags are not known; those of the service come
behind them. Source: kserve `pkg/apis/serving/v1beta1` and `config/runtimes/kserve-tritonserver.yaml`, 0.8 to 0.15.
"""

from __future__ import annotations

from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.manifests import Manifest
from tritoncheck.deployment.parts import Doubt, Mount
from tritoncheck.deployment.pod_parts import text
from tritoncheck.deployment.pods import Pod, around, commanded, read_called, read_container
from tritoncheck.deployment.serving import release_in
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

GROUP = "serving.kserve.io"
# Where the storage initializer puts the models, and the image whose tag `runtimeVersion` is.
_MODELS = "/mnt/models"
_IMAGE = "nvcr.io/nvidia/tritonserver"


def read_kserve(manifest: Manifest, lines: Lines, place: Span) -> list[Launch]:
    """The servers of an InferenceService or a ServingRuntime. place: where its name stands."""
    spec = manifest.node.get("spec")
    if spec is None:
        return []
    if manifest.kind != "InferenceService":
        pod = Pod(manifest.name, place, spec, lines, {})
        found = (read_container(one, pod) for one in _containers(spec))
        return [launch for launch in found if launch is not None]
    predictor = spec.get("predictor")
    if predictor is None:
        return []
    pod = Pod(manifest.name, place, predictor, lines, {})
    model = predictor.get("triton") or predictor.get("model")
    if model is None:
        found = (read_container(one, pod) for one in _containers(predictor))
        return [launch for launch in found if launch is not None]
    if predictor.get("triton") is None and not _asks_for_triton(model):
        return []
    return [_predictor(model, pod)]


def _containers(spec: Node) -> list[Node]:
    containers = spec.get("containers")
    return containers.entries if containers is not None else []


def _asks_for_triton(model: Node) -> bool:
    """Whether the model's format or its runtime is Triton."""
    return text(model.get("modelFormat", "name")) == "triton" or "triton" in text(model.get("runtime"))


def _predictor(model: Node, pod: Pod) -> Launch:
    called = read_called(model, pod.lines)
    launch = around(model, pod, called.environment)
    version, image, uri = (model.get(key) for key in ("runtimeVersion", "image", "storageUri"))
    origins, doubts = dict(launch.origins), list(launch.doubts)
    named = text(image) or (f"{_IMAGE}:{text(version)}" if text(version) else "")
    if image is not None or version is not None:
        origins["image"] = model.place("image" if image is not None else "runtimeVersion")
    else:
        doubts.append(Doubt("image", "the version of KServe's runtime is not in this file", model.span))
    mounts = list(launch.mounts)
    if uri is not None and uri.is_scalar:
        claim = uri.text.removeprefix("pvc://").partition("/")[0] if uri.text.startswith("pvc://") else uri.text
        mounts.append(Mount(_MODELS, claim, read_only=True, kind="volume"))
        origins[f"mount:{_MODELS}"] = model.place("storageUri")
    launch = launch._replace(
        image=named, release=release_in(named), mounts=tuple(mounts), origins=origins, doubts=tuple(doubts)
    )
    if called.names_server and model.get("command") is not None:
        return commanded(launch, called, model.span)
    if called.words.words:
        launch = commanded(launch, called, model.span)
    doubt = Doubt("command", "KServe's runtime adds flags of its own", model.span)
    known = tuple(one for one in launch.doubts if one.key != "command")
    return launch._replace(flags_known=False, doubts=(*known, doubt))
