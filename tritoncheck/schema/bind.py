"""A tree and a schema to a message: every field that does not fit is a problem, the rest is a `ModelConfig`.

The message is protobuf's own, of the release asked for, so defaults, presence, maps and oneofs are protobuf's
semantics. Follows libprotobuf's `TextFormat::Parser` field by field: what it refuses is a problem here, with the
token it stands at. It knows nothing of what a value means to Triton.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import copysign
from typing import Any

from tritoncheck.schema.advice import homes, nearest
from tritoncheck.schema.descriptors import FieldInfo, MessageInfo, Release, lives, message_info, model_config_class
from tritoncheck.schema.values import Fault, Value, describe, read_scalar
from tritoncheck.textproto import Document, Field, Kind, List, Message, Missing, Node, Problem, Scalar
from tritoncheck.textproto.document import decode

Path = tuple[str | int, ...]

_HOLE, _IDENTIFIER = int(Kind.HOLE), int(Kind.IDENTIFIER)
_NEWEST: Release = (9999,)


@dataclass(slots=True)
class Binding:
    """What came of it: the message, the problems, and the paths of fields whose value is not known."""

    message: Any
    problems: list[Problem] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)


def bind(document: Document, release: Release | None = None) -> Binding:
    """Bind a document to the ModelConfig of a release (None: the newest). Never raises on any document."""
    binding = Binding(model_config_class(release)())
    _Binder(document, binding, release or _NEWEST).message(
        document.root, message_info("ModelConfig", release), binding.message, ()
    )
    if document.root.damaged:
        binding.unknown.append(())
    return binding


class _Binder:
    def __init__(self, document: Document, binding: Binding, release: Release) -> None:
        self.document = document
        self.binding = binding
        self.release = release

    def message(self, node: Message, info: MessageInfo, out: Any, path: Path) -> None:
        """Set the fields of `node` in `out`; `path` leads to it."""
        if node.damaged and path:
            self.binding.unknown.append(path)
        known, counts = info.fields, dict[str, int]()
        skip = -1
        for number, entry in enumerate(node.fields):
            if number == skip:
                continue
            spec = known.get(entry.name)
            if spec is None:
                skip = self._no_field(node, number, info, path)
                continue
            if (spec.since or spec.until) and not lives(spec.since, spec.until, self.release):
                self._not_in_release(entry, spec, info, path)
                continue
            if spec.repeated:
                first = counts.get(entry.name, 0)
                counts[entry.name] = first + self._repeated(entry, spec, out, path, first)
            elif self._may_be_set(entry, spec, out, node, path):
                self._singular(entry, spec, out, path)

    def _singular(self, entry: Field, spec: FieldInfo, out: Any, path: Path) -> None:
        value = entry.value
        if spec.message is not None:
            if type(value) is Message:
                inner = getattr(out, spec.name)
                inner.SetInParent()
                self.message(value, spec.message, inner, (*path, spec.name))
            else:
                self._no_block(entry, value, spec, (*path, spec.name))
            return
        read = self._scalar(entry, value, spec, (*path, spec.name))
        if read is not None:
            setattr(out, spec.name, read)

    def _repeated(self, entry: Field, spec: FieldInfo, out: Any, path: Path, first: int) -> int:
        """Append the values of one field entry; how many there were."""
        value = entry.value
        if type(value) is List:
            items: list[Node] = value.items
            if spec.message is None and not entry.colon:
                self._no_colon(entry, (*path, spec.name))
                return 0
        else:
            items = [value]
        target = getattr(out, spec.name)
        for index, item in enumerate(items):
            if spec.message is None:
                read = self._scalar(entry, item, spec, (*path, spec.name))
                if read is not None:
                    target.append(read)
            elif type(item) is not Message:
                self._no_block(entry, item, spec, (*path, spec.name))
            elif spec.is_map:
                self._map_entry(item, spec.message, target, (*path, spec.name))
            else:
                self.message(item, spec.message, target.add(), (*path, spec.name, first + index))
        return len(items)

    def _map_entry(self, node: Message, info: MessageInfo, target: Any, path: Path) -> None:
        """One `{ key: … value: … }`; a key or value left out is the default, a repeated key overwrites."""
        key_spec, value_spec = info.fields["key"], info.fields["value"]
        entry = _Entry(key_spec, value_spec, target)
        self.message(node, info, entry, path)
        entry.store()

    def _scalar(self, entry: Field, value: Node, spec: FieldInfo, path: Path) -> Value | None:
        if not entry.colon:
            self._no_colon(entry, path)
            return None
        if type(value) is not Scalar:
            self._no_scalar(entry, value, spec, path)
            return None
        read = read_scalar(self.document, value, spec)
        if type(read) is Fault:
            if not self._hole(value, spec, path):
                self._fault(read, value, spec, path)
            return None
        if type(read) is str and spec.enum is not None:
            since, until = spec.enum.since[read], spec.enum.until[read]
            if (since or until) and not lives(since, until, self.release):
                self._value_not_in_release(value, read, spec, path)
                return None
            return spec.enum.values[read]
        return read  # type: ignore[return-value]

    def _may_be_set(self, entry: Field, spec: FieldInfo, out: Any, node: Message, path: Path) -> bool:
        """Whether a singular field is still free: libprotobuf refuses a second value, or a second oneof member.

        A proto3 scalar has no presence, so a first value that equals the default does not count (`-0.0` does
        not equal it); the two fields of a map entry have.
        """
        if type(out) is _Entry:
            taken = out.claim(spec.name)
        elif spec.message is not None or spec.oneof is not None:
            taken = out.HasField(spec.name)
        else:
            before = getattr(out, spec.name)
            taken = bool(before) or (type(before) is float and copysign(1.0, before) < 0)
        if taken:
            server = f'Non-repeated field "{spec.name}" is specified multiple times.'
            message = f"`{spec.name}` is given a second time; Triton does not merge the two"
            self._second(entry, spec.name, node, "duplicate-field", message, server, path)
            return False
        if spec.oneof is not None:
            other = out.WhichOneof(spec.oneof)
            if other is not None:
                server = (
                    f'Field "{spec.name}" is specified along with field "{other}", another member of oneof '
                    f'"{spec.oneof}".'
                )
                message = f"`{spec.name}` and `{other}` exclude each other"
                self._second(entry, other, node, "second-oneof", message, server, path)
                return False
        return True

    def _second(
        self, entry: Field, other: str, node: Message, kind: str, message: str, server: str, path: Path
    ) -> None:
        first = next(one for one in node.fields if one.name == other)
        start = self.document.tokens.starts[first.token]
        related = ((start, start + len(other), "first given here"),)
        self._add(kind, entry.token, entry.token, message, server, entry.token + 1, (*path, other))
        self.binding.problems[-1].related = related
        self.binding.unknown.append((*path, entry.name))

    def _no_field(self, node: Message, number: int, info: MessageInfo, path: Path) -> int:
        """A name that the message lacks; the number of a following field that belongs to it, else -1."""
        entry, names = node.fields[number], list(info.fields)
        follower = node.fields[number + 1] if number + 1 < len(node.fields) else None
        joined = f"{entry.name}_{follower.name}" if follower and type(entry.value) is Missing else ""
        server = f'Message type "inference.{info.name}" has no field named "{entry.name}".'
        if joined in names:
            message, advice, last = (
                f"`{entry.name} {follower.name}`: no such field in `{info.name}`",
                f"write `{joined}`",
                follower.token,
            )  # type: ignore[union-attr]
        else:
            joined, last = "", entry.token
            message, advice = f"`{entry.name}`: no such field in `{info.name}`", ""
            near = nearest(entry.name, names)
            at_home = [home for home in homes(entry.name, message_info()) if home != ".".join(map(str, path))]
            if near:
                message += f"; did you mean `{near}`?"
                advice = f"write `{near}`"
            elif at_home:
                advice = f"`{entry.name}` belongs into `{at_home[0]} {{ … }}`"
            else:
                advice = f"fields of `{info.name}`: {', '.join(names)}" if len(names) < 12 else ""
        self._add("unknown-field", entry.token, last, message, server, entry.token + 1, path, advice)
        self.binding.unknown.append((*path, joined or nearest(entry.name, names) or entry.name))
        return number + 1 if joined else -1

    def _not_in_release(self, entry: Field, spec: FieldInfo, info: MessageInfo, path: Path) -> None:
        server = f'Message type "inference.{info.name}" has no field named "{entry.name}".'
        kind, message, advice = _age(f"`{spec.name}`", spec.since, spec.until, self.release)
        self._add(kind, entry.token, entry.token, message, server, entry.token + 1, (*path, spec.name), advice)

    def _value_not_in_release(self, value: Scalar, name: str, spec: FieldInfo, path: Path) -> None:
        assert spec.enum is not None
        server = f'Unknown enumeration value of "{name}" for field "{spec.name}".'
        since, until = spec.enum.since[name], spec.enum.until[name]
        kind, message, advice = _age(f"`{name}`", since, until, self.release)
        self._add(kind, value.first, value.last, message, server, value.first + 1, path, advice)

    def _no_colon(self, entry: Field, path: Path) -> None:
        at = entry.token + 1
        server = f'Expected ":", found "{self.document.token(at)}".'
        if type(entry.value) is Missing:
            message, advice = f"`{entry.name}` has no value", f"write `{entry.name}: …`"
        else:
            message, advice = f"`:` is missing behind `{entry.name}`", f"write `{entry.name}:`"
        self._add("syntax", entry.token, entry.token, message, server, at, path, advice)

    def _no_block(self, entry: Field, value: Node, spec: FieldInfo, path: Path) -> None:
        """Something other than `{ … }` where a message is due."""
        if type(value) is Scalar and self._hole(value, spec, path):
            return
        at = value.first
        server = f'Expected "{{", found "{self.document.token(at)}".'
        if type(value) is Missing:
            message = f"`{entry.name}` has no value"
            self._add("syntax", entry.token, entry.token, message, server, at, path, f"write `{entry.name} {{ … }}`")
            return
        what = "one block, not a list" if type(value) is List else "a block"
        message, advice = f"`{entry.name}` takes {what}", f"write `{entry.name} {{ … }}`"
        self._add("wrong-type", at, value.last, message, server, at, path, advice)

    def _no_scalar(self, entry: Field, value: Node, spec: FieldInfo, path: Path) -> None:
        expected = {"string": "string", "bool": "identifier", "enum": "integer or identifier"}.get(spec.kind, "integer")
        expected = "double" if spec.kind in ("float", "double") else expected
        at = value.first
        server = f"Expected {expected}, got: {self.document.token(at)}"
        if type(value) is Missing:
            message, advice = f"the value of `{entry.name}` is missing", f"write {describe(spec)}"
            token = max(value.last, entry.token)
            self._add("syntax", token, token, message, server, at, path, advice)
            return
        what = "a list" if type(value) is List else "a block"
        many = " and is not repeated" if type(value) is List and not spec.repeated else ""
        message = f"`{entry.name}` takes {describe(spec)}{many}, not {what}"
        self._add("wrong-type", at, at, message, server, at, path, f"write {describe(spec)}")

    def _hole(self, value: Scalar, spec: FieldInfo, path: Path) -> bool:
        """Report an unfilled placeholder in place of a value; False where the value is none."""
        document = self.document
        kind, text = document.tokens.kinds[value.first], document.token(value.first)
        bare = (
            document.lenient
            and kind == _IDENTIFIER
            and spec.enum is None
            and spec.kind != "bool"
            and len(text) > 1
            and text.isupper()
        )
        if kind != _HOLE and not bare:
            return False
        message = f"`{decode(text)}` is not filled in: `{spec.name}` must get {describe(spec)}"
        self._add("placeholder", value.first, value.last, message, "", -1, path, "render the template before use")
        return True

    def _fault(self, fault: Fault, value: Scalar, spec: FieldInfo, path: Path) -> None:
        message, advice = fault.message, fault.help
        if fault.kind == "enum-value" and spec.enum is not None:
            values = [
                name for name in spec.enum.values if lives(spec.enum.since[name], spec.enum.until[name], self.release)
            ]
            near = _nearest_value(self.document.token(value.first), values)
            message += f"; did you mean `{near}`?" if near else ""
            advice = f"allowed: {', '.join(values)}"
        self._add(fault.kind, value.first, value.last, message, fault.server_text, fault.token, path, advice)

    def _add(
        self, kind: str, first: int, last: int, message: str, server: str, token: int, path: Path, advice: str = ""
    ) -> None:
        tokens = self.document.tokens
        start, end = tokens.starts[first], tokens.ends[max(first, last)]
        problem = Problem(kind, start, end, message, advice, token, server_text=server, layer=1, path=path)
        self.binding.problems.append(problem)
        self.binding.unknown.append(path)


class _Entry:
    """A map entry being read: looks like a message with `key` and `value`, ends in the map."""

    def __init__(self, key: FieldInfo, value: FieldInfo, target: Any) -> None:
        self._target = target
        self.key: Any = "" if key.kind == "string" else 0
        self._is_message = value.message is not None
        self.value: Any = type(target).GetEntryClass(target)().value if self._is_message else ""
        self._given: set[str] = set()

    def claim(self, name: str) -> bool:
        """Whether the field was given before; from now on it was."""
        before = name in self._given
        self._given.add(name)
        return before

    def store(self) -> None:
        """Put the entry into the map; a key that is there already is replaced."""
        if self._is_message:
            self._target[self.key].CopyFrom(self.value)
        else:
            self._target[self.key] = self.value


def _age(what: str, since: Release | None, until: Release | None, release: Release) -> tuple[str, str, str]:
    shown = ".".join(f"{part:02}" for part in release)
    if since is not None and release < since:
        first = ".".join(f"{part:02}" for part in since)
        return (
            "too-new",
            f"{what} exists since release {first}; a {shown} server does not know it",
            (f"use {first} or newer, or delete it"),
        )
    last = ".".join(f"{part:02}" for part in until or ())
    return "removed", f"{what} was removed after release {last}", "delete it"


def _nearest_value(text: str, values: list[str]) -> str | None:
    """The enum value that was meant: `TYPE_FLOAT32` is `TYPE_FP32`, `fp16` is `TYPE_FP16`."""
    upper = text.upper()
    prefix = values[0].split("_")[0] + "_" if values else ""
    plain = upper.removeprefix(prefix).replace("FLOAT", "FP").replace("DOUBLE", "FP64").replace("HALF", "FP16")
    plain = {"FP": "FP32", "INT": "INT32", "LONG": "INT64", "BYTES": "STRING", "BFLOAT16": "BF16", "BFP16": "BF16"}.get(
        plain, plain
    )
    if prefix + plain in values:
        return prefix + plain
    return nearest(text, values)
