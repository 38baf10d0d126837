"""The files that a model's backend will open, with what they say: by version, as far as they can be read.

Says nothing of a file that is missing, empty, or hidden behind a placeholder; other parts do. Knows no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tritoncheck.deployment.versions import parse_version
from tritoncheck.repository import VersionFolder
from tritoncheck.rule import Span

if TYPE_CHECKING:
    from tritoncheck.model import Model
    from tritoncheck.modelfile.archive_file import Archive
    from tritoncheck.modelfile.network_file import Network
    from tritoncheck.modelfile.onnx_file import OnnxModel
    from tritoncheck.modelfile.plan_file import PlanVersion
    from tritoncheck.modelfile.python_file import PythonModule

_Content = TypeVar("_Content")


class OpenedFile(NamedTuple, Generic[_Content]):
    """One file. name: inside the version folder."""

    version: VersionFolder
    name: str
    path: str
    content: _Content

    def span(self, line: int = 1, column: int = 1) -> Span:
        """A place in it."""
        return Span(self.path, line, column, line, column)

    @property
    def flat(self) -> bool:
        """Whether it lies in the version folder itself, whose entries are known."""
        return "/" not in self.name


class Opened:
    """The files of one model, each kind read when it is asked for; empty for a model of another backend."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def modules(self) -> tuple[OpenedFile[PythonModule], ...]:
        """For a model of the Python backend: its modules."""
        read = partial(self._model.contents.module, version=self.python)
        return self._of("python", read, ending=".py")

    @cached_property
    def onnx(self) -> tuple[OpenedFile[OnnxModel], ...]:
        """For ONNX Runtime: its ONNX files."""
        return self._of("onnxruntime", self._model.contents.onnx)

    @cached_property
    def archives(self) -> tuple[OpenedFile[Archive], ...]:
        """For PyTorch: the files that libtorch reads."""
        return self._of("pytorch", self._model.contents.archive) if self.by_libtorch else ()

    @property
    def by_libtorch(self) -> bool:
        """Whether a model for PyTorch is surely a TorchScript: what Python runs and what AOTInductor made are other
        files (pytorch_backend README: `runtime: "model.py"`, `torch_aoti`; 24.01 to 26.06)."""
        model = self._model
        if getattr(model.config, "runtime", "") or model.backend.platform == "torch_aoti":
            return False
        if model.default_file.endswith(".pt2") or model.entry("model.py") is not None:
            return False
        return all(one.entry("model.py") is None for one in model.loaded)

    @cached_property
    def networks(self) -> tuple[OpenedFile[Network], ...]:
        """For OpenVINO: its networks in XML."""
        return self._of("openvino", self._model.contents.network)

    @cached_property
    def plans(self) -> tuple[OpenedFile[PlanVersion], ...]:
        """For TensorRT: the versions of its plans; those for a compute capability too."""
        return self._of(
            "tensorrt", self._model.contents.plan, more=tuple(self._model.config.cc_model_filenames.values())
        )

    @cached_property
    def python(self) -> tuple[int, int] | None:
        """The Python that will run a module; None where that is not known."""
        model = self._model
        own = "EXECUTION_ENV_PATH" in model.config.parameters or model.entry("triton_python_backend_stub") is not None
        facts = None if own else model.launch.facts
        found = parse_version(facts.python) if facts else None
        return (found[0], found[1]) if found and len(found) > 1 else None

    def _of(
        self, backend: str, read: Callable[[str, bool], _Content | None], ending: str = "", more: tuple[str, ...] = ()
    ) -> tuple[OpenedFile[_Content], ...]:
        model = self._model
        if model.backend.name != backend or model.variant or model.unknown("default_model_filename"):
            return ()
        return tuple(self._read(read, ending, (model.default_file, *more)))

    def _read(
        self, read: Callable[[str, bool], _Content | None], ending: str, names: tuple[str, ...]
    ) -> Iterator[OpenedFile[_Content]]:
        for version in self._model.loaded:
            for name in dict.fromkeys(names):
                entry = version.entry(name)
                if not name.endswith(ending) or not name or (entry is None and "/" not in name):
                    continue
                path, listed = self._model.path(version, name), entry is not None
                if entry is not None and entry.kind == "folder" and name.endswith(".onnx"):
                    path, listed = f"{path}/{name}", False  # `model.onnx/model.onnx`, beside its weights
                elif entry is not None and (entry.kind != "file" or not entry.size):
                    continue
                content = read(path, listed)
                if content is not None:
                    yield OpenedFile(version, name, path, content)
