"""What stays open where files beside a repository start a server and none of them is taken: which, and why.

Silence would look as if there were no such file. Knows launches and folders, reads nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from tritoncheck.deployment.belonging import Fit, fit, is_beside, served_folders
from tritoncheck.deployment.launch import Launch
from tritoncheck.outcome import Unchecked
from tritoncheck.report.paths import shown_path

_MOST = 3


def questions(repository: str, launches: Iterable[Launch], others: frozenset[str]) -> list[Unchecked]:
    """Why none of these launches is for a repository, as far as they lie beside it. others: the real paths of all
    repositories of the run: what serves one of those needs no word."""
    beside = [one for one in launches if is_beside(one.source, repository)]
    fits = [(fit(one, repository), one) for one in beside]
    for how in (Fit.LIKELY, Fit.OPEN):
        may = [one for each, one in fits if each is how]
        if may:
            return [which(may)]
    return [found for one in beside if (found := _led_away(one, others)) is not None][:_MOST]


def which(launches: list[Launch]) -> Unchecked:
    """The question which of several launches is meant, or whether the one that there is."""
    files = list(dict.fromkeys(shown_path(one.source) for one in launches))
    if len(launches) == 1:
        why = f"{files[0]} starts a server; that it serves these models is not known"
    elif len(files) == 1:
        names = ", ".join(f"`{one.service}`" for one in launches[:_MOST] if one.service)
        why = f"{files[0]} starts {len(launches)} servers{f' ({names})' if names else ''}; which is meant is not known"
    else:
        listed = f" ({', '.join(files)})" if len(files) <= _MOST else ""
        why = f"{len(files)} files start a server{listed}; which is meant is not known"
    enable = f"--deployment {files[0] if len(files) <= _MOST else 'FILE'} ({why})"
    return Unchecked("how the server is started", why, enable)


def _led_away(launch: Launch, others: frozenset[str]) -> Unchecked | None:
    """What the mounts of a launch lead to instead."""
    file = shown_path(launch.source)
    folders = served_folders(launch)
    for folder in folders:
        if not os.path.lexists(folder):
            return Unchecked(file, f"{file} mounts {shown_path(folder)}, which is not there")
    if not folders or any(os.path.realpath(one) in others for one in folders):
        return None
    why = f"{file} starts a server that reads {shown_path(folders[0])}, not these models"
    return Unchecked(file, why)
