"""The GPUs that a Compose service gets: `gpus`, `deploy.resources`, `devices`, `runtime`.

Source: compose-spec `05-services.md` and `deploy.md`, which say of `capabilities` that it must be set, and of `count`
and `device_ids` that they exclude each other. None is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.gpu_request import by_runtime, seen
from tritoncheck.deployment.parts import Gpus
from tritoncheck.deployment.reading import Fault
from tritoncheck.deployment.yaml import Node

_CDI = re.compile(r"nvidia\.com/gpu=(.+)")


def gpus(service: Node, reader: Reader, environment: dict[str, str]) -> tuple[Gpus | None, str]:
    """The GPUs that the server sees, and the key that gives them ("" where none does).

    None asked for is none, unless the service is privileged or has the devices themselves.
    """
    given, key = _given(service, reader, environment)
    return seen(given, environment), key


def asks(service: Node, reader: Reader) -> bool:
    """Whether a service, or what is laid over one, asks for GPUs."""
    given, key = _given(service, reader, {})
    return bool(key) and (given is None or not given.none)


def _given(service: Node, reader: Reader, environment: dict[str, str]) -> tuple[Gpus | None, str]:
    whole = service.get("gpus")
    if whole is not None and not whole.null:
        if whole.is_scalar:
            return (Gpus() if reader.text(whole) == "all" else None), "gpus"
        return _devices(whole.entries, reader), "gpus"
    devices = service.get("deploy", "resources", "reservations", "devices")
    wanted = [one for one in (devices.entries if devices else []) if _is_gpu(one, reader)]
    if wanted:
        return _devices(wanted, reader), "deploy.resources.reservations.devices"
    for one in (service.get("devices") or Node([], service.span)).entries:
        text = reader.text(one) or "$"
        cdi = _CDI.fullmatch(text)
        if cdi:
            return (Gpus() if cdi[1] == "all" else Gpus(1, (cdi[1],))), "devices"
        if "$" in text or "nvidia" in text:
            return None, "devices"
    if reader.text(service.get("runtime")) == "nvidia":
        return by_runtime(environment), "runtime"
    if (
        "NVIDIA_VISIBLE_DEVICES" in environment
        or service.get("runtime")
        or service.get("privileged")
        or service.get("device_cgroup_rules")
    ):
        return None, ""
    return Gpus(0), ""


def device_faults(service: Node, reader: Reader) -> Iterator[Fault]:
    """What Compose refuses in the devices that a service asks for."""
    devices = service.get("deploy", "resources", "reservations", "devices")
    whole = service.get("gpus")
    asked = [(one, True) for one in (devices.entries if devices is not None else [])]
    asked += [(one, False) for one in (whole.entries if whole is not None else [])]
    for one, listed in asked:
        if not one.items:
            continue
        if one.get("count") is not None and one.get("device_ids") is not None:
            said = "Compose refuses `count` and `device_ids` in one device: they exclude each other"
            yield Fault(said, one.place("count"), "take `count` out, or `device_ids`")
        if listed and one.get("capabilities") is None:
            said = "Compose refuses a device without `capabilities`"
            yield Fault(said, one.place("driver"), "write `capabilities: [gpu]` beside it")


def _is_gpu(device: Node, reader: Reader) -> bool:
    words = [reader.text(one) for one in (device.get("capabilities") or device).entries]
    return bool({"gpu", "nvidia", "compute", "utility"} & set(words)) or reader.text(device.get("driver")) == "nvidia"


def _devices(devices: list[Node], reader: Reader) -> Gpus | None:
    total = 0
    ids: tuple[str, ...] = ()
    for one in devices:
        named, count = one.get("device_ids"), one.get("count")
        if named is not None:
            filled = [reader.fill(inner) for inner in named.entries]
            if not all(inner.known for inner in filled):
                return None
            ids += tuple(inner.text for inner in filled)
            continue
        filled_count = reader.fill(count)
        if count is None or filled_count.text in ("all", "-1"):
            return Gpus()
        if not filled_count.text.isdigit():
            return None
        total += int(filled_count.text)
    return Gpus(len(ids), ids) if ids else Gpus(total)
