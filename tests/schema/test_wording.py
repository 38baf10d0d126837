"""What a person is told of a field that does not fit: what is wrong, and what to write instead."""

from __future__ import annotations

import pytest

from tritoncheck.schema.advice import exact_value, homes, nearest, nearest_value
from tritoncheck.schema.bind import bind
from tritoncheck.schema.descriptors import message_info
from tritoncheck.textproto import parse


def told(text: str, release: tuple[int, ...] | None = None) -> list[str]:
    """All faults: kind, message and help."""
    document = parse(text.encode(), lenient=True)
    faults = document.problems + bind(document, release).problems
    return [
        f"{one.kind}: {one.message}{one.help and f' | {one.help}'}" for one in sorted(faults, key=lambda p: p.start)
    ]


DATA_TYPES = ", ".join(message_info("ModelInput").fields["data_type"].enum.values)  # type: ignore[union-attr]
RENDER = "render the template before use"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("input { data_typ: TYPE_FP32 }",
         "unknown-field: `data_typ`: no such field in `ModelInput`; did you mean `data_type`? | write `data_type`"),
        ("maxBatchSize: 8",
         "unknown-field: `maxBatchSize`: no such field in `ModelConfig`; did you mean `max_batch_size`?"
         " | write `max_batch_size`"),
        ("max-batch-size: 8",
         "unknown-field: `max-batch-size`: no such field in `ModelConfig`; did you mean `max_batch_size`?"
         " | write `max_batch_size`"),
        ("sequence batching { }",
         "unknown-field: `sequence batching`: no such field in `ModelConfig` | write `sequence_batching`"),
        ("dims: [ 1 ]",
         "unknown-field: `dims`: no such field in `ModelConfig` | `dims` belongs into `input { … }` or `output { … }`"),
        ("optimization { graphs: true }",
         "unknown-field: `graphs`: no such field in `ModelOptimizationPolicy`"
         " | `graphs` belongs into `optimization.cuda { … }`"),
        ("input { max_batch_size: 8 }",
         "unknown-field: `max_batch_size`: no such field in `ModelInput`"
         " | `max_batch_size` belongs at the top level, outside of every block"),
        ("version_policy { everything { } }",
         "unknown-field: `everything`: no such field in `ModelVersionPolicy` | it has: latest, all, specific"),
        ("it was a dark night\nname: 'a'", "unknown-field: `it was a dark night`: no such field in `ModelConfig`"),
        ("input { data_type: TYPE_FLOAT }",
         f"enum-value: `TYPE_FLOAT` is no value of `DataType`; did you mean `TYPE_FP32`? | allowed: {DATA_TYPES}"),
        ("instance_group { kind: gpu }",
         "enum-value: `gpu` is no value of `ModelInstanceGroup.Kind`; did you mean `KIND_GPU`?"
         " | allowed: KIND_AUTO, KIND_GPU, KIND_CPU, KIND_MODEL"),
        ("input { data_type: \"TYPE_FP32\" }",
         "wrong-type: `data_type` takes a value of `DataType`, not `\"TYPE_FP32\"`"
         " | write it without quotes: `TYPE_FP32`"),
        ("input { data_type: 'fp16' }",
         "wrong-type: `data_type` takes a value of `DataType`, not `'fp16'` | write it without quotes: `TYPE_FP16`"),
        ("max_batch_size: '8'",
         "wrong-type: `max_batch_size` takes a whole number (int32), not `'8'` | write it without quotes: `8`"),
        ("max_batch_size: 8.0", "wrong-type: `max_batch_size` takes a whole number (int32), not `8.0` | write `8`"),
        ("max_batch_size: +8", "wrong-type: `max_batch_size` takes a whole number (int32), not `+8` | write `8`"),
        ("max_batch_size: 1.5",
         "wrong-type: `max_batch_size` takes a whole number (int32), not `1.5` | write a whole number (int32)"),
        ("max_batch_size: 4294967296",
         "wrong-type: `4294967296` does not fit `max_batch_size` (int32)"
         " | write a number from -2147483648 to 2147483647"),
        ("dynamic_batching { max_queue_delay_microseconds: -1 }",
         "wrong-type: `max_queue_delay_microseconds` takes a whole number (uint64), not `-1`"
         " | it cannot be negative: write a number from 0 to 18446744073709551615"),
        ("input { dims: (1, 2) }",
         "wrong-type: `dims` takes a whole number (int64), not `(1, 2)` | write `dims: [ … ]`"),
        ("name: resnet", 'wrong-type: `name` takes a string in quotes, not `resnet` | write it in quotes: `"resnet"`'),
        ("name: /models/a",
         'wrong-type: `name` takes a string in quotes, not `/models/a` | write it in quotes: `"/models/a"`'),
        ("name: 5", 'wrong-type: `name` takes a string in quotes, not `5` | write it in quotes: `"5"`'),
        ("input { optional: yes }", "wrong-type: `optional` takes `true` or `false`, not `yes` | write `true`"),
        ("input { optional: 'False' }",
         "wrong-type: `optional` takes `true` or `false`, not `'False'` | write it without quotes: `false`"),
        ("input { optional: 2 }", "wrong-type: `optional` takes `true` or `false`, not `2` | write `true` or `false`"),
        ("dynamic_batching: true",
         "wrong-type: `dynamic_batching` takes a block, not `true` | write `dynamic_batching { … }`"),
        ("dynamic_batching [ ]",
         "wrong-type: `dynamic_batching` takes one block, not a list | write `dynamic_batching { … }`"),
        ("name: [ 'a' ]",
         "wrong-type: `name` takes a string in quotes and is not repeated, not a list"
         " | write `name: …`, a string in quotes"),
        ("name { }",
         "syntax: `:` is missing behind `name` | write `name:`"),
        ("name: { }", "wrong-type: `name` takes a string in quotes, not a block | write `name: …`, a string in quotes"),
        ("name 'a'", "syntax: `:` is missing behind `name` | write `name:`"),
        ("input { dims [ 1 ] }", "syntax: `:` is missing behind `dims` | write `dims:`"),
        ("name:", "syntax: the value of `name` is missing | write a string in quotes"),
        ("input { dims: }", "syntax: the value of `dims` is missing | write `dims: [ … ]`"),
        ("name", "syntax: `name` has no value | write `name: …`, a string in quotes"),
        ("input", "syntax: `input` has no value | write `input { … }`"),
        ("name: 'a' name: 'b'",
         "duplicate-field: `name` is given a second time; Triton does not merge the two | keep one of the two"),
        ("version_policy { latest { } all { } }",
         "second-oneof: `all` and `latest` exclude each other | keep one of the two"),
        ("max_batch_size: ${n}",
         f"placeholder: `${{n}}` is not filled in: `max_batch_size` must get a whole number (int32) | {RENDER}"),
        ("max_batch_size: {n}",
         f"placeholder: `{{n}}` is not filled in: `max_batch_size` must get a whole number (int32) | {RENDER}"),
        ("input { dims: [ TOPK, 4 ] }",
         f"placeholder: `TOPK` is not filled in: `dims` must get a whole number (int64) | {RENDER}"),
        ("input { data_type: TYPE_#DTYPE }",
         f"placeholder: `TYPE_#DTYPE` is not filled in: `data_type` must get a value of `DataType` | {RENDER}"),
        ("name: <NAME>", f"placeholder: `<NAME>` is not filled in: `name` must get a string in quotes | {RENDER}"),
        ("dynamic_batching {{ batching }}",
         "placeholder: `{{ batching }}` is not filled in: `dynamic_batching` must get a block `{ … }`"
         f" | {RENDER}"),
        ("max_batch_size: 08",
         "syntax: `08` begins with 0 and is read as octal, which has no digits 8 and 9 | write `8`"),
    ],
)  # fmt: skip
def test_one_mistake_is_one_fault(text: str, fault: str) -> None:
    assert told(text) == [fault]


@pytest.mark.parametrize(
    "text",
    [
        "name: '${x}' backend: \"{{ y }}\" parameters { key: '$k' value { string_value: '<V> @A@ %d' } }",
        "# ${x} {{ y }} {% z %} TYPE_#T\nname: 'a' # <NAME>",
    ],
)
def test_placeholders_in_strings_and_comments_are_none(text: str) -> None:
    assert told(text) == []


def test_branches_of_a_template_are_not_told_as_doubles() -> None:
    faults = told("{% if a %}\nname: 'a'\n{% else %}\nname: 'b'\n{% endif %}\n")
    assert [fault.split(":")[0] for fault in faults] == ["placeholder"] * 3


@pytest.mark.parametrize(
    ("text", "release", "fault"),
    [
        ("runtime: 'a'", (23, 12),
         "too-new: `runtime` exists since release 24.01; a 23.12 server does not know it"
         " | use 24.01 or newer, or delete it"),
        ("input { data_type: TYPE_BF16 }", (22, 4),
         "too-new: `TYPE_BF16` exists since release 22.05; a 22.04 server does not know it"
         " | use 22.05 or newer, or delete it"),
        ("optimization { cuda { allow_inexact_match: true } }", None,
         "removed: `allow_inexact_match` was removed after release 20.09 | delete it"),
        ("run_time: 'a'", (23, 12), "unknown-field: `run_time`: no such field in `ModelConfig`"),
    ],
)  # fmt: skip
def test_releases(text: str, release: tuple[int, ...] | None, fault: str) -> None:
    assert told(text, release) == [fault]


def test_a_fault_right_behind_another_is_told() -> None:
    assert len(told("// a\nruntime: 'a'", (23, 12))) == 2
    assert len(told("{% if a %}\nmax_batch_size: 1.5\n{% endif %}")) == 3
    assert len(told("\ufeffname: 1")) == 2


def test_many_faults_end_in_a_count() -> None:
    faults = told("foo bar\n" * 100)
    assert len(faults) == 11
    assert sum("and 90 more of this kind" in fault for fault in faults) == 1
    prose = told("It was a dark and stormy night; the rain fell in torrents - except at intervals.\n" * 500)
    assert len(prose) < 40


@pytest.mark.parametrize(
    ("name", "meant"), [("inputs", "input"), ("dtype", None), ("outptu", "output"), ("x" * 10_000, None), ("", None)]
)
def test_nearest(name: str, meant: str | None) -> None:
    assert nearest(name, message_info().fields) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("float32", "TYPE_FP32"),
        ("TYPE_BYTES", "TYPE_STRING"),
        ("half", "TYPE_FP16"),
        ("INT", "TYPE_INT32"),
        ("zzz", None),
    ],
)
def test_nearest_value(name: str, meant: str | None) -> None:
    assert nearest_value(name, DATA_TYPES.split(", ")) == meant


def test_homes() -> None:
    assert homes("graphs") == ("optimization.cuda",)
    assert homes("max_batch_size") == ("",)
    assert homes("nowhere") == ()


def test_a_dangerous_name_is_not_suggested_for_another() -> None:
    """`model_repository` is no slip of the pen for a block that crashes the server when it is empty."""
    known = ["model_repository_agents", "name"]
    assert nearest("model_repository", known) is None
    assert nearest("model_repository_agent", known) == "model_repository_agents"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("FP32", "TYPE_FP32"),
        ("fp16", "TYPE_FP16"),
        ("TYPE_FLOAT32", "TYPE_FP32"),
        ("int64", "TYPE_INT64"),
        ("BYTES", "TYPE_STRING"),
        ("TYPE_FP31", ""),
        ("TYPE_INT", ""),
        ("FP", ""),
        ("", ""),
    ],
)
def test_exact_value(name: str, meant: str) -> None:
    assert exact_value(name, DATA_TYPES.split(", ")) == meant
