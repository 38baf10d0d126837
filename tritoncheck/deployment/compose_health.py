"""The health check of a Compose service, and whether somebody restarts the container when it fails.

Source: compose-spec `05-services.md`, docker/cli `opts`, 20.10 to 29.0; willfarrell/docker-autoheal.
"""

from __future__ import annotations

from tritoncheck.deployment.command_words import Script
from tritoncheck.deployment.compose_merge import pairs
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.health import health_check
from tritoncheck.deployment.parts import Probe
from tritoncheck.deployment.yaml import Node


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

    def given(name: str) -> str | None:
        inner = node.get(name.replace("-", "_"))
        return None if inner is None or inner.null else reader.text(inner)

    return health_check(command, given)._replace(kills=_healed(service, reader))


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
