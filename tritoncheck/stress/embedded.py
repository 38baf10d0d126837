"""Finds the real Triton inside an installed `nvidia-pytriton` (extra `embedded`), and makes it run Python models.

The wheel holds the server, the Python backend and one stub for each Python version, in folders of their own; the
backend wants its stub beside it. The stub reads neither PYTHONPATH nor a virtual environment, but looks for modules in
the backend's folder, so the installed packages are linked there. Never imports `pytriton`, which needs much more.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from tritoncheck.stress.host import HostError, MissingExtra
from tritoncheck.stress.process_host import Binary

DISTRIBUTION = "nvidia-pytriton"
INSTALL = "pip install 'tritoncheck[stress,embedded]'"
_UTILS = "triton_python_backend_utils.py"
# Stands in for that module, which every model imports: a stub that is sent SIGABRT then tells where it hangs.
_TELLS = """import faulthandler

try:
    faulthandler.enable()
except Exception:
    pass  # no stderr to write to
with open({path!r}, encoding="utf-8") as _file:
    exec(compile(_file.read(), {path!r}, "exec"))
"""


def is_installed() -> bool:
    """Whether there is an embedded server."""
    try:
        return _server(distribution(DISTRIBUTION)).is_file()
    except PackageNotFoundError:
        return False


def embedded_binary(folder: Path) -> Binary:
    """The embedded server; its backend folder is made in `folder`, which the caller removes at the end."""
    try:
        found = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        raise MissingExtra(f"the embedded server is not installed: {INSTALL}") from None
    server = _server(found)
    home = server.parent.parent
    if not server.is_file():
        raise HostError(
            f"{DISTRIBUTION} {found.version} holds no server at {server}; it exists for Linux on x86-64 only"
        )
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    stub = home / "python_backend_stubs" / python / "triton_python_backend_stub"
    if not stub.is_file():
        raise HostError(f"{DISTRIBUTION} {found.version} has no stub for Python {python}")
    backends = _link_backend(folder / "backends", home / "backends" / "python", stub)
    if not os.access(server, os.X_OK):
        with contextlib.suppress(OSError):
            server.chmod(0o755)
    packages = home.parent.parent
    libraries = [packages / "nvidia_pytriton.libs", home / "external_libs", sysconfig.get_config_var("LIBDIR") or ""]
    old = os.environ.get("LD_LIBRARY_PATH", "")
    paths = [str(one) for one in libraries if one and os.path.isdir(one)] + ([old] if old else [])
    flags = (f"--backend-directory={backends}",)
    lacking = missing_libraries(stub, ":".join(paths))
    if lacking:
        raise HostError(
            f"the Python stub of {DISTRIBUTION} needs {', '.join(lacking)}, which this machine lacks; "
            f"on Debian and Ubuntu: apt-get install libpython{python}"
        )
    return Binary(str(server), flags, {"LD_LIBRARY_PATH": ":".join(paths)}, f"{DISTRIBUTION} {found.version}")


def missing_libraries(program: Path, paths: str) -> list[str]:
    """The shared libraries that a program needs and the loader does not find with `paths` as LD_LIBRARY_PATH; none
    where `ldd` cannot tell. Without them the stub ends at once, and the server waits for it in vain."""
    try:
        listed = subprocess.run(
            ["ldd", str(program)],
            env={**os.environ, "LD_LIBRARY_PATH": paths},
            capture_output=True,
            text=True,
            timeout=30,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.split()[0] for line in listed.splitlines() if line.rstrip().endswith("not found")]


def _server(found: Distribution) -> Path:
    return Path(str(found.locate_file("pytriton/tritonserver/bin/tritonserver")))


def _link_backend(backends: Path, source: Path, stub: Path) -> Path:
    """A folder of backends: the Python one, its stub, and the packages that models may import."""
    python = backends / "python"
    shutil.rmtree(backends, ignore_errors=True)
    python.mkdir(parents=True)
    for file in [*source.iterdir(), stub]:
        if file.name == _UTILS:
            (python / _UTILS).write_text(_TELLS.format(path=str(file)), encoding="utf-8")
        else:
            (python / file.name).symlink_to(file)
    for folder in dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))):
        with contextlib.suppress(OSError):
            for entry in Path(folder).iterdir():
                if entry.name != "__pycache__" and not (python / entry.name).exists():
                    (python / entry.name).symlink_to(entry)
    return backends
