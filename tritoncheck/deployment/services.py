"""Which ports of a pod the Services of the same file publish outside of the cluster."""

from __future__ import annotations

from collections.abc import Iterable

from tritoncheck.deployment.manifests import Manifest
from tritoncheck.deployment.parts import Port
from tritoncheck.deployment.pod_parts import port_of, text
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

# Ports of a Service of any other type are reached from inside the cluster only.
_PUBLIC = frozenset(("LoadBalancer", "NodePort"))


def published(services: Iterable[Manifest], labels: Node | None, names: dict[str, int]) -> dict[Port, Span]:
    """The ports of a pod with these labels that Services publish, each with its place. names: its ports by name."""
    found: dict[Port, Span] = {}
    own = {key: one.text for key, one in labels.items.items()} if labels is not None else {}
    for service in services:
        spec = service.node.get("spec")
        selector = spec.get("selector") if spec is not None else None
        if spec is None or selector is None or text(spec.get("type")) not in _PUBLIC:
            continue
        wanted = {key: one.text for key, one in selector.items.items()}
        if not wanted or any(own.get(key) != value for key, value in wanted.items()):
            continue
        ports = spec.get("ports")
        for one in ports.entries if ports is not None else []:
            outside = port_of(one.get("nodePort" if text(spec.get("type")) == "NodePort" else "port"), {})
            target = one.get("targetPort")
            inside = port_of(target if target is not None else one.get("port"), names)
            if inside is not None:
                protocol = text(one.get("protocol")).lower() or "tcp"
                found[Port(inside, outside, "", protocol)] = one.place("targetPort" if target is not None else "port")
    return found
