"""What Kubernetes refuses in the parts of a manifest that start a server.

Source: kubernetes `pkg/apis/core/validation/validation.go` and the types of `api/core/v1`, 1.20 to 1.34. A value with a
template in it is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tritoncheck.deployment.pod_parts import text
from tritoncheck.deployment.quantities import quantity
from tritoncheck.deployment.reading import Fault
from tritoncheck.deployment.yaml import Node

_NUMBER = re.compile(r"[-+]?(\d[\d_]*(\.\d*)?|\.\d+)([eE][-+]?\d+)?|0x[0-9a-fA-F]+|0o[0-7]+")
_TRUTH = frozenset(("true", "True", "TRUE", "false", "False", "FALSE"))
_GPU = "nvidia.com/"
_SLEEP = re.compile(r"(?:\S*sh -\w*c )?(?:exec )?\S*sleep (\d{1,6}(?:\.\d+)?)s?")
# Seconds that a pod has from the start of its hook. Source: kubernetes `api/core/v1/types.go`, 1.20 to 1.34.
_GRACE = 30
# Policies by the kind of what runs the pod.
_POLICIES = {
    "Job": ("OnFailure", "Never"),
    "CronJob": ("OnFailure", "Never"),
    "Pod": ("Always", "OnFailure", "Never"),
}


def pod_faults(kind: str, spec: Node) -> Iterator[Fault]:
    """Faults of a pod's specification."""
    policy = spec.get("restartPolicy")
    allowed = _POLICIES.get(kind, ("Always",))
    written = policy.text if policy is not None else "Always"
    if written not in allowed and "{{" not in written:
        choices = " or ".join(f"`{one}`" for one in allowed)
        span = spec.place("restartPolicy") if policy is not None else spec.place("containers")
        said = f"Kubernetes refuses `restartPolicy: {written}` in a {kind}"
        if policy is None:
            said = f"a {kind} without `restartPolicy` has `Always`, which Kubernetes refuses"
        yield Fault(said, span, f"write {choices}")


def container_faults(container: Node) -> Iterator[Fault]:
    """Faults of a container's command, variables and resources."""
    for key in ("command", "args"):
        node = container.get(key)
        if node is None or node.null:
            continue
        if node.is_scalar:
            help = "write a list: one entry for each word"
            yield Fault(f"Kubernetes refuses `{key}` that is a text: it takes a list", container.place(key), help)
        for one in node.entries:
            yield from _not_text(one, f"an entry of `{key}`")
    env = container.get("env")
    for one in env.entries if env is not None else []:
        value = one.get("value")
        if value is not None:
            yield from _not_text(value, "the value of a variable")
    yield from _resources(container)


def drain_faults(container: Node, spec: Node) -> Iterator[Fault]:
    """A hook that waits longer than the pod has: the server is killed with its requests, or the object is refused."""
    asked = spec.get("terminationGracePeriodSeconds")
    grace = _GRACE if asked is None or asked.null else asked.number
    hook = container.get("lifecycle", "preStop")
    seconds = _slept(hook) if hook is not None else None
    if grace is None or seconds is None or seconds < grace:
        return
    own = f"`terminationGracePeriodSeconds: {grace:g}`" if asked is not None else f"the grace period of {grace:g} s"
    said = f"`preStop` waits {seconds:g} s, but {own} ends before: the server is killed with the requests that it has"
    place = (
        spec.place("terminationGracePeriodSeconds") if asked is not None else container.place("lifecycle", "preStop")
    )
    yield Fault(said, place, "give a longer `terminationGracePeriodSeconds`: the hook's time and what the server needs")


def _slept(hook: Node) -> float | None:
    """The seconds that a hook sleeps, None where it does something else."""
    seconds = hook.get("sleep", "seconds")
    if seconds is not None:
        return seconds.number
    command = hook.get("exec", "command")
    words = " ".join(text(one) for one in (command.entries if command is not None else []))
    found = _SLEEP.fullmatch(words)
    return float(found[1]) if found else None


def _not_text(node: Node, what: str) -> Iterator[Fault]:
    """A number or a truth value where a text must stand."""
    if not node.plain or not isinstance(node.value, str):
        return
    kind = "a number" if _NUMBER.fullmatch(node.value) else "true or false" if node.value in _TRUTH else ""
    if kind:
        help = f'write it in quotes: "{node.value}"'
        yield Fault(f"Kubernetes refuses {what} that is {kind}: it takes a text", node.span, help)


def _resources(container: Node) -> Iterator[Fault]:
    limits = container.get("resources", "limits")
    requests = container.get("resources", "requests")
    for name, node in (("limits", limits), ("requests", requests)):
        for key, value in (node.items if node is not None else {}).items():
            if not value.is_scalar or "{{" in value.text or "$" in value.text:
                continue
            amount = quantity(value.text)
            if amount is None:
                help = "write it with Ki, Mi, Gi, k, M or G: 8Gi" if key == "memory" else ""
                yield Fault(f"Kubernetes refuses the quantity `{value.text}`", value.span, help)
            elif key.startswith(_GPU) and amount != amount.to_integral_value():
                yield Fault(f"Kubernetes refuses `{key}: {value.text}`: it must be a whole number", value.span)
            elif key == "memory" and 0 < amount < 1024:
                help = f"write `{value.text.rstrip('m')}Mi`"
                yield Fault(f"`memory: {value.text}` is less than a kilobyte, in which nothing runs", value.span, help)
            elif name == "requests" and key.startswith(_GPU):
                limit = limits.get(key) if limits is not None else None
                if limit is None or quantity(limit.text) not in (None, amount):
                    help = f"write the same under `limits`: {key}: {value.text}"
                    yield Fault(f"Kubernetes refuses a request for `{key}` without the same limit", value.span, help)


def mount_faults(container: Node, spec: Node, claims: frozenset[str]) -> Iterator[Fault]:
    """Mounts of volumes that the pod does not have. claims: volumes that it gets from elsewhere."""
    volumes = spec.get("volumes")
    names = {text(one.get("name")) for one in (volumes.entries if volumes is not None else [])} | claims
    mounted = container.get("volumeMounts")
    for one in mounted.entries if mounted is not None else []:
        name = text(one.get("name"))
        if name and name not in names and "" not in names:
            help = "add it to `volumes`" + (f"; there are {', '.join(sorted(names))}" if names else "")
            yield Fault(f"Kubernetes refuses to mount `{name}`: the pod has no such volume", one.place("name"), help)
