"""A folder of backends for a real core: the stub under the name of every backend that the wheel lacks, and the real
Python backend where this machine can run it; and a GPU that is none.

Knows what a wheel holds and what its Python stub needs; nothing of models.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.oracle.wheels import OracleUnavailable, ServerFiles, locked

HERE = Path(__file__).parent

# 22.11 and 23.04 look for `tensorflow` in the folder of its major version (measured: L23).
STUBBED = (
    "tensorrt",
    "onnxruntime",
    "pytorch",
    "openvino",
    "tensorflow",
    "tensorflow1",
    "tensorflow2",
    "identity",
    "dali",
    "fil",
    "vllm",
    "tensorrtllm",
    "repeat",
    "square",
)
_STUB = "triton_python_backend_stub"


@dataclass(frozen=True, slots=True)
class Backends:
    """The folder; what the server's environment needs for it and for the GPU; whether Python models run for real."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    python: bool = False


def make_backends(files: ServerFiles, folder: Path) -> Backends:
    """Fill an empty folder. OracleUnavailable where no C compiler is at hand."""
    library = _compiled("stub_backend")
    real = _real_python(files, folder)
    for name in STUBBED if real else (*STUBBED, "python"):
        (folder / name).mkdir(parents=True)
        # No link: where a configuration names a `runtime`, the library must truly lie in the folder.
        shutil.copyfile(library, folder / name / f"libtriton_{name}.so")
    return Backends(folder, {**(real or {}), "LD_PRELOAD": str(_compiled("one_gpu"))}, real is not None)


@functools.cache
def _compiled(name: str) -> Path:
    """A library made of a C file beside this one; made again when that is newer."""
    source = HERE / f"{name}.c"
    with locked(f"conformance-{name}") as cache:
        library = cache / f"conformance-{name}.so"
        if library.is_file() and library.stat().st_mtime > source.stat().st_mtime:
            return library
        compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
        if not compiler:
            raise OracleUnavailable("there is no C compiler for the stubs")
        with tempfile.TemporaryDirectory(dir=cache) as made:
            target = Path(made) / library.name
            command = [compiler, "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
            command += ["-Wno-misleading-indentation", "-o", str(target), str(source)]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{source.name} does not compile: {done.stderr[-500:]}")
            target.rename(library)
        return library


def _real_python(files: ServerFiles, backends: Path) -> dict[str, str] | None:
    """Lay out the wheel's Python backend; the environment that it needs, None where it cannot run."""
    home = files.binary.parent.parent
    source = home / "backends" / "python"
    found = next(_usable(_stubs(files, home)), None)
    if found is None:
        return None
    stub, interpreter, numpy = found
    python = backends / "python"
    python.mkdir(parents=True)
    for file in source.iterdir():
        if file.name != _STUB:
            shutil.copyfile(file, python / file.name)
    (python / _STUB).symlink_to(stub)
    # The stub reads no PYTHONPATH of ours and no virtual environment, but the folder that it lies in.
    for package in numpy.iterdir():
        if package.name.startswith("numpy") and not (python / package.name).exists():
            (python / package.name).symlink_to(package)
    environment = {"LD_LIBRARY_PATH": str(interpreter.libraries), "PYTHONHOME": str(interpreter.prefix)}
    return environment | {"PYTHONDONTWRITEBYTECODE": "1"}


def _usable(stubs: list[tuple[str, Path]]) -> Iterator[tuple[Path, _Interpreter, Path]]:
    for version, stub in stubs:
        interpreter = _interpreter(version)
        numpy = _numpy(version) if interpreter else None
        if interpreter and numpy:
            yield stub, interpreter, numpy


def _stubs(files: ServerFiles, home: Path) -> list[tuple[str, Path]]:
    """The stubs of a wheel with their Python version, the running one first."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    folders = sorted((home / "python_backend_stubs").glob("3.*"), key=lambda one: (one.name != own, one.name))
    found = [(one.name, one / _STUB) for one in folders if (one / _STUB).is_file()]
    # Before 23.07 there was one stub, linked with the libpython that lies in the wheel: libpython3-61a26500.8.so.
    lone = home / "backends" / "python" / _STUB
    if lone.is_file():
        names = [path.name for folder in files.libraries for path in folder.glob("libpython3*")]
        minors = [match[1] for name in names if (match := re.search(r"\.(\d+)\.so", name))]
        found += [(f"3.{minor}", lone) for minor in minors]
    return found


@dataclass(frozen=True, slots=True)
class _Interpreter:
    executable: Path
    prefix: Path
    libraries: Path


_ASK = "import sys, sysconfig; print(sys.base_prefix); print(sysconfig.get_config_var('LIBDIR') or '')"


@functools.cache
def _interpreter(version: str) -> _Interpreter | None:
    """An interpreter of a Python version on this machine, of which the stub takes the standard library."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    candidates = [sys.executable] if version == own else []
    candidates += filter(None, [shutil.which(f"python{version}")])
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates += map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}")))
    for one in candidates:
        done = subprocess.run([one, "-c", _ASK], check=False, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        if done.returncode == 0 and len(lines) == 2:
            return _Interpreter(Path(one), Path(lines[0]), Path(lines[1] or lines[0]))
    return None


@functools.cache
def _numpy(version: str) -> Path | None:
    """A folder with numpy for a Python version: our own packages', else fetched once with pip."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    installed = Path(sysconfig.get_path("platlib"))
    if version == own and (installed / "numpy").is_dir():
        return installed
    with locked(f"numpy-{version}") as cache:
        home = cache / f"numpy-{version}"
        if not home.is_dir():
            with tempfile.TemporaryDirectory(dir=cache) as made:
                command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
                command += ["--no-deps", "--only-binary=:all:", f"--python-version={version}"]
                command += ["--retries=2", "--target", f"{made}/packages", "numpy"]
                if subprocess.run(command, check=False, capture_output=True).returncode != 0:
                    return None
                Path(made, "packages").rename(home)
    return home
