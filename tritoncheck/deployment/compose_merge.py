"""How two descriptions of a Compose service become one, place by place: override files, `extends`, anchors.

Rules: compose-go `override/merge.go`, 2.0 to 2.9.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span

_REPLACED = frozenset((("command",), ("entrypoint",), ("healthcheck", "test"), ("gpus",)))
# One value of these is a list of one.
_SEQUENCES = frozenset((("env_file",), ("tmpfs",)))
_DRIVE = re.compile(r"[A-Za-z]:[\\/]$")


def merge(base: Node, over: Node, path: tuple[str, ...] = ()) -> Node:
    """One value with another on top. path: where in the service they stand."""
    if over.tag == "!override" or over.null:
        return base if over.null and over.tag != "!reset" else over
    name = path[-1] if path else ""
    if name in _BY_KEY and len(path) == 1:
        return _keyed(base, over, _BY_KEY[name])
    if base.items and over.items:
        values, keys = dict(base.items), {**base.keys, **over.keys}
        for key, value in over.items.items():
            if value.tag == "!reset":
                values.pop(key, None)
            else:
                values[key] = merge(values[key], value, (*path, key)) if key in values else value
        return Node(values, over.span, tag=over.tag, keys=keys)
    lists = isinstance(base.value, list) and isinstance(over.value, list) and path not in _REPLACED
    if lists or path in _SEQUENCES:
        return Node([*(base.entries or [base]), *(over.entries or [over])], over.span)
    return over


def listed(node: Node | None) -> list[Node]:
    """A list's values, or the value alone; none for null."""
    if node is None or node.null:
        return []
    return node.entries if isinstance(node.value, list) else [node]


def pairs(node: Node | None) -> dict[str, tuple[Node, Span]]:
    """A mapping, or a list of `NAME=value`, by name: each with its value (null where there is none) and its place."""
    if node is None:
        return {}
    if node.items:
        return {key: (value, node.place(key)) for key, value in node.items.items()}
    found = {}
    for one in node.entries:
        name, equals, value = one.text.partition("=")
        if name:
            found[name] = (Node(value, one.span, plain=not equals), one.span)
    return found


def _keyed(base: Node, over: Node, key_of: Callable[[Node], str]) -> Node:
    """Two lists or mappings in which a later entry takes the place of an earlier one of the same key."""
    if base.items and over.items:
        return Node({**base.items, **over.items}, over.span, keys={**base.keys, **over.keys})
    if key_of is _name:
        merged = {**pairs(base), **pairs(over)}
        items = {name: value for name, (value, _) in merged.items()}
        return Node(dict(items), over.span, keys={name: span for name, (_, span) in merged.items()})
    entries = {key_of(one): one for one in (*base.entries, *over.entries)}
    return Node(list(entries.values()), over.span)


def _name(node: Node) -> str:
    return node.text.partition("=")[0]


def _target(node: Node) -> str:
    """The path in the container of an entry of `volumes`."""
    inner = node.get("target")
    return inner.text if inner is not None else split_volume(node.text)[1]


def _whole(node: Node) -> str:
    parts = [f"{key}={value.text}" for key, value in sorted(node.items.items())]
    return ",".join(parts) or node.text


def split_volume(text: str) -> tuple[str, str, str]:
    """`source:target:options` in parts; a drive of Windows and a variable with `:-` keep their colons."""
    parts, level, start = [], 0, 0
    for at, char in enumerate(text):
        if char == "{":
            level += 1
        elif char == "}":
            level -= 1
        elif char == ":" and not level and not _DRIVE.match(text, start, at + 2):
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    if len(parts) == 1:
        return "", parts[0], ""
    return parts[0], parts[1], parts[2] if len(parts) > 2 else ""


_BY_KEY: dict[str, Callable[[Node], str]] = {
    "environment": _name,
    "labels": _name,
    "volumes": _target,
    "ports": _whole,
    "devices": _whole,
}
