"""How the server is started, from what the user says of it: options and settings, as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tritoncheck.deployment.command_line import parse_command
from tritoncheck.deployment.launch import Launch, LaunchError, parse_release_option, release_of_image
from tritoncheck.deployment.server_flags import CommandLine
from tritoncheck.deployment.versions import parse_version
from tritoncheck.rule import release_tag

if TYPE_CHECKING:
    from tritoncheck.config import Settings

_SIZE = re.compile(r"(\d+(?:\.\d*)?)\s?(?:([kmgtp])i?)?b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


def launch_from(settings: Settings) -> Launch:
    """The launch that settings describe: a release wins over an image, an image over the launch command's.

    LaunchError where something cannot be understood.
    """
    command = parse_command(settings.launch) if settings.launch.strip() else CommandLine()
    image = settings.image or command.image
    release = parse_release_option(settings.triton) if settings.triton else None
    if settings.driver and parse_version(settings.driver) is None:
        raise LaunchError(f"`{settings.driver}` is no version of a driver; give one such as 580.173.02")
    size = parse_size(settings.shm_size) if settings.shm_size else None
    if settings.shm_size and size is None:
        raise LaunchError(f"`{settings.shm_size}` is no size; give one such as 256m or 1g")
    return Launch(
        release or release_of_image(image),
        image,
        bool(settings.launch.strip()) and not command.hidden,
        command.flags,
        settings.driver,
        settings.gpu,
        command.environment,
        size,
        compute_capability=parse_capability(settings.compute_capability) if settings.compute_capability else None,
        words=command.words,
    )


def check_agreement(triton: str, image: str) -> None:
    """LaunchError where a release and an image, given together, name two releases."""
    tagged = release_of_image(image) if image else None
    release = parse_release_option(triton) if triton else None
    if release and tagged and release[:2] != tagged[:2]:
        raise LaunchError(f"--triton {triton} and the image's tag {release_tag(tagged)} disagree")


def parse_size(text: str) -> int | None:
    """Bytes of a size as Docker writes it (`64m`, `1.5gb`, `512MiB`): units are powers of 1024 (go-units
    `RAMInBytes`). None where it is none."""
    found = _SIZE.fullmatch(text.strip())
    return int(float(found.group(1)) * 1024 ** _POWERS[(found.group(2) or "").lower()]) if found else None


def parse_capability(text: str) -> tuple[int, int]:
    """`8.6` or `sm_86` as (8, 6). LaunchError for anything else."""
    found = re.fullmatch(r"(?:sm_?|compute_?)?(\d{1,2})[._]?(\d)[af]?", text.strip().lower())
    if not found:
        raise LaunchError(f"`{text}` is no compute capability; give one such as 8.6")
    return int(found.group(1)), int(found.group(2))
