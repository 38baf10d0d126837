"""What an image is by its name: whether it holds a Triton server, and of which release, also where a variable that has
no value stands for the registry."""

from __future__ import annotations

import re

from tritoncheck.deployment.image import WITHOUT_SERVER, parse_image, release_of_image
from tritoncheck.deployment.launch import Release

_NAME = re.compile(r"triton[-_]?(?:inference[-_]?)?server", re.IGNORECASE)


def serves(image: str) -> bool:
    """Whether it does: `tritonserver`, a mirror of it, or an image named after Triton whose tag is a release. Its build
    base and its client (`-py3-min`, `-py3-sdk`) hold none."""
    named = parse_image(image)
    if named is None:
        return _NAME.search(image) is not None and not image.endswith(("-sdk", "-min"))
    if named.variant in WITHOUT_SERVER:
        return False
    return named.is_triton and (named.release is not None or _NAME.search(named.repository) is not None)


def release_in(image: str) -> Release | None:
    """The release that the tag names; None if it names none, or a variable may be part of it."""
    return release_of_image(image) or release_of_image(image.rsplit("/", 1)[-1])
