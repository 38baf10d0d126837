"""What a run did not check, and which option would change that: said in every report, so that silence is no promise."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.release_names import newest_release
from tritoncheck.model import Model
from tritoncheck.model_repository import Repository
from tritoncheck.outcome import Unchecked
from tritoncheck.repository import links_out, unreadable
from tritoncheck.rule import release_tag

# The Python backend brings the first two, and needs the third itself.
_IN_THE_IMAGE = frozenset(("triton_python_backend_utils", "c_python_backend_utils", "numpy"))

# What a backend opens whose tensors are in no format that is read here.
_CLOSED = {"tensorrt": "TensorRT plans", "pytorch": "TorchScript files", "tensorflow": "TensorFlow models"}


def unchecked(launch: Launch, deployed: bool, repositories: list[Repository], hidden: set[str]) -> list[Unchecked]:
    """What a run could not check, in the order of its weight.

    hidden: names of the models for which some rule was not run.
    """
    found = []
    models = [model for one in repositories for model in one.models]
    if launch.release is None:
        newest = release_tag(newest_release())
        named = f"the tag of `{launch.image}` names no release" if launch.image else "no image was named"
        why = f"{named}, so fields and rules are those of the newest release known ({newest})"
        enable = "--triton 24.05" if launch.image else "--image nvcr.io/nvidia/tritonserver:24.05-py3"
        found.append(Unchecked("your Triton release", why, f"{enable} ({named})" if launch.image else enable))
    if not launch.flags_known:
        why = "the server's command line is not known, so its defaults were assumed"
        found.append(Unchecked("your server flags", why, '--launch "tritonserver …"'))
    if launch.doubts:
        why = "; ".join(f"`{one.key.partition(':')[2] or one.key}`: {one.why}" for one in launch.doubts[:3])
        more = f" and {len(launch.doubts) - 3} more" if len(launch.doubts) > 3 else ""
        found.append(Unchecked(f"open values of `{launch.service or launch.source or '--launch'}`", why + more))
    if not deployed and any(model.folder.entries for model in models):
        why = "a source tree may lack version folders and model files, so these are no errors"
        found.append(Unchecked("missing model files", why, "--deployed"))
    closed_files = sorted({_CLOSED[model.backend.name] for model in models if model.backend.name in _CLOSED})
    if closed_files:
        why = f"tensors in {' and '.join(closed_files)} are not read, so they are not compared with the configuration"
        found.append(Unchecked("inside model files", why))
    found += _packages(models)
    found += _host(launch)
    if hidden:
        names = _some(sorted(hidden))
        why = f"rules that need a value hidden by a fault or placeholder were not run for {names}"
        found.append(Unchecked("unreadable values", why))
    nameless = sorted({model.name for model in models if not model.backend.name and not model.unreadable})
    if nameless:
        why = f"what serves {_some(nameless)} cannot be told, so rules on backends and load races leave them out"
        found.append(Unchecked("unknown backends", why))
    closed = sorted(why for one in repositories for why in unreadable(one.folder))
    if closed:
        found.append(Unchecked("unreadable folders", _some(closed)))
    links = sorted({link for one in repositories for link in links_out(one.folder)})
    if links:
        why = f"read as what they point to, outside this tree: {_some(links)}; a container may not have that"
        found.append(Unchecked("links out of the tree", why))
    return found


def _packages(models: list[Model]) -> Iterator[Unchecked]:
    """Imports of Python models of what lies neither beside them nor in Python itself."""
    known = sys.stdlib_module_names | _IN_THE_IMAGE
    names: set[str] = set()
    for model in models:
        if model.backend.name == "python" and not model.unreadable:
            for file in model.opened.modules:
                near = {one.name.partition(".")[0] for one in (*file.version.entries, *model.folder.entries)}
                names.update({one.module.partition(".")[0] for one in file.content.absolute} - near - known)
    if names:
        shown = _some(sorted(names))
        why = f"what is installed where the server runs is not known, so these imports were not looked up: {shown}"
        yield Unchecked("Python packages", why)


def _host(launch: Launch) -> Iterator[Unchecked]:
    """What is not known of the host, or of the image that it would be compared with."""
    if not launch.host_known:
        why = "those of the host are not known, so they were not compared with the image"
        yield Unchecked("driver and GPU", why, '--driver 580.173.02 --gpu "NVIDIA L4", or --host')
        return
    from tritoncheck.deployment.fit import fit

    known = fit(launch)
    if not known.host.driver:
        yield Unchecked("driver", "that of the host is not known", "--driver 580.173.02")
    elif launch.release and known.image.table is None and not known.image.cuda:
        why = f"{release_tag(launch.release)} is not in the table of releases, so its driver is not known"
        yield Unchecked("driver", why)
    elif launch.release and known.image.branches is None:
        yield Unchecked("driver", f"the driver that `{known.text}` was built for is not known")
    if not known.host.gpus:
        yield Unchecked("GPU", "that of the host is not known", '--gpu "NVIDIA L4"')
    elif known.capability is None:
        why = f"the compute capability of `{known.gpu}` is not known"
        yield Unchecked("GPU", why, f"--compute-capability 8.9 ({why})")


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
