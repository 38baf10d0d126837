"""The objects in a file of Kubernetes manifests, and which of them run pods.

Templates of Helm are known by `{{ }}`; where one is no YAML it is not read, which is no fault of it. Knows nothing of
Triton. Paths to pods: kubernetes/api `apps/v1`, `batch/v1`, `core/v1`, 1.20 to 1.34; kserve `serving.kserve.io`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tritoncheck.deployment.reading import Fault
from tritoncheck.deployment.yaml import Node, YamlError, read_documents
from tritoncheck.rule import Span

_TEMPLATE = ("spec", "template", "spec")
PODS = {
    "Pod": ("spec",),
    "Deployment": _TEMPLATE,
    "StatefulSet": _TEMPLATE,
    "DaemonSet": _TEMPLATE,
    "ReplicaSet": _TEMPLATE,
    "ReplicationController": _TEMPLATE,
    "Job": _TEMPLATE,
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
}
_DEPTH = 8
# Documents of one file that are read: to read one takes milliseconds.
MOST_DOCUMENTS = 60


class Manifest(NamedTuple):
    """One object. kind, group: `Deployment` and `apps`. name: from its metadata, "" without one."""

    kind: str
    group: str
    name: str
    node: Node

    @property
    def pod_path(self) -> tuple[str, ...]:
        """Where the pod's specification stands; empty where it runs none."""
        if self.group == "serving.knative.dev" and self.kind == "Service":
            return _TEMPLATE
        return PODS.get(self.kind, ())


@dataclass(slots=True)
class Manifests:
    """What a file holds. unread: documents that are templates."""

    objects: list[Manifest] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    unread: list[Span] = field(default_factory=list)


def read_manifests(text: str, path: str, wanted: Callable[[str], bool]) -> Manifests:
    """The objects of a file. wanted: which document is of use, by its text."""
    found = Manifests()
    try:
        documents = read_documents(text, path, at_most(MOST_DOCUMENTS, wanted))
    except YamlError as error:
        if "{{" in text:
            found.unread.append(error.span)
        else:
            found.faults.append(Fault(f"no YAML that can be read: {error}", error.span))
        return found
    for one in documents:
        found.objects += _objects(one, 0)
    return found


def at_most(most: int, wanted: Callable[[str], bool] = bool) -> Callable[[str], bool]:
    """Says of the first so many documents that are wanted that they are."""
    left = iter(range(most))
    return lambda part: wanted(part) and next(left, None) is not None


def _objects(node: Node, depth: int) -> Iterator[Manifest]:
    """The object in a document, or those in its `items`."""
    kind, version = (node.get(key) for key in ("kind", "apiVersion"))
    if kind is None or version is None or not kind.is_scalar or depth > _DEPTH:
        return
    items = node.get("items")
    if kind.text.endswith("List") and items is not None:
        for one in items.entries:
            yield from _objects(one, depth + 1)
        return
    name = node.get("metadata", "name")
    group = version.text.rpartition("/")[0]
    yield Manifest(kind.text, group, name.text if name is not None else "", node)
