"""Write tritoncheck/schema/modelconfig.json: Triton's ModelConfig, release by release.

Triton publishes the schema of each release inside the `tritonclient` wheel of that release, as a serialized
descriptor in generated Python. That code cannot be imported side by side (newer code refuses older protobuf
runtimes, older code uses an API that is gone), so the descriptor is taken out of the source text as data.

Which wheel belongs to which release says tritoncheck/data/releases.json. The output depends on that file
and on the wheels only; a run that finds no new schema changes nothing but the list of wheels.

    python scripts/make_schema.py [--wheels DIR]
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2 as pb

SCHEMA = Path(__file__).resolve().parent.parent / "tritoncheck" / "schema"
SOURCE = (
    "tritonclient/grpc/model_config_pb2.py of the tritonclient wheels on PyPI; before 20.09, the first "
    "wheel, model_config.proto on the release branches of github.com/triton-inference-server/server"
)

# The first wheel is 20.09. What that wheel has and 20.03, the first release that we know, has not, with the
# first release branch of github.com/triton-inference-server/server whose model_config.proto has it. A name
# covers all that is nested in it.
FIRST_BRANCH = {
    "ModelConfig.backend": "20.07",  # r20.07, not yet r20.06
    "ModelConfig.model_operations": "20.07",
    "ModelOperations": "20.07",
    "ModelConfig.model_transaction_policy": "20.07",
    "ModelTransactionPolicy": "20.07",
    "ModelOptimizationPolicy.Cuda.busy_wait_events": "20.07",
    "ModelConfig.batch_input": "20.09",  # r20.09, not yet r20.08
    "BatchInput": "20.09",
    "ModelConfig.batch_output": "20.09",
    "BatchOutput": "20.09",
    "ModelOptimizationPolicy.Cuda.graph_spec": "20.09",
    "ModelOptimizationPolicy.Cuda.GraphSpec": "20.09",
    "ModelOptimizationPolicy.Cuda.allow_inexact_match": "20.09",
}

Record = dict[str, Any]
# "messages" or "enums", full name without package, and for a field or an enum value its own name.
Key = tuple[str, ...]
Snapshot = dict[Key, Record]  # all that one release has, in file order
MEMBERS = {"messages": "fields", "enums": "values"}


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def fetch_wheels(folder: Path) -> None:
    """Download each published wheel that is not in `folder` yet (the pure-Python ones, about 100 kB each)."""
    pip = [sys.executable, "-m", "pip"]
    index = [*pip, "index", "versions", "tritonclient", "--ignore-requires-python"]
    listing = subprocess.run(index, check=True, capture_output=True, text=True).stdout
    published = re.search(r"^\s*Available versions: (.+)$", listing, re.MULTILINE)
    if published is None:
        raise SystemExit("pip lists no version of tritonclient")
    download = [*pip, "download", "--quiet", "--dest", str(folder), "--no-deps", "--ignore-requires-python"]
    for version in published[1].split(", "):
        if not any(folder.glob(f"tritonclient-{version}-*.whl")):
            print(f"fetching {version}", file=sys.stderr)
            wanted = ["--only-binary=:all:", "--platform=any", f"tritonclient=={version}"]
            subprocess.run([*download, *wanted], check=True)


def read_wheels(folder: Path) -> dict[str, pb.FileDescriptorProto]:
    """The ModelConfig file of each wheel by wheel version, oldest first."""
    found = {wheel.name.split("-")[1]: wheel for wheel in sorted(folder.glob("tritonclient-*.whl"))}
    return {version: read_wheel(found[version]) for version in sorted(found, key=numbers)}


def read_wheel(wheel: Path) -> pb.FileDescriptorProto:
    generated = "tritonclient/grpc/model_config_pb2.py"  # in old wheels below `….data/purelib/`
    with zipfile.ZipFile(wheel) as archive:
        sources = [archive.read(name).decode() for name in archive.namelist() if name.endswith(generated)]
    if len(sources) != 1:
        raise SystemExit(f"{wheel.name} holds {len(sources)} {generated}")
    return parse_generated(sources[0])


def parse_generated(source: str) -> pb.FileDescriptorProto:
    """The descriptor in `AddSerializedFile(b'…')` or, from older protoc, in `serialized_pb=_b('…')`."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        given = node.args if called == "AddSerializedFile" else []
        if called == "FileDescriptor":
            given = [keyword.value for keyword in node.keywords if keyword.arg == "serialized_pb"]
        for value in given:
            literal = ast.literal_eval(value.args[0] if isinstance(value, ast.Call) else value)
            # `_b` encodes text as latin-1.
            data = literal.encode("latin-1") if isinstance(literal, str) else literal
            return pb.FileDescriptorProto.FromString(data)
    raise SystemExit("no serialized descriptor in the generated code")


def snapshot(file: pb.FileDescriptorProto) -> Snapshot:
    taken: Snapshot = {}
    for enum in file.enum_type:
        add_enum(taken, enum.name, enum)
    for message in file.message_type:
        add_message(taken, message.name, message, f".{file.package}.")
    return taken


def add_message(taken: Snapshot, name: str, message: pb.DescriptorProto, package: str) -> None:
    taken["messages", name] = {"map_entry": True} if message.options.map_entry else {}
    oneofs = [oneof.name for oneof in message.oneof_decl]
    for field in sorted(message.field, key=lambda field: field.number):
        taken["messages", name, field.name] = field_record(field, oneofs, package)
    for enum in message.enum_type:
        add_enum(taken, f"{name}.{enum.name}", enum)
    for nested in message.nested_type:
        add_message(taken, f"{name}.{nested.name}", nested, package)


def add_enum(taken: Snapshot, name: str, enum: pb.EnumDescriptorProto) -> None:
    taken["enums", name] = {}
    for value in enum.value:
        taken["enums", name, value.name] = {"number": value.number}


def field_record(field: pb.FieldDescriptorProto, oneofs: list[str], package: str) -> Record:
    record: Record = {"number": field.number}
    record["type"] = pb.FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    record["label"] = pb.FieldDescriptorProto.Label.Name(field.label).removeprefix("LABEL_").lower()
    if field.type_name:
        record["type_name"] = field.type_name.removeprefix(package)
    if field.HasField("oneof_index"):
        record["oneof"] = oneofs[field.oneof_index]
    if field.options.deprecated:
        record["deprecated"] = True
    return record


def tag_of(wheel: str, releases: list[Record]) -> str:
    """The release of the same version, else (`2.41.1`, a client fix) of the same minor version."""
    for length in (3, 2):
        for release in releases:
            if numbers(release["triton"])[:length] == numbers(wheel)[:length]:
                return str(release["tag"])
    raise SystemExit(f"wheel {wheel} belongs to no release in releases.json")


def union(taken: Iterable[Snapshot]) -> list[Key]:
    """All keys, in the order of the newest release; what it lacks follows."""
    return list(dict.fromkeys(key for one in reversed(list(taken)) for key in one))


def life(path: str, has: dict[str, bool]) -> Record:
    """First and last release of a thing: null where it was there from the first on, and where it still is."""
    tags = list(has)
    there = [index for index, tag in enumerate(tags) if has[tag]]
    if there != list(range(there[0], there[-1] + 1)):
        raise SystemExit(f"{path} left and came back, which the table cannot say")
    since = tags[there[0]] if there[0] > 0 else None
    if since is None:
        branches = [tag for name, tag in FIRST_BRANCH.items() if path == name or path.startswith(f"{name}.")]
        since = branches[0] if branches else None
    return {"since": since, "until": tags[there[-1]] if tags[there[-1]] != tags[-1] else None}


def history(key: Key, taken: dict[str, Snapshot]) -> Record:
    """The newest form of a thing and its life, and if its form changed all forms with their lives."""
    path = ".".join(key[1:])
    forms = {tag: one.get(key) for tag, one in taken.items()}
    distinct: list[Record] = []
    for form in forms.values():
        if form is not None and form not in distinct:
            distinct.append(form)
    record = {**distinct[-1], **life(path, {tag: form is not None for tag, form in forms.items()})}
    if len(distinct) > 1:
        lives = [life(path, {tag: form == one for tag, form in forms.items()}) for one in distinct]
        record["variants"] = [{**one, **lived} for one, lived in zip(distinct, lives, strict=True)]
    return record


def changes(histories: Iterable[Record], tags: list[str]) -> list[str]:
    """The first release of each distinct schema."""
    lives = [one for record in histories for one in (record, *record.get("variants", ()))]
    first, last = {one["since"] for one in lives}, {one["until"] for one in lives}
    return tags[:1] + [tag for before, tag in pairwise(tags) if tag in first or before in last]


def compose(wheels: dict[str, pb.FileDescriptorProto], releases: list[Record]) -> Record:
    read: dict[str, list[str]] = {release["tag"]: [] for release in releases}
    taken: dict[str, Snapshot] = {}
    for wheel, file in wheels.items():
        tag = tag_of(wheel, releases)
        if taken.setdefault(tag, snapshot(file)) != snapshot(file):
            raise SystemExit(f"the wheels of {tag} disagree: {read[tag]}, {wheel}")
        read[tag].append(wheel)
    table: Record = {"version": 1, "source": SOURCE}
    table["newest"] = next(release for release in reversed(releases) if read[release["tag"]])
    histories = {key: history(key, taken) for key in union(taken.values())}
    table["changes"] = changes(histories.values(), list(read))
    table["wheels"] = [{**release, "read": read[release["tag"]]} for release in releases]
    table |= {"messages": {}, "enums": {}}
    for (kind, name, *member), record in histories.items():
        if member:
            table[kind][name][MEMBERS[kind]][member[0]] = record
        else:
            table[kind][name] = {**record, MEMBERS[kind]: {}}
    return table


def render(table: Record) -> str:
    """JSON, keys in the order of the table, with one field, enum value or wheel a line."""
    parts = {key: json.dumps(value) for key, value in table.items()}
    parts["wheels"] = "[\n" + ",\n".join(f"  {json.dumps(wheel)}" for wheel in table["wheels"]) + "\n ]"
    for kind, members in MEMBERS.items():
        types = {}
        for name, record in table[kind].items():
            head = json.dumps({**record, members: None}).removesuffix("null}")
            inner = {key: json.dumps(one) for key, one in record[members].items()}
            types[name] = f"{head}{spread(inner, 3)}}}"
        parts[kind] = spread(types, 2)
    return spread(parts, 1) + "\n"


def spread(parts: dict[str, str], indent: int) -> str:
    inner = ",\n".join(f'{" " * indent}"{key}": {text}' for key, text in parts.items())
    return f"{{\n{inner}\n{' ' * (indent - 1)}}}" if parts else "{}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write tritoncheck/schema/modelconfig.json.")
    parser.add_argument("--wheels", type=Path, help="keep the wheels here; fetch only those that are missing")
    kept: Path | None = parser.parse_args().wheels
    with tempfile.TemporaryDirectory() as temporary:
        folder = kept or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        fetch_wheels(folder)
        wheels = read_wheels(folder)
    table = json.loads((SCHEMA.parent / "data" / "releases.json").read_text(encoding="utf-8"))
    releases = [{"tag": row["tag"], "triton": row["triton"]} for row in table]
    (SCHEMA / "modelconfig.json").write_text(render(compose(wheels, releases)), encoding="utf-8")


if __name__ == "__main__":
    main()
