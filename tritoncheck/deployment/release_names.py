"""Releases of Triton as users name them: by a tag or by a version. Knows nothing of how a server is started."""

from __future__ import annotations

import re

from tritoncheck.deployment.launch import LaunchError, Release
from tritoncheck.deployment.tables import newest, triton_versions

_TAG = re.compile(r"\d\d\.(?:0[1-9]|1[0-2])(?:\.\d)?")
_VERSION = re.compile(r"2\.\d+\.\d+")


def parse_release_option(text: str) -> Release:
    """`24.01`, `r24.01`, or a Triton version such as `2.42.0`, as (24, 1). LaunchError for anything else."""
    cleaned = text.strip().lower().removeprefix("r").removeprefix("v")
    if re.fullmatch(_TAG, cleaned):
        return tuple(int(part) for part in cleaned.split("."))
    if re.fullmatch(_VERSION, cleaned) or re.fullmatch(r"2\.\d+", cleaned):
        release = release_of_triton(cleaned if cleaned.count(".") == 2 else cleaned + ".0")
        if release:
            return release
        raise LaunchError(f"unknown Triton version `{text}`; give a release tag such as 24.01")
    raise LaunchError(f"`{text}` is no Triton release; give a tag such as 24.01 or a version such as 2.42.0")


def release_of_triton(version: str) -> Release | None:
    """The release of a Triton version such as `2.46.0`; None if none is known."""
    return next((release for release, one in triton_versions().items() if one == version), None)


def newest_release() -> Release:
    """The newest release that this package knows."""
    return newest()
