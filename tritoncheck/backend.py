"""Which backend serves a model, and what is known of each backend.

Triton takes `backend`, else the `platform`, else guesses from the files (core `model_config_utils.cc`,
`AutoCompleteBackendFields`). Knows nothing of text or of rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tritoncheck.repository import ModelFolder, VersionFolder
from tritoncheck.rule import has_hole

# platform -> backend. Source: core `model_config_utils.cc` and `constants.h`, 20.01 to 26.08.
PLATFORMS = {
    "tensorrt_plan": "tensorrt",
    "onnxruntime_onnx": "onnxruntime",
    "pytorch_libtorch": "pytorch",
    "torch_aoti": "pytorch",
    "libtorch": "pytorch",
    "tensorflow_graphdef": "tensorflow",
    "tensorflow_savedmodel": "tensorflow",
    "ensemble": "ensemble",
}
# The file a backend loads where `default_model_filename` names none.
DEFAULT_FILES = {
    "tensorrt": "model.plan",
    "onnxruntime": "model.onnx",
    "pytorch": "model.pt",
    "python": "model.py",
    "openvino": "model.xml",
    "tensorflow": "model.savedmodel",
}
# The same for FIL, by its parameter `model_type` (fil_backend `names.h` and README, 21.03 to 26.06).
FIL_FILES = {
    "xgboost": "xgboost.model",
    "xgboost_json": "xgboost.json",
    "xgboost_ubj": "xgboost.ubj",
    "lightgbm": "model.txt",
    "treelite_checkpoint": "checkpoint.tl",
}
# Names found in the first version folder, in the order in which Triton looks. `pt2` since 26.03.
RECOGNISED = (
    ("model.savedmodel", "tensorflow", "folder"),
    ("model.graphdef", "tensorflow", "file"),
    ("model.plan", "tensorrt", "file"),
    ("model.onnx", "onnxruntime", ""),
    ("model.xml", "openvino", "file"),
    ("model.pt", "pytorch", "file"),
    ("model.pt2", "pytorch", "file"),
    ("model.py", "python", "file"),
)
# Backends whose models run in processes of their own, or do no CUDA work: they take no part in a load race.
# Source: python_backend (one stub process an instance) and what is built on it; openvino_backend is CPU only.
OWN_PROCESS = frozenset(("python", "vllm"))
CPU_ONLY = frozenset(("openvino",))
NO_DEVICE = frozenset(("ensemble", "identity", "repeat", "square"))

# What fills in no inputs, outputs or `max_batch_size`. Source: pytorch_backend, identity_backend and the other
# examples, which have no such code, 20.08 to 26.06.
NEVER_COMPLETE = frozenset(("pytorch", "ensemble", "identity", "repeat", "square"))
# What leaves a configuration alone that has both an input and an output. Source: onnxruntime_backend `onnxruntime.cc`
# («skipping model configuration auto-complete»), tensorflow_backend `tensorflow.cc`, `AutoCompleteConfig`, to 26.06.
ALL_OR_NONE = frozenset(("onnxruntime", "tensorflow"))


class Backend(NamedTuple):
    """name: the backend, "" where unknown; source: `backend`, `platform`, `files`, `name` or ""."""

    name: str
    source: str = ""
    platform: str = ""

    @staticmethod
    def of_platform(platform: str) -> str:
        """The name of the backend that a platform stands for, "" for a word that is no platform."""
        return PLATFORMS.get(platform, "")


def resolve_backend(config: Any, folder: ModelFolder | None) -> Backend:
    """The backend of a model, by its configuration as written and the files beside it."""
    platform = config.platform
    named = getattr(config, "backend", "")  # 20.03 has no such field
    if has_hole(named) or has_hole(platform):
        return Backend("")
    if named:
        return Backend(named, "backend", platform)
    if config.WhichOneof("scheduling_choice") == "ensemble_scheduling" and not platform:
        return Backend("ensemble", "scheduling", "ensemble")
    if platform:
        return Backend(Backend.of_platform(platform), "platform", platform)
    if config.default_model_filename:
        for name, backend, _ in RECOGNISED:
            if config.default_model_filename == name:
                return Backend(backend, "default_model_filename")
        return Backend("")
    if folder is None:
        return Backend("")
    first = first_version(folder)
    if first is not None:
        for _, backend in recognised(first)[:1]:
            return Backend(backend, "files")
    if "." in folder.name.strip("."):
        return Backend(folder.name.partition(".")[2], "name")
    return Backend("")


def first_version(folder: ModelFolder) -> VersionFolder | None:
    """The folder that Triton looks into to guess a backend: the first by name, whatever it is."""
    return folder.folders[0] if folder.folders else None


def recognised(folder: VersionFolder) -> list[tuple[str, str]]:
    """The files in a version folder by which Triton guesses a backend, with that backend, in the order in which it
    looks."""
    return [
        (name, backend)
        for name, backend, kind in RECOGNISED
        if (entry := folder.entry(name)) is not None and (not kind or entry.kind == kind)
    ]


def default_file(backend: Backend, config: Any) -> str:
    """The file that the backend opens in each version folder, "" where that is not known."""
    if config.default_model_filename:
        return str(config.default_model_filename)
    if backend.platform == "torch_aoti":
        return "model.pt2"
    if backend.platform == "tensorflow_graphdef":
        return "model.graphdef"
    if backend.name == "fil":
        kind = config.parameters["model_type"].string_value if "model_type" in config.parameters else "xgboost"
        return FIL_FILES.get(kind, "")
    return DEFAULT_FILES.get(backend.name, "")
