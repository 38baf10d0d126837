"""How the server is started, from what the user says of it: options and settings, as text."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tritoncheck.deployment.image import release_of_image
from tritoncheck.deployment.launch import Launch, LaunchError
from tritoncheck.deployment.release_names import parse_release_option
from tritoncheck.deployment.versions import parse_version
from tritoncheck.rule import Span, release_tag

if TYPE_CHECKING:
    from tritoncheck.config import Settings


def launch_from(settings: Settings) -> Launch:
    """The launch that settings describe: a release wins over an image, an image over the launch command's.

    LaunchError where something cannot be understood.
    """
    if settings.driver and parse_version(settings.driver) is None:
        raise LaunchError(f"`{settings.driver}` is no version of a driver; give one such as 580.173.02")
    base = _commanded(settings.launch) if settings.launch.strip() else Launch()
    image = settings.image or base.image
    release = parse_release_option(settings.triton) if settings.triton else None
    capability = parse_capability(settings.compute_capability) if settings.compute_capability else None
    return base._replace(
        release=release or release_of_image(image),
        image=image,
        driver=settings.driver,
        gpu=settings.gpu,
        shm_size=_size(settings.shm_size) if settings.shm_size else base.shm_size,
        compute_capability=capability,
    )


def _commanded(text: str) -> Launch:
    """The launch that a command line describes, with what it tells the engine. What reads it is loaded only then."""
    from tritoncheck.deployment.command_line import parse_command

    command = parse_command(text)
    launch = Launch(
        image=command.image,
        flags_known=not command.hidden,
        flags=command.flags,
        environment=command.environment,
        words=command.words,
        copies=command.copies,
    )
    if command.container is None:
        return launch
    from tritoncheck.deployment.container import Asked, in_container

    asked = Asked(command.engine, lambda start, end: Span("", 1, start + 1, 1, end + 1, start, end), os.getcwd())
    return in_container(launch, asked)._replace(origins={})


def _size(text: str) -> int:
    from tritoncheck.deployment.quantities import size

    found = size(text)
    if found is None:
        raise LaunchError(f"`{text}` is no size; give one such as 256m or 1g")
    return found


def check_agreement(triton: str, image: str) -> None:
    """LaunchError where a release and an image, given together, name two releases."""
    tagged = release_of_image(image) if image else None
    release = parse_release_option(triton) if triton else None
    if release and tagged and release[:2] != tagged[:2]:
        raise LaunchError(f"--triton {triton} and the image's tag {release_tag(tagged)} disagree")


def parse_capability(text: str) -> tuple[int, int]:
    """`8.6` or `sm_86` as (8, 6). LaunchError for anything else."""
    found = re.fullmatch(r"(?:sm_?|compute_?)?(\d{1,2})[._]?(\d)[af]?", text.strip().lower())
    if not found:
        raise LaunchError(f"`{text}` is no compute capability; give one such as 8.6")
    return int(found.group(1)), int(found.group(2))
