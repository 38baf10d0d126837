"""The schema table against its sources: the newest wheel, and what is known of the release branches."""

from __future__ import annotations

import ast
import importlib.metadata
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto

from tritoncheck.schema import descriptors
from tritoncheck.schema.descriptors import (
    MessageInfo,
    file_descriptor,
    lives,
    message_info,
    model_config_class,
    parse_release,
)

SCHEMA = Path(descriptors.__file__).parent
TABLE: dict[str, Any] = json.loads((SCHEMA / "modelconfig.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = json.loads((SCHEMA.parent / "data" / "releases.json").read_text(encoding="utf-8"))
RELEASES = [{"tag": row["tag"], "triton": row["triton"]} for row in ROWS]
TAGS = [release["tag"] for release in RELEASES]

# The first release branch of github.com/triton-inference-server/{server,common} whose model_config.proto has
# it; of a new message only the fields that use it.
ADDED = {
    "20.07": """
        ModelConfig.backend ModelConfig.model_operations ModelConfig.model_transaction_policy
        ModelOptimizationPolicy.Cuda.busy_wait_events""",
    "20.09": """
        ModelConfig.batch_input ModelConfig.batch_output ModelOptimizationPolicy.Cuda.graph_spec
        ModelOptimizationPolicy.Cuda.allow_inexact_match""",
    "20.10": "ModelOptimizationPolicy.Cuda.GraphSpec.graph_lower_bound",
    "20.11": """
        ModelInstanceGroup.rate_limiter ModelSequenceBatching.StrategyDirect.max_queue_delay_microseconds
        ModelSequenceBatching.StrategyDirect.minimum_slot_utilization""",
    "21.03": """
        ModelConfig.model_repository_agents ModelOptimizationPolicy.Cuda.output_copy_stream
        ModelOptimizationPolicy.eager_batching ModelOptimizationPolicy.gather_kernel_buffer_threshold""",
    "21.06": """
        ModelInstanceGroup.secondary_devices ModelInstanceGroup.host_policy ModelInstanceGroup.passive""",
    "21.09": "ModelSequenceBatching.Control.bool_false_true",
    "21.10": "ModelConfig.response_cache",
    "21.11": "ModelSequenceBatching.state",
    "22.01": "ModelInput.optional ModelSequenceBatching.State.initial_state",
    "22.03": "BatchInput.Kind.BATCH_ITEM_SHAPE BatchInput.Kind.BATCH_ITEM_SHAPE_FLATTEN",
    "22.05": "DataType.TYPE_BF16",
    "22.07": "ModelWarmup.count",
    "23.03": "ModelEnsembling.Step.model_namespace",
    "23.08": "ModelSequenceBatching.StrategyOldest.preserve_ordering",
    "23.11": """
        ModelSequenceBatching.State.use_growable_memory ModelSequenceBatching.iterative_sequence
        ModelSequenceBatching.State.use_same_buffer_for_input_output""",
    "24.01": "ModelConfig.runtime",
    "24.08": "ModelInput.is_non_linear_format_io ModelOutput.is_non_linear_format_io",
    "24.11": "ModelConfig.model_metrics",
    "25.11": "ModelEnsembling.max_inflight_requests",
}
WIDENED = {
    "ModelDynamicBatching": ("priority_levels", "default_priority_level"),
    "ModelDynamicBatching.PriorityQueuePolicyEntry": ("key",),
}


def published() -> FileDescriptorProto:
    """The file in the installed tritonclient, which must be the newest that the table knows."""
    client = importlib.metadata.distribution("tritonclient")
    assert client.version == TABLE["newest"]["triton"], "run scripts/make_schema.py"
    source = Path(str(client.locate_file("tritonclient/grpc/model_config_pb2.py"))).read_text(encoding="utf-8")
    constants = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    serialized = max((value for value in constants if isinstance(value, bytes)), key=len)
    return FileDescriptorProto.FromString(serialized)


def sort_fields(messages: Any) -> None:
    for message in messages:
        message.field.sort(key=lambda field: field.number)
        sort_fields(message.nested_type)


def test_the_newest_is_what_triton_publishes() -> None:
    theirs, ours = published(), file_descriptor()
    sort_fields(theirs.message_type)
    assert names(ours) == names(theirs)
    assert str(ours) == str(theirs)
    assert ours == theirs


def messages_in(parent: FileDescriptorProto | DescriptorProto, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """All messages by full name."""
    for message in parent.nested_type if isinstance(parent, DescriptorProto) else parent.message_type:
        yield f"{prefix}{message.name}", message
        yield from messages_in(message, f"{prefix}{message.name}.")


def enums_in(file: FileDescriptorProto) -> Iterator[tuple[str, Any]]:
    """All enums by full name."""
    yield from ((enum.name, enum) for enum in file.enum_type)
    for name, message in messages_in(file):
        yield from ((f"{name}.{enum.name}", enum) for enum in message.enum_type)


def names(file: FileDescriptorProto) -> tuple[set[str], set[str]]:
    """The full names of all types, and those of all their fields and enum values."""
    messages, enums = dict(messages_in(file)), dict(enums_in(file))
    fields = {f"{name}.{field.name}" for name, message in messages.items() for field in message.field}
    values = {f"{name}.{value.name}" for name, enum in enums.items() for value in enum.value}
    return set(messages) | set(enums), fields | values


@pytest.mark.parametrize(("before", "tag"), list(pairwise(TAGS)))
def test_each_release_adds_what_its_branch_adds(before: str, tag: str) -> None:
    old_types, old = names(file_descriptor(parse_release(before)))
    _, new = names(file_descriptor(parse_release(tag)))
    added = {name for name in new - old if name.rpartition(".")[0] in old_types}
    assert added == set(ADDED.get(tag, "").split())
    assert old - new == ({"ModelOptimizationPolicy.Cuda.allow_inexact_match"} if before == "20.09" else set())


def test_the_oldest_release_has_what_was_always_there() -> None:
    base = message_info(release=(20, 3)).fields
    for name in ("name", "platform", "max_batch_size", "input", "optimization", "model_warmup"):
        assert base[name].since is None
        assert base[name].until is None
    batching = message_info("ModelDynamicBatching", (20, 3)).fields
    assert batching["default_queue_policy"].since is None


@pytest.mark.parametrize("tag", TAGS)
def test_every_release_has_a_class(tag: str) -> None:
    config = model_config_class(parse_release(tag))
    assert config is model_config_class(parse_release(tag))
    text_format.Parse("", config())
    text_format.Parse('name: "m" input { name: "i" data_type: TYPE_FP32 dims: [ 1 ] }', config())


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('backend: "python"', "20.07"),
        ("optimization { cuda { graph_spec { batch_size: 1 } } }", "20.09"),
        ("response_cache { enable: true }", "21.10"),
        ("input { data_type: TYPE_BF16 }", "22.05"),
        ("dynamic_batching { priority_levels: 4294967296 }", "23.07"),
        ("dynamic_batching { priority_queue_policy { key: 4294967296 } }", "23.07"),
        ('runtime: ""', "24.01"),
    ],
)
def test_text_parses_from_its_first_release_on(text: str, first: str) -> None:
    text_format.Parse(text, model_config_class(parse_release(first))())
    text_format.Parse(text, model_config_class()())
    before = TAGS[TAGS.index(first) - 1]
    with pytest.raises(text_format.ParseError):
        text_format.Parse(text, model_config_class(parse_release(before))())


def test_inexact_match_lived_in_one_release() -> None:
    field = message_info("ModelOptimizationPolicy.Cuda").fields["allow_inexact_match"]
    assert (field.since, field.until) == ((20, 9), (20, 9))
    text = "optimization { cuda { allow_inexact_match: true } }"
    for tag in TAGS:
        config = model_config_class(parse_release(tag))()
        if tag == "20.09":
            text_format.Parse(text, config)
        else:
            with pytest.raises(text_format.ParseError):
                text_format.Parse(text, config)


@pytest.mark.parametrize(("release", "kind"), [((23, 6), "uint32"), ((23, 7), "uint64"), (None, "uint64")])
def test_priorities_were_widened(release: tuple[int, ...] | None, kind: str) -> None:
    for message, fields in WIDENED.items():
        for name in fields:
            field = message_info(message, release).fields[name]
            assert (field.kind, field.since, field.until) == (kind, None, None)


def test_point_releases_and_releases_out_of_range() -> None:
    assert model_config_class((20, 3, 1)) is model_config_class((20, 3))
    assert model_config_class((21, 6, 1)) is model_config_class((21, 6))
    assert model_config_class((19, 1)) is model_config_class((20, 3))
    assert model_config_class((99, 1)) is model_config_class()
    assert parse_release("20.03.1") == (20, 3, 1)
    assert lives(None, (20, 9), (20, 9, 1))
    assert not lives(None, (20, 9), (20, 10))
    assert not lives((20, 9), None, (20, 8, 2))


def walk(message: MessageInfo) -> Iterator[MessageInfo]:
    yield message
    for field in message.fields.values():
        if field.message is not None:
            yield from walk(field.message)


@pytest.mark.parametrize("tag", TAGS)
def test_the_records_say_what_the_descriptor_says(tag: str) -> None:
    release = parse_release(tag)
    file = file_descriptor(release)
    messages, enums = dict(messages_in(file)), dict(enums_in(file))
    for message in walk(message_info(release=release)):
        living = [field for field in message.fields.values() if lives(field.since, field.until, release)]
        descriptor = messages.get(message.name, DescriptorProto())
        assert message.is_map_entry == descriptor.options.map_entry or message.name not in messages
        assert {field.name for field in living} == {field.name for field in descriptor.field}
        for ours, theirs in ((one, two) for one in living for two in descriptor.field if one.name == two.name):
            assert ours.number == theirs.number
            assert f"TYPE_{ours.kind.upper()}" == theirs.Type.Name(theirs.type)
            assert ours.repeated == (theirs.label == theirs.LABEL_REPEATED)
            assert ours.oneof == (
                descriptor.oneof_decl[theirs.oneof_index].name if theirs.HasField("oneof_index") else None
            )
            named = ours.message or ours.enum
            assert (f".inference.{named.name}" if named else "") == theirs.type_name
            assert ours.is_map == (ours.message is not None and messages[ours.message.name].options.map_entry)
            if ours.enum:
                assert {value.name: value.number for value in enums[ours.enum.name].value} == {
                    value: number
                    for value, number in ours.enum.values.items()
                    if lives(ours.enum.since[value], ours.enum.until[value], release)
                }


def test_an_unknown_message_is_an_error() -> None:
    with pytest.raises(KeyError):
        message_info("NoSuchMessage")


def test_the_table_covers_every_release_and_names_its_gaps() -> None:
    assert [{"tag": one["tag"], "triton": one["triton"]} for one in TABLE["wheels"]] == RELEASES
    assert sorted(TAGS, key=parse_release) == TAGS
    read = [one["tag"] for one in TABLE["wheels"] if one["read"]]
    assert read[0] == "20.09"
    assert TABLE["newest"]["tag"] == read[-1]


def test_every_life_begins_and_ends_at_a_change() -> None:
    following = dict(pairwise(TAGS))
    for record in records(TABLE["messages"]) + records(TABLE["enums"]):
        assert record["since"] in {None, *TABLE["changes"]}
        assert record["until"] is None or following[record["until"]] in TABLE["changes"]


def records(node: Any) -> list[dict[str, Any]]:
    """All in the table that has a life: messages, enums, fields, values and variants of fields."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    below = [record for child in children for record in records(child)]
    return [node, *below] if isinstance(node, dict) and "since" in node else below
