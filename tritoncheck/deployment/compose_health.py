"""The health check of a Compose service, and whether somebody restarts the container when it fails.

Source: compose-spec `05-services.md`, docker/cli `opts`, 20.10 to 29.0; willfarrell/docker-autoheal.
"""

from __future__ import annotations

import re

from tritoncheck.deployment.command_words import Script
from tritoncheck.deployment.compose_merge import pairs
from tritoncheck.deployment.compose_parts import Reader
from tritoncheck.deployment.parts import Probe
from tritoncheck.deployment.quantities import seconds
from tritoncheck.deployment.yaml import Node

_URL = re.compile(r"http(s?)://[^/\s\"':]+(?::(\d{1,5}))?(/[^\s\"']*)?")


def probe(service: Node, reader: Reader) -> Probe | None:
    """The health check; None where there is none. It restarts nothing unless `autoheal` watches the container."""
    node = service.get("healthcheck")
    test = node.get("test") if node is not None else None
    disabled = node.get("disable") if node is not None else None
    if node is None or test is None or (disabled is not None and disabled.boolean):
        return None
    words = [reader.fill(one).text for one in test.entries]
    if words[:1] == ["NONE"] or not (words or test.is_scalar):
        return None
    script = reader.fill(test).text if test.is_scalar else words[1] if words[0] == "CMD-SHELL" and words[1:] else ""
    command = [word.text for one in Script(script, plain=True).commands() for word in one.words] or words[1:]
    url = _URL.search(" ".join(command))
    retries = reader.text(node.get("retries")) or "3"
    return Probe(
        "healthcheck",
        path=(url[3] or "/") if url else "",
        command=tuple(command),
        port=int(url[2] or (443 if url[1] else 80)) if url else None,
        delay=_time(node, "start_period", "0s", reader),
        period=_time(node, "interval", "30s", reader),
        timeout=_time(node, "timeout", "30s", reader),
        failures=int(retries) if retries.isdigit() and len(retries) < 6 else None,
        kills=_healed(service, reader),
    )


def _time(node: Node, key: str, default: str, reader: Reader) -> float | None:
    inner = node.get(key)
    return seconds(reader.text(inner) if inner is not None and not inner.null else default)


def _healed(service: Node, reader: Reader) -> bool:
    """Whether a container that restarts unhealthy ones watches this one (willfarrell/docker-autoheal)."""
    label = "autoheal"
    watched = False
    for other in reader.project.services.values():
        if "autoheal" in reader.text(other.get("image")):
            watched = True
            named = pairs(other.get("environment")).get("AUTOHEAL_CONTAINER_LABEL")
            label = reader.text(named[0]) if named else label
    mine = pairs(service.get("labels")).get(label)
    return watched and (label == "all" or (mine is not None and reader.text(mine[0]).lower() == "true"))
