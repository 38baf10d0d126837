"""Whether an image by its name holds a Triton server, so that a container of it is one even without a command."""

from __future__ import annotations

import re

from tritoncheck.deployment.image import WITHOUT_SERVER, parse_image

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
