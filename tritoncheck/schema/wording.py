"""How a fault is said to a person: what is wrong, and what to write instead.

Texts only; which fault it is, and where, is known by `misfits`.
"""

from __future__ import annotations

from tritoncheck.schema.advice import homes, nearest_value
from tritoncheck.schema.descriptors import FieldInfo, Release
from tritoncheck.schema.values import LIMITS

Said = tuple[str, str]  # the fault, and the help ("" = none)

_FEW = 12  # fields that may all be named

_TRUE, _FALSE = ("true", "yes", "on", "y", "1"), ("false", "no", "off", "n", "0")


def describe(field: FieldInfo) -> str:
    """The type of a field in words, for a person who must write a value of it."""
    if field.enum is not None:
        return f"a value of `{field.enum.name}`"
    words = {
        "string": "a string in quotes",
        "bool": "`true` or `false`",
        "float": "a number",
        "double": "a number",
        "message": "a block `{ … }`",
    }
    return words.get(field.kind) or f"a whole number ({field.kind})"


def example(field: FieldInfo) -> str:
    """How a value of the field is written."""
    if field.message is not None:
        return f"write `{field.name} {{ … }}`"
    return f"write `{field.name}: [ … ]`" if field.repeated else f"write `{field.name}: …`, {describe(field)}"


def wrong_scalar(shown: str, reason: str, field: FieldInfo, values: list[str]) -> Said:
    """A scalar that is none of the field's type. shown: as written; values: those an enum has."""
    if reason == "range" and field.kind != "bool":
        low, high = LIMITS[field.kind]
        return f"`{shown}` does not fit `{field.name}` ({field.kind})", f"write a number from {low} to {high}"
    if reason == "zero":
        return f"`{shown}`: `{field.name}` takes a decimal number without a leading zero", ""
    if reason == "name" and field.enum is not None:
        return _unknown_value(shown, field.enum.name, values)
    message = f"`{field.name}` takes {describe(field)}, not `{shown}`"
    if shown.startswith("-") and field.kind in ("uint32", "uint64"):
        return message, f"it cannot be negative: write a number from 0 to {LIMITS[field.kind][1]}"
    return message, _instead(shown, field, values) or (example(field) if field.repeated else f"write {describe(field)}")


def _unknown_value(shown: str, enum: str, values: list[str]) -> Said:
    near = nearest_value(shown, values)
    message = f"`{shown}` is no value of `{enum}`"
    return message + (f"; did you mean `{near}`?" if near else ""), f"allowed: {', '.join(values)}"


def _instead(shown: str, field: FieldInfo, values: list[str]) -> str:
    """What was meant by a value of another type, "" where that is not plain."""
    bare = shown.strip("\"'")
    if field.kind == "string":
        return f'write it in quotes: `"{shown}"`' if '"' not in shown and "'" not in shown else ""
    meant = ""
    if field.enum is not None:
        meant = nearest_value(bare, values) or ""
    elif field.kind == "bool":
        meant = "true" if bare.lower() in _TRUE else "false" if bare.lower() in _FALSE else ""
    else:
        number = bare.removeprefix("+").replace("_", "")
        whole = number.removesuffix(".").removesuffix(".0")
        if whole.isdecimal() and not whole.startswith("0") and whole.isascii():
            meant = whole if field.kind not in ("float", "double") else number
    if not meant or meant == shown:
        return ""
    return f"write it without quotes: `{meant}`" if bare != shown else f"write `{meant}`"


def missing_value(field: FieldInfo, colon: bool) -> Said:
    """A name without anything behind it."""
    if colon:
        return f"the value of `{field.name}` is missing", f"write {describe(field)}" if not field.repeated else example(
            field
        )
    return f"`{field.name}` has no value", example(field)


def wrong_shape(field: FieldInfo, found: str) -> Said:
    """A list, a block or a scalar where another of these is due; `found` says which, or the scalar as written."""
    if field.message is None:
        many = " and is not repeated" if found == "a list" and not field.repeated else ""
        return f"`{field.name}` takes {describe(field)}{many}, not {found}", example(field)
    if found == "a list":
        return f"`{field.name}` takes one block, not a list", example(field)
    return f"`{field.name}` takes a block, not {found}", example(field)


def not_filled_in(shown: str, field: FieldInfo) -> Said:
    """A placeholder of a template in place of a value."""
    return f"`{shown}` is not filled in: `{field.name}` must get {describe(field)}", "render the template before use"


def other_age(what: str, since: Release | None, until: Release | None, release: Release) -> tuple[str, Said]:
    """A field or value that the release lacks, because it is not there yet or no more; the problem's kind first."""
    if since is not None and release < since:
        message = f"{what} exists since release {tag(since)}; a {tag(release)} server does not know it"
        return "too-new", (message, f"use {tag(since)} or newer, or delete it")
    return "removed", (f"{what} was removed after release {tag(until or ())}", "delete it")


def tag(release: Release) -> str:
    """A release as NVIDIA writes it: `24.01`."""
    return ".".join(f"{part:02}" for part in release)


def homes_of(name: str, here: str, names: list[str]) -> str:
    """Help for a field in the wrong block, where its name alone tells the right one; else what the block has."""
    others = [home for home in homes(name) if home != here]
    inside = [home for home in others if here and home.startswith(f"{here}.")]
    if others and not others[0] and not inside:
        return f"`{name}` belongs at the top level, outside of every block"
    if others:
        return f"`{name}` belongs into " + " or ".join(f"`{home} {{ … }}`" for home in (inside or others)[:2])
    return f"it has: {', '.join(names)}" if len(names) < _FEW else ""
