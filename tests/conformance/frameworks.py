"""The backends of made configurations, and how a model says that it is theirs."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.conformance.draws import chance
from tests.conformance.sample import PYTHON_MODEL, Part, config_class


@dataclass(frozen=True, slots=True)
class Framework:
    """A backend: its name, its platform ("" where it has none), its file, whether optional inputs are its thing."""

    backend: str
    platform: str
    file: str
    optional: bool = False

    @property
    def guessed(self) -> bool:
        """Whether Triton guesses the backend by the name of the file."""
        return self.file.startswith("model.") and self.file != "model.dali"


FRAMEWORKS = (
    Framework("onnxruntime", "onnxruntime_onnx", "model.onnx", optional=True),
    Framework("tensorrt", "tensorrt_plan", "model.plan"),
    Framework("pytorch", "pytorch_libtorch", "model.pt"),
    Framework("openvino", "", "model.xml"),
    Framework("tensorflow", "tensorflow_savedmodel", "model.savedmodel/saved_model.pb"),
    Framework("tensorflow", "tensorflow_graphdef", "model.graphdef"),
    Framework("identity", "", "", optional=True),
    Framework("dali", "", "model.dali"),
    Framework("fil", "", "xgboost.model"),
)

PYTHON = Framework("python", "", "model.py", optional=True)

WEIGHTS = (8, 6, 4, 2, 2, 1, 5, 1, 1)


def bare(random: Random, name: str, framework: Framework) -> Part:
    """A model with its backend, version folders and file, in one of the ways to say them."""
    part = Part(config_class()())
    config = part.config
    if chance(random, 0.5):
        config.name = name
    how = random.choice(("backend", "backend", "platform", "both", "file", "named"))
    if how in ("file", "named") and not framework.guessed:
        how = "backend"
    if framework is PYTHON or how == "platform" and not framework.platform:
        how = "backend"
    if how in ("backend", "both"):
        config.backend = framework.backend
    if how in ("platform", "both"):
        config.platform = framework.platform
    if how == "named":
        config.default_model_filename = framework.file.split("/")[0]
    versions = random.choice(((1,), (1,), (1,), (1, 2), (3,), (2, 7, 10)))
    for version in versions:
        part.folders.append(str(version))
        if framework is PYTHON:
            part.files[f"{version}/model.py"] = PYTHON_MODEL
        elif framework.file:
            part.files[f"{version}/{framework.file}"] = b""
    if chance(random, 0.25):
        policy = random.choice(("latest", "all", "specific"))
        if policy == "latest":
            config.version_policy.latest.num_versions = random.choice((1, 2, 5))
        elif policy == "all":
            config.version_policy.all.SetInParent()
        else:
            config.version_policy.specific.versions.extend(random.sample(versions, random.randint(1, len(versions))))
    return part
