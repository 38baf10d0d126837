"""A tree and a schema to a message: every field that does not fit is a problem, the rest is a `ModelConfig`.

The message is protobuf's own, in the form of the release asked for (what that one lacks is never set), so defaults,
presence, maps and oneofs are protobuf's semantics. Follows libprotobuf's `TextFormat::Parser` field by field: what it
refuses is a problem here, with the token it stands at. It knows nothing of what a value means to Triton.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import copysign
from typing import Any

from tritoncheck.schema.descriptors import FieldInfo, MessageInfo, Release, lives, message_info, whole_config_class
from tritoncheck.schema.misfits import Misfits, Path
from tritoncheck.schema.values import READERS, Fault, Value
from tritoncheck.textproto import Document, Field, List, Message, Node, Problem, Scalar

_NEWEST: Release = (9999,)


@dataclass(slots=True)
class Binding:
    """What came of it: the message, the problems, and the paths of fields whose value is not known.

    A path of `()` means that any field may have been meant to be there.
    """

    message: Any
    problems: list[Problem] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)


def bind(document: Document, release: Release | None = None) -> Binding:
    """Bind a document to the ModelConfig of a release (None: the newest). Never raises on any document."""
    message = whole_config_class(release)()
    misfits = Misfits(document, release or _NEWEST)
    if document.root.damaged:
        misfits.hide(())
    _Binder(document, misfits).message(document.root, message_info("ModelConfig", release), message, ())
    return Binding(message, misfits.faults.summary(), misfits.unknown)


class _Binder:
    """The walk over the tree; `path` is always that of the message at hand."""

    def __init__(self, document: Document, misfits: Misfits) -> None:
        self.tokens = document.tokens
        self.misfits = misfits
        self.release = misfits.release

    def message(self, node: Message, info: MessageInfo, out: Any, path: Path) -> None:
        """Set the fields of `node` in `out`."""
        if node.damaged and path:
            self.misfits.hide(path)
        known, counts = info.fields, dict[str, int]()
        entries, number = node.fields, 0
        while number < len(entries):
            entry = entries[number]
            number += 1
            spec = known.get(entry.name)
            if spec is None:
                number, guess = self.misfits.no_field(node, number - 1, info, path)
                if guess is None or counts.get(guess.name) and not known[guess.name].repeated:
                    continue
                entry, spec = guess, known[guess.name]
            name = entry.name
            if (spec.since or spec.until) and not lives(spec.since, spec.until, self.release):
                self.misfits.not_in_release(entry, spec, info, path)
                continue
            given = counts.get(name, 0)
            if spec.repeated:
                counts[name] = given + self._repeated(entry, spec, out, path, given)
                continue
            if (given or spec.oneof in counts) and self._is_taken(node, entry, spec, out, path):
                continue
            counts[name] = 1
            if spec.oneof is not None:
                counts[spec.oneof] = 1
            value = entry.value
            if spec.message is None:
                read = self._scalar(entry, value, spec, path)
                if read is not None:
                    setattr(out, name, read)
            elif type(value) is Message:
                inner = getattr(out, name)
                inner.SetInParent()
                self.message(value, spec.message, inner, (*path, name))
            else:
                self.misfits.no_block(entry, value, spec, path)

    def _repeated(self, entry: Field, spec: FieldInfo, out: Any, path: Path, given: int) -> int:
        """Append the values of one field entry, before which `given` were given; how many there were."""
        value = entry.value
        items: list[Node] = [value]
        if type(value) is List:
            if spec.message is None and not entry.colon:
                self.misfits.no_colon(entry, spec, path)
                return 0
            items = value.items
        target = getattr(out, spec.name)
        if spec.message is None:
            values = [self._scalar(entry, item, spec, path) for item in items]
            target.extend([value for value in values if value is not None])
            return len(items)
        for index, item in enumerate(items, given):
            if type(item) is not Message:
                self.misfits.no_block(entry, item, spec, path)
            elif spec.is_map:
                self._map_entry(item, spec.message, target, (*path, spec.name), index)
            else:
                self.message(item, spec.message, target.add(), (*path, spec.name, index))
        return len(items)

    def _map_entry(self, node: Message, info: MessageInfo, target: Any, path: Path, index: int) -> None:
        """One `{ key: … value: … }`; a key or value left out is the default, a repeated key overwrites."""
        entry = _Entry(info, target)
        key = next((one.value for one in node.fields if one.name == "key" and type(one.value) is Scalar), None)
        spec = info.fields["key"]
        read = READERS[spec.kind](self.tokens, key, spec) if key is not None else ""
        self.message(node, info, entry, (*path, read if type(read) is str else index))
        entry.store()

    def _scalar(self, entry: Field, value: Node, spec: FieldInfo, path: Path) -> Value | None:
        if not entry.colon:
            self.misfits.no_colon(entry, spec, path)
            return None
        if type(value) is not Scalar:
            self.misfits.no_scalar(entry, value, spec, path)
            return None
        read = READERS[spec.kind](self.tokens, value, spec)
        if type(read) is Fault:
            self.misfits.wrong_scalar(read, value, spec, path)
            return None
        if spec.enum is not None and type(read) is str:
            if not lives(spec.enum.since[read], spec.enum.until[read], self.release):
                self.misfits.value_not_in_release(value, read, spec, path)
                return None
            return spec.enum.values[read]
        return read  # type: ignore[return-value]

    def _is_taken(self, node: Message, entry: Field, spec: FieldInfo, out: Any, path: Path) -> bool:
        """Whether a value is refused because the field, or another member of its oneof, has one.

        A proto3 scalar has no presence, so a first value that equals the default does not count (`-0.0` does
        not equal it); the two fields of a map entry have.
        """
        if type(out) is _Entry:
            taken = True
        elif spec.message is not None or spec.oneof is not None:
            taken = out.HasField(spec.name)
        else:
            before = getattr(out, spec.name)
            taken = bool(before) or type(before) is float and copysign(1.0, before) < 0
        if taken:
            self.misfits.given_twice(node, entry, path)
            return True
        other = out.WhichOneof(spec.oneof) if spec.oneof is not None else None
        if other is not None:
            self.misfits.exclusive(node, entry, other, spec.oneof, path)  # type: ignore[arg-type]
            return True
        return False


class _Entry:
    """A map entry being read: looks like a message with `key` and `value`, ends in the map."""

    def __init__(self, info: MessageInfo, target: Any) -> None:
        key, value = info.fields["key"], info.fields["value"]
        self._target = target
        self._is_message = value.message is not None
        self.key: Any = "" if key.kind == "string" else 0
        self.value: Any = target.GetEntryClass()().value if self._is_message else ""

    def store(self) -> None:
        """Put the entry into the map; a key that is there already is replaced."""
        if self._is_message:
            self._target[self.key].CopyFrom(self.value)
        else:
            self._target[self.key] = self.value
