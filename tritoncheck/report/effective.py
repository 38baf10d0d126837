"""Prints a configuration as the server will have it, with a comment behind everything that it fills in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tritoncheck.effective import Effective, Path
from tritoncheck.report.paths import printable


def render(found: Effective, place: str) -> str:
    """The configuration as text that Triton would read. place: the file or folder it was made from."""
    lines = [f"# {printable(place)}", *_message(found.message, (), found, "")]
    lines += [f"# not known: {printable(one)}" for one in found.unknown]
    return "\n".join(lines) + "\n"


def _message(message: Any, path: Path, found: Effective, indent: str) -> Iterator[str]:
    for field, value in message.ListFields():
        here = (*path, field.name)
        if _is_map(field):
            for key in sorted(value):
                yield from _entry(field, key, value[key], here, found, indent)
        elif hasattr(value, "extend") and field.message_type is None:
            items = ", ".join(_scalar(field, item) for item in value)
            yield f"{indent}{field.name}: [ {items} ]{_note(here, found)}"
        elif hasattr(value, "extend"):
            for index, item in enumerate(value):
                yield from _block(field.name, item, (*here, index), found, indent)
        elif field.message_type is not None:
            yield from _block(field.name, value, here, found, indent)
        else:
            yield f"{indent}{field.name}: {_scalar(field, value)}{_note(here, found)}"


def _block(name: str, message: Any, path: Path, found: Effective, indent: str) -> Iterator[str]:
    inner = list(_message(message, path, found, indent + "  "))
    if not inner:
        yield f"{indent}{name} {{ }}{_note(path, found)}"
        return
    yield f"{indent}{name} {{{_note(path, found)}"
    yield from inner
    yield f"{indent}}}"


def _entry(field: Any, key: Any, value: Any, path: Path, found: Effective, indent: str) -> Iterator[str]:
    spec = field.message_type.fields_by_name["value"]
    written = _scalar(field.message_type.fields_by_name["key"], key)
    if spec.message_type is None:
        yield f"{indent}{field.name} {{ key: {written} value: {_scalar(spec, value)} }}"
        return
    yield f"{indent}{field.name} {{"
    yield f"{indent}  key: {written}"
    yield from _block("value", value, (*path, str(key)), found, indent + "  ")
    yield f"{indent}}}"


def _is_map(field: Any) -> bool:
    return bool(field.message_type is not None and field.message_type.GetOptions().map_entry)


def _scalar(field: Any, value: Any) -> str:
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\177")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _note(path: Path, found: Effective) -> str:
    source = found.completed.get(path)
    return f"  # filled in: {source}" if source else ""
