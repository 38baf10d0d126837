"""Which launch is for which model repository, by what is mounted where. Compares paths, reads nothing.

The server reads `--model-repository` inside the container; a mount leads from there to a folder of the host. Where that
is the repository, the launch is for it; where it is another folder of the tree, it is not. What a mount does not tell
(a volume, a folder copied into the image, a path of some other machine) stays open.
"""

from __future__ import annotations

import os
import sys
from enum import IntEnum

from tritoncheck.deployment.launch import Launch

# Folders in which files that start servers are kept, and how many levels of them are searched.
FOLDERS = frozenset(
    (
        *("deploy", "deployment", "deployments", "docker", "compose", "k8s", "kubernetes", "kube", "manifests"),
        *("infra", "infrastructure", "helm", "charts", "chart", "ops", "devops", "scripts", "bin"),
    )
)
BELOW = 4
_ABOVE = 3
_ALIKE = 0.75  # of two paths, one of which may be a slip for the other


class Fit(IntEnum):
    """How a launch fits a repository."""

    NO = 0
    OPEN = 1
    LIKELY = 2
    SURE = 3


def host_path(path: str, launch: Launch) -> str:
    """The path on the host of one in the container; "" where no mount with a known source holds it."""
    mount = launch.mount_of(path)
    if mount is None or mount.kind not in ("bind", "copy") or not mount.source:
        return ""
    return os.path.normpath(mount.source + path[len(mount.target.rstrip("/")) :])


def served_paths(launch: Launch) -> list[str]:
    """The paths that the server reads models from, as its flags name them."""
    return [path for path in launch.all("model-repository") if path]


def served_folders(launch: Launch) -> list[str]:
    """The folders of the host that the server reads models from, as far as mounts lead to them."""
    return [host for path in served_paths(launch) if (host := host_path(path, launch))]


def fit(launch: Launch, repository: str) -> Fit:
    """How a launch fits a repository, given by its folder."""
    own = os.path.realpath(repository)
    served = served_paths(launch)
    if not served:
        # The flags are not known: a mount of the repository, or of the folder that it is in, says enough.
        sources = [os.path.realpath(one.source) for one in launch.mounts if one.kind in ("bind", "copy") and one.source]
        return Fit.SURE if own in sources else Fit.LIKELY if os.path.dirname(own) in sources else Fit.OPEN
    fits = [_fit(path, launch, own) for path in served]
    return max(fits)


def _fit(path: str, launch: Launch, own: str) -> Fit:
    if "://" in path:  # a bucket, into which the folder may be copied
        return Fit.LIKELY if os.path.basename(path.rstrip("/")) == os.path.basename(own) else Fit.OPEN
    if "$" in path:
        return Fit.OPEN
    host = host_path(path, launch)
    if not host and not launch.mounts and launch.source:
        # No container between: a path on the machine itself, from wherever the server is started.
        beside = os.path.join(os.path.dirname(os.path.abspath(launch.source)), path)
        if own in (os.path.realpath(path), os.path.realpath(beside)):
            return Fit.SURE
    if not host:
        mounted = own in (os.path.realpath(one.source) for one in launch.mounts if one.kind == "bind" and one.source)
        return Fit.LIKELY if mounted or os.path.basename(path.rstrip("/")) == os.path.basename(own) else Fit.OPEN
    if os.path.realpath(host) == own or own in _copied(host, launch):
        return Fit.SURE
    if os.path.isdir(host) or _same_tree(host, launch.source):
        return Fit.NO
    # A folder of some other machine.
    return Fit.LIKELY if os.path.basename(host) == os.path.basename(own) else Fit.OPEN


def slipped_mount(launch: Launch, repository: str) -> str:
    """The path in the container at which a repository is mounted, where the server is told another one at which nothing
    is and which may be the same with a slip; else ""."""
    paths, targets = served_paths(launch), [one.target for one in launch.mounts]
    if len(paths) != 1 or any(not one.startswith("/") or "$" in one for one in (*paths, *targets)):
        return ""
    path = paths[0].rstrip("/")
    if any(_holds(path, one.rstrip("/")) or _holds(one.rstrip("/"), path) for one in targets):
        return ""
    own = os.path.realpath(repository)
    for one in launch.mounts:
        if one.kind == "bind" and one.source and os.path.realpath(one.source) == own and _is_like(path, one.target):
            return one.target
    return ""


def _holds(folder: str, path: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")


def _is_like(path: str, other: str) -> bool:
    from difflib import SequenceMatcher

    same = os.path.basename(path) == os.path.basename(other.rstrip("/"))
    return same or SequenceMatcher(None, path, other).ratio() >= _ALIKE


def _copied(host: str, launch: Launch) -> list[str]:
    """Where a path in a Dockerfile may lead: an image is often built from a folder above that of the file."""
    if not any(one.kind == "copy" for one in launch.mounts):
        return []
    folder = os.path.dirname(os.path.abspath(launch.source))
    written, found = os.path.relpath(host, folder), []
    for _ in range(_ABOVE):
        folder = os.path.dirname(folder)
        found.append(os.path.realpath(os.path.join(folder, written)))
    return found


def _same_tree(host: str, source: str) -> bool:
    """Whether a path was written as one beside the file: then it is meant here, and is another folder."""
    parent = os.path.dirname(os.path.abspath(source))
    return host == parent or host.startswith(parent.rstrip("/") + "/") or parent.startswith(host.rstrip("/") + "/")


def is_near(launch: Launch, repository: str) -> bool:
    """Whether the file lies in the repository's folder, its parent, or in or below a folder for deployment of one of
    those."""
    parent = os.path.dirname(os.path.realpath(repository))
    above, _ = _way(launch.source, repository)
    return os.path.commonpath((above, parent)) == parent and is_beside(launch.source, repository, BELOW)


def is_beside(path: str, repository: str, below: int = sys.maxsize) -> bool:
    """Whether a file lies in a folder above the repository, in the repository itself, or so many levels down in one of
    their folders for deployment. What lies elsewhere in the tree is as well some other server's."""
    _, steps = _way(path, repository)
    return not steps or (steps[0].lower() in FOLDERS and len(steps) <= below)


def _way(path: str, repository: str) -> tuple[str, list[str]]:
    """The folder that a file and a repository have in common, and the folders that lead from there to the file."""
    folder = os.path.realpath(os.path.dirname(path))
    above = os.path.commonpath((os.path.realpath(repository), folder))
    return above, [] if above == folder else os.path.relpath(folder, above).split(os.sep)


def launches_for(repository: str, launches: list[Launch]) -> list[Launch]:
    """The launches that are for a repository: those whose mounts lead to it; else the only one beside it, if nothing
    speaks against it and it is for something of that name or lies near."""
    fits = [(fit(one, repository), one) for one in launches]
    sure = [one for how, one in fits if how is Fit.SURE]
    if sure:
        return sure
    beside = [(how, one) for how, one in fits if is_beside(one.source, repository)]
    likely = [one for how, one in beside if how is Fit.LIKELY]
    if len(likely) == 1:
        return likely
    rest = [one for how, one in beside if how is not Fit.NO]
    return rest if len(rest) == 1 == len(beside) and is_near(rest[0], repository) else []
