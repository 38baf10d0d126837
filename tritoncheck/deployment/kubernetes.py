"""How Kubernetes manifests start a Triton server.

Every container of Triton's image, or whose command names the server, is one launch; the Services of the same file say
which of its ports are published.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tritoncheck.deployment.kserve import GROUP, read_kserve
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.manifests import Manifest, Manifests, read_manifests
from tritoncheck.deployment.pod_faults import container_faults, drain_faults, mount_faults, pod_faults
from tritoncheck.deployment.pod_parts import port_names, text
from tritoncheck.deployment.pods import Pod, read_container
from tritoncheck.deployment.reading import Fault, Reading
from tritoncheck.deployment.services import published
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

# Documents that speak of Triton, and those that publish its ports.
_TOLD = re.compile(r"triton|--model-(?:repository|store)\b", re.IGNORECASE)
_WANTED = re.compile(
    rf"{_TOLD.pattern}|^\s*[\"']?kind[\"']?\s*:\s*[\"']?(?:Service|List)\b", re.IGNORECASE | re.MULTILINE
)


# Kinds whose pods are replaced, one after the other, when their template changes.
_ROLLED = frozenset(("Deployment", "StatefulSet", "DaemonSet"))


def read_kubernetes(source: str, path: str) -> Reading:
    """The servers that the manifests of a file start, and what Kubernetes refuses in them."""
    if _TOLD.search(source) is None:
        return Reading()
    lines = Lines(source, path)
    manifests = read_manifests(source, path, lambda part: _WANTED.search(part) is not None)
    launches: list[Launch] = []
    faults = list(manifests.faults)
    for one in manifests.objects:
        found = list(_launches(one, manifests, lines))
        launches += (launch for launch, _ in found)
        faults += (fault for _, some in found for fault in some)
    return Reading(tuple(launches), tuple(dict.fromkeys(faults)), tuple(manifests.unread))


def _launches(manifest: Manifest, manifests: Manifests, lines: Lines) -> Iterator[tuple[Launch, list[Fault]]]:
    """The launches of one object, each with the faults of what it was read from."""
    place = _place(manifest)
    if manifest.group == GROUP:
        yield from ((launch, []) for launch in read_kserve(manifest, lines, place))
        return
    path = manifest.pod_path
    spec = manifest.node.get(*path) if path else None
    if spec is None:
        return
    policy = spec.get("restartPolicy")
    restart = text(policy) if policy is not None else "Always"
    labels = manifest.node.get(*path[:-1], "metadata", "labels")
    services = [one for one in manifests.objects if one.kind == "Service" and not one.pod_path]
    claims = _claims(manifest.node)
    found: list[tuple[Launch, list[Fault]]] = []
    for key in ("initContainers", "containers"):
        containers = spec.get(key)
        for container in containers.entries if containers is not None else []:
            ports = published(services, labels, port_names(container)) if key == "containers" else {}
            policy_named = "" if restart == "Never" else restart
            pod = Pod(manifest.name, place, spec, lines, ports, policy_named, manifest.kind in _ROLLED)
            stays = text(container.get("restartPolicy")) == "Always"
            launch = read_container(container, pod, is_first=key == "initContainers" and not stays)
            if launch is not None and container.get("image") is not None:
                name = text(container.get("name"))
                faults = [
                    *pod_faults(manifest.kind, spec),
                    *container_faults(container),
                    *drain_faults(container, spec),
                ]
                found.append(
                    (
                        launch._replace(service=f"{manifest.name}/{name}"),
                        [*faults, *mount_faults(container, spec, claims)],
                    )
                )
    for launch, faults in found:
        yield (launch._replace(service=manifest.name) if len(found) == 1 else launch), faults


def _place(manifest: Manifest) -> Span:
    """Where the name of an object stands."""
    return manifest.node.place("metadata", "name")


def _claims(node: Node) -> frozenset[str]:
    """The volumes that a StatefulSet makes for its pods."""
    templates = node.get("spec", "volumeClaimTemplates")
    return frozenset(text(one.get("metadata", "name")) for one in (templates.entries if templates is not None else []))
