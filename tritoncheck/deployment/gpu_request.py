"""Which GPUs a container gets: `--gpus` of the engine, and the variables that the container runtime and CUDA read.

Source: docker/cli `opts/gpus.go`, 19.03 to 29.0; nvidia-container-toolkit `internal/config/image`, 1.14 to 1.20; CUDA
Programming Guide, environment variables.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping

from tritoncheck.deployment.parts import Gpus

NONE = Gpus(count=0)
ALL = Gpus()


class GpuRequestError(ValueError):
    """A request that the engine refuses; the text is the engine's."""


def read_request(text: str) -> Gpus | None:
    """The value of `--gpus`: `all`, `2`, `device=0`, `"device=0,1"` with quotes. None where it cannot be told.

    GpuRequestError for what Docker refuses.
    """
    if not text or "$" in text:
        return None
    try:
        fields = next(csv.reader([text]), [])
    except csv.Error:
        raise GpuRequestError("parse error in the list of values") from None
    count: int | None = 1
    ids: tuple[str, ...] = ()
    counted = False
    for field in fields:
        key, equals, value = field.partition("=")
        if not equals:
            key, value = "count", field
        if key == "count":
            counted = True
            if value != "all" and not (value.isdigit() and len(value) < 6):
                raise GpuRequestError(f'count ("{value}") must be an integer')
            count = None if value == "all" else int(value)
        elif key == "device":
            ids = tuple(one.strip() for one in value.split(",") if one.strip())
    if ids and counted:
        raise GpuRequestError("cannot set both Count and DeviceIDs on device request")
    if ids == ("all",):
        return ALL
    return Gpus(len(ids), ids) if ids else Gpus(count)


def seen(given: Gpus | None, environment: Mapping[str, str]) -> Gpus | None:
    """What the server sees of the GPUs given to its container: `CUDA_VISIBLE_DEVICES` leaves some of them.

    The first entry that names no GPU ends the list.
    """
    listed = environment.get("CUDA_VISIBLE_DEVICES")
    if listed is None or "$" in listed or (given is not None and given.none):
        return given
    ids = []
    for one in (part.strip() for part in listed.split(",")):
        if not one or one.startswith("-") or one.lower() in ("none", "void", "nodevfiles"):
            break
        ids.append(one)
    if not ids:
        return NONE
    return Gpus(len(ids), tuple(ids))


def by_runtime(environment: Mapping[str, str]) -> Gpus | None:
    """What the NVIDIA runtime gives without a request: `NVIDIA_VISIBLE_DEVICES`, which NVIDIA's images set to `all`."""
    listed = environment.get("NVIDIA_VISIBLE_DEVICES", "all").strip()
    if "$" in listed:
        return None
    if listed in ("", "void", "none"):
        return NONE
    if listed == "all":
        return ALL
    ids = tuple(one.strip() for one in listed.split(",") if one.strip())
    return Gpus(len(ids), ids)
