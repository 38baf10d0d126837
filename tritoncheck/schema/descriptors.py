"""What Triton's ModelConfig looks like in each release.

A server reads config.pbtxt with the schema of its own release and refuses the model for a field that this
schema lacks. The schemas of all releases are one table, modelconfig.json (scripts/make_schema.py makes it and
names its sources). This module gives two views of it: records of all that ever was in the schema, for a
binder that says "too new" or "removed", and protobuf's own message class of one release.

It must not know how a text is spelt, where in a file something stands, or what a value means. Only the second
view needs protobuf, which is slow to import; therefore it is imported there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
    from google.protobuf.message import Message

Release = tuple[int, ...]  # a tag to compare by: `24.01` is (24, 1), `20.03.1` is (20, 3, 1)
Record = dict[str, Any]


class EnumInfo(NamedTuple):
    """All values that an enum ever had, and per value the first and last release that has it.

    steady: the values that every known release has.
    """

    name: str
    values: Mapping[str, int]
    since: Mapping[str, Release | None]
    until: Mapping[str, Release | None]
    steady: Mapping[str, int]


class FieldInfo(NamedTuple):
    """One field; `kind` is its protobuf type, and where that is "message" or "enum", this says which.

    since: the first release that has it, None if the oldest known one does. until: the last, None if none is.
    A map is a repeated message whose message is its entry, with the fields `key` and `value`.
    """

    name: str
    number: int
    kind: str
    repeated: bool
    is_map: bool
    message: MessageInfo | None
    enum: EnumInfo | None
    oneof: str | None
    since: Release | None
    until: Release | None


@dataclass(frozen=True, eq=False)
class MessageInfo:
    """A message, by its full name without package, with its fields as the release `schema` has them."""

    name: str
    is_map_entry: bool
    schema: Release

    @cached_property
    def fields(self) -> Mapping[str, FieldInfo]:
        """All fields that the message ever had, by name, made when first asked for."""
        records: dict[str, Record] = _table()["messages"][self.name]["fields"]
        return {field: _field(field, record, self.schema) for field, record in records.items()}


def parse_release(tag: str) -> Release:
    """`20.03.1` as (20, 3, 1); ValueError for what is no tag."""
    return tuple(int(part) for part in tag.split("."))


def lives(since: Release | None, until: Release | None, release: Release) -> bool:
    """Whether `release` has a thing of this life; a point release has what the release it amends has."""
    return (since is None or since <= release) and (until is None or release[: len(until)] <= until)


def message_info(name: str = "ModelConfig", release: Release | None = None) -> MessageInfo:
    """A message as seen from a release (None: the newest). It holds what this release lacks, too.

    The release matters only where a field changed: up to 23.06 some priorities are uint32, since then uint64.
    """
    return _message(name, _schema_of(release))


def file_descriptor(release: Release | None = None, *, whole: bool = False) -> FileDescriptorProto:
    """model_config.proto of a release (None: the newest), without its comments.

    whole: with every message and field that there ever was; those which this release lacks have numbers of our own.
    """
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    schema = _schema_of(release)
    file = FileDescriptorProto(name="model_config.proto", package="inference", syntax="proto3")
    made: dict[str, DescriptorProto] = {}
    for name, record in _table()["messages"].items() if whole else _living(_table()["messages"], schema):
        parent, _, own = name.rpartition(".")
        made[name] = (made[parent].nested_type if parent else file.message_type).add(name=own)
        if record.get("map_entry"):
            made[name].options.map_entry = True
        for field, newest in _living(record["fields"], schema):
            _add_field(made[name], field, _form(newest, schema))
        lacking = [field for field in record["fields"] if whole and not lives(*_life(record["fields"][field]), schema)]
        for number, field in enumerate(lacking, _OWN_NUMBERS):
            _add_field(made[name], field, _form(record["fields"][field], schema) | {"number": number})
    for name, record in _table()["enums"].items() if whole else _living(_table()["enums"], schema):
        parent, _, own = name.rpartition(".")
        enum = (made[parent] if parent else file).enum_type.add(name=own)
        for value, form in _living(record["values"], schema):
            enum.value.add(name=value, number=form["number"])
        lacking = [value for value in record["values"] if whole and value not in [one.name for one in enum.value]]
        for number, value in enumerate(lacking, _OWN_NUMBERS if enum.value else 0):
            enum.value.add(name=value, number=number)
    return file


def model_config_class(release: Release | None = None) -> type[Message]:
    """The message class of ModelConfig in a release (None: the newest), made once per distinct schema."""
    return _class(_schema_of(release), False)


def whole_config_class(release: Release | None = None) -> type[Message]:
    """The same with the fields of every release, so that whoever reads a message need not ask which there are."""
    return _class(_schema_of(release), True)


def _add_field(message: DescriptorProto, name: str, form: Record) -> None:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto

    field = message.field.add(name=name, number=form["number"])
    field.type = FieldDescriptorProto.Type.Value("TYPE_" + form["type"].upper())
    field.label = FieldDescriptorProto.Label.Value("LABEL_" + form["label"].upper())
    if "type_name" in form:
        field.type_name = f".inference.{form['type_name']}"
    if "deprecated" in form:
        field.options.deprecated = True
    if "oneof" in form:
        if form["oneof"] not in [oneof.name for oneof in message.oneof_decl]:
            message.oneof_decl.add(name=form["oneof"])
        field.oneof_index = [oneof.name for oneof in message.oneof_decl].index(form["oneof"])


# Above all numbers of model_config.proto.
_OWN_NUMBERS = 10_000


@cache
def _class(schema: Release, whole: bool) -> type[Message]:
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    pool = DescriptorPool()
    pool.AddSerializedFile(file_descriptor(schema, whole=whole).SerializeToString())
    return GetMessageClass(pool.FindMessageTypeByName("inference.ModelConfig"))


@cache
def _message(name: str, schema: Release) -> MessageInfo:
    return MessageInfo(name, _table()["messages"][name].get("map_entry", False), schema)


def _field(name: str, record: Record, schema: Release) -> FieldInfo:
    form, (since, until) = _form(record, schema), _life(record)
    number, kind, repeated = form["number"], form["type"], form["label"] == "repeated"
    message = _message(form["type_name"], schema) if kind == "message" else None
    enum = _enum(form["type_name"]) if kind == "enum" else None
    is_map = message is not None and message.is_map_entry
    return FieldInfo(name, number, kind, repeated, is_map, message, enum, form.get("oneof"), since, until)


@cache
def _enum(name: str) -> EnumInfo:
    records: dict[str, Record] = _table()["enums"][name]["values"]
    return EnumInfo(
        name,
        values={value: record["number"] for value, record in records.items()},
        since={value: _life(record)[0] for value, record in records.items()},
        until={value: _life(record)[1] for value, record in records.items()},
        steady={value: record["number"] for value, record in records.items() if _life(record) == (None, None)},
    )


@cache
def _schema_of(release: Release | None) -> Release:
    """The release with which the schema of `release` began; the oldest known one for what is older still."""
    began = [parse_release(tag) for tag in _table()["changes"]]
    return max((one for one in began if release is None or one <= release), default=began[0])


def _form(record: Record, schema: Release) -> Record:
    """What a field is in a schema; what it was at last where the schema lacks it."""
    return next((one for one in record.get("variants", ()) if lives(*_life(one), schema)), record)


def _living(records: dict[str, Record], schema: Release) -> Iterator[tuple[str, Record]]:
    return ((name, record) for name, record in records.items() if lives(*_life(record), schema))


def _life(record: Record) -> tuple[Release | None, Release | None]:
    since, until = record["since"], record["until"]
    return since and parse_release(since), until and parse_release(until)


@cache
def _table() -> Record:
    table: Record = json.loads(Path(__file__).with_name("modelconfig.json").read_text(encoding="utf-8"))
    return table
