"""The variables of a container in a pod, and `$(NAME)` in its command.

Source: kubernetes `third_party/forked/golang/expansion/expand.go` and `pkg/kubelet/kubelet_pods.go`, 1.20 to 1.34.
"""

from __future__ import annotations

import re

from tritoncheck.deployment.interpolate import Filled
from tritoncheck.deployment.parts import Doubt
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][\w.-]*)\)")
# Values may hold others; what unfolds into more is no value of a variable.
_LONGEST = 4096


class Environment:
    """values: those that the manifest itself gives. unknown: names whose value is taken from elsewhere. open: whether
    any others may be set, by `envFrom`."""

    def __init__(self, container: Node) -> None:
        self.values: dict[str, str] = {}
        self.unknown: set[str] = set()
        self.places: dict[str, Span] = {}
        self.doubts: list[Doubt] = []
        self.open = container.get("envFrom") is not None
        if self.open:
            span = container.place("envFrom")
            self.doubts.append(Doubt("environment", "variables are set by `envFrom`", span))
        env = container.get("env")
        for one in env.entries if env is not None else []:
            self._add(one)

    def _add(self, node: Node) -> None:
        name, value = node.get("name"), node.get("value")
        if name is None or not name.is_scalar:
            return
        self.places[name.text] = node.place("value") if value is not None else node.place("name")
        filled = self.fill(value) if value is not None else Filled("")
        self.values.pop(name.text, None)
        self.unknown.discard(name.text)
        if node.get("valueFrom") is not None or not filled.known or len(filled.text) > _LONGEST:
            self.unknown.add(name.text)
            why = f"the value of `{name.text}` is not in this file"
            self.doubts.append(Doubt(f"environment:{name.text}", why, self.places[name.text]))
        else:
            self.values[name.text] = filled.text

    def fill(self, node: Node) -> Filled:
        """A text with `$(NAME)` put in; a name that nothing sets stays, as it does in Kubernetes."""
        missing: list[str] = []

        def put(found: re.Match[str]) -> str:
            name = found.group(1)
            if name is None:
                return "$"
            if name in self.values:
                return self.values[name]
            if name in self.unknown or self.open:
                missing.append(name)
            return found.group()

        value = node.value if isinstance(node.value, str) and not node.null else ""
        if "{{" in value:
            missing.append("{{ }}")
        return Filled(_REFERENCE.sub(put, value), tuple(missing))
