"""Binding against protobuf's own parser for Python, which agrees with the server but for a known list of spellings."""

from __future__ import annotations

import re
import struct
from random import Random
from typing import Any

import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import any_texts, flawed_texts, valid_texts
from tritoncheck.schema.bind import Binding, bind
from tritoncheck.schema.descriptors import model_config_class
from tritoncheck.textproto import Problem, parse

CONFIG = model_config_class()

# Where protobuf's Python parser and libprotobuf differ (measured on 24.10; tests/oracle asks the server itself):
PYTHON_DIFFERS = re.compile(
    rb"""[\x00\x1c-\x1f\x80-\xff]  # NUL, separators as space, texts that are not UTF-8
    | \\(?![abfnrtv\\'"])          # \q and \? kept, \400, surrogates and \U00110000 refused, \xff not UTF-8
    | -[\s\#] | -0                 # a space behind the sign; -0 for unsigned numbers
    | (?<![eE])\+                  # +1
    | [0-9.]_ | [0-9.][fF]{2}      # 1_0 and 1ff
    | (?i:nan | inff | infinityf)  # the sign of nan; inff
    | (?<![0-9.])0[0-9xX]          # 01 and 0x1 for booleans and enums
    """,
    re.VERBOSE,
)


def read(
    text: bytes | str, lenient: bool = False, release: tuple[int, ...] | None = None
) -> tuple[Binding, list[Problem]]:
    """The binding of a text, and all its faults in the order of the text."""
    document = parse(text.encode() if isinstance(text, str) else text, lenient)
    binding = bind(document, release)
    return binding, sorted(document.problems + binding.problems, key=lambda one: (one.start, one.layer))


def wire(message: Any) -> bytes:
    """A message as bytes that are the same for equal ones."""
    return bytes(message.SerializeToString(deterministic=True))


def by_python(text: bytes) -> Any | None:
    """What protobuf for Python reads, None where it refuses."""
    try:
        return text_format.Parse(text, CONFIG())
    except (text_format.ParseError, ValueError):
        return None


def fill(random: Random, message: Any, depth: int = 0) -> None:
    """Give values to some fields of a message."""
    for field in message.DESCRIPTOR.fields:
        if random.random() < (0.7 if depth else 0.5):
            continue
        oneof = field.containing_oneof
        if oneof is not None and message.WhichOneof(oneof.name):
            continue
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            inner = field.message_type.fields_by_name["value"]
            key = scalar(random, field.message_type.fields_by_name["key"])
            if inner.message_type is None:
                value[key] = scalar(random, inner)
            else:
                fill(random, value[key], depth + 1)
        elif field.is_repeated:
            for _ in range(random.randint(1, 3)):
                if field.message_type is None:
                    value.append(scalar(random, field))
                else:
                    fill(random, value.add(), depth + 1)
        elif field.message_type is None:
            setattr(message, field.name, scalar(random, field))
        else:
            value.SetInParent()
            fill(random, value, depth + 1)


def scalar(random: Random, field: Any) -> Any:
    """A value of a field that is no message."""
    limits = {1: (-(2**31), 2**31 - 1), 2: (-(2**63), 2**63 - 1), 3: (0, 2**32 - 1), 4: (0, 2**64 - 1)}
    if field.cpp_type in limits:
        return random.choice((*limits[field.cpp_type], 0, 1, random.randint(*limits[field.cpp_type])))
    if field.cpp_type in (5, 6):
        return struct.unpack("<f", struct.pack("<I", random.getrandbits(32) & 0xFF7FFFFF))[0]
    if field.cpp_type == 7:
        return random.random() < 0.5
    if field.cpp_type == 8:
        return random.choice((*(value.number for value in field.enum_type.values), 99, -1))
    return "".join(random.choice("ab1 _.-/\"'\\\n\t\r#{}:é☃😀\x01\x7f") for _ in range(random.randint(0, 8)))


MESSAGES = st.randoms(use_true_random=False)
STYLES = st.fixed_dictionaries(
    {
        "as_utf8": st.booleans(),
        "as_one_line": st.booleans(),
        "use_short_repeated_primitives": st.booleans(),
        "pointy_brackets": st.booleans(),
        "use_index_order": st.booleans(),
        "indent": st.integers(0, 5),
    }
)


@given(MESSAGES, STYLES)
def test_what_protobuf_prints_is_read_back(random: Random, style: dict[str, Any]) -> None:
    message = CONFIG()
    fill(random, message)
    binding, problems = read(text_format.MessageToString(message, **style))
    assert problems == []
    assert binding.unknown == []
    assert wire(binding.message) == wire(message)


@given(any_texts(CONFIG) | flawed_texts(CONFIG) | valid_texts(CONFIG))
def test_as_protobuf_for_python_where_it_is_as_the_server(text: bytes) -> None:
    if PYTHON_DIFFERS.search(text):
        return
    binding, problems = read(text)
    theirs = by_python(text)
    if (
        theirs is not None
        and problems
        and problems[0].kind == "duplicate-field"
        and problems[0].path[-1] in ("key", "value")
    ):
        return  # a key or value of a map entry given twice, first with its default
    assert (theirs is None) == bool(problems)
    if theirs is not None:
        assert wire(binding.message) == wire(theirs)


@given(any_texts(CONFIG), st.booleans(), st.sampled_from([None, (20, 3), (22, 11), (23, 6), (24, 10)]))
def test_nothing_raises(text: bytes, lenient: bool, release: tuple[int, ...] | None) -> None:
    binding, problems = read(text, lenient, release)
    assert all(problem.kind and problem.message for problem in problems)
    assert binding.message is not None


@given(any_texts(CONFIG))
def test_a_faulty_value_is_not_known(text: bytes) -> None:
    binding, problems = read(text, lenient=True)
    assert bool(binding.unknown) or all(problem.layer == 0 or not problem.path for problem in problems)
    for problem in problems:
        assert not problem.path or problem.path in binding.unknown or () in binding.unknown


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("max_batch_size: 0x10", "max_batch_size", 16),
        ("max_batch_size: 010", "max_batch_size", 8),
        ("max_batch_size: - 1", "max_batch_size", -1),
        ("max_batch_size: -0", "max_batch_size", 0),
        ("name: 'a' \"b\"", "name", "ab"),
        ("name: '\\x41'", "name", "A"),
        ("name: '\xff'", "name", "\ufffd"),
        ("name: '' name: 'b'", "name", "b"),
        ("max_batch_size: 0 max_batch_size: 3", "max_batch_size", 3),
    ],
)
def test_values_of_spellings(text: str, field: str, value: object) -> None:
    binding, problems = read(text.encode("latin-1"))
    assert problems == []
    assert getattr(binding.message, field) == value


def test_maps_presence_and_lists() -> None:
    binding, problems = read(
        "parameters { key: 'a' value { string_value: '1' } } parameters { key: 'a' } parameters { }"
        "optimization { } input { dims: 1 dims: [2, 3] dims: [] } input [ ] input [ { }, < > ]"
    )
    assert problems == []
    config = binding.message
    assert {key: value.string_value for key, value in config.parameters.items()} == {"a": "", "": ""}
    assert config.HasField("optimization")
    assert not config.HasField("dynamic_batching")
    assert [list(one.dims) for one in config.input] == [[1, 2, 3], [], []]


@pytest.mark.parametrize(
    ("text", "release", "kind"),
    [
        ("runtime: 'a'", (23, 12), "too-new"),
        ("runtime: 'a'", (24, 1), None),
        ("input { data_type: TYPE_BF16 }", (22, 4), "too-new"),
        ("input { data_type: TYPE_BF16 }", (22, 5), None),
        ("optimization { cuda { allow_inexact_match: true } }", None, "removed"),
        ("optimization { cuda { allow_inexact_match: true } }", (20, 9), None),
        ("dynamic_batching { priority_levels: 4294967296 }", (23, 6), "wrong-type"),
        ("dynamic_batching { priority_levels: 4294967296 }", (23, 7), None),
    ],
)
def test_releases(text: str, release: tuple[int, ...] | None, kind: str | None) -> None:
    _, problems = read(text, release=release)
    assert [problem.kind for problem in problems] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("max_batch_size: ${b} name: 'a'", [("max_batch_size",)]),
        ("input [ { }, { dims: [ 1, ${d} ] } ]", [("input", 1, "dims")]),
        ("input { ${fields} name: 'a' }", [("input", 0)]),
        ("${fields}", [()]),
        ("parameters { key: 'k' value { string_value: ${x} } }", [("parameters", "k", "value", "string_value")]),
        ("dynamic_batching { priority_queue_policy { key: 3 value { max_queue_size: ${x} } } }",
         [("dynamic_batching", "priority_queue_policy", 0, "value", "max_queue_size")]),
        ("{% if a %}\nname: 'a'\n{% endif %}", [()]),
        ("input {\n{% if a %}\nname: 'a'\n{% endif %}\n}", [("input", 0)]),
        ("data_typ: 1", [("data_typ",)]),
        ("input { data_typ: TYPE_FP32 }", [("input", 0, "data_type")]),
        ("input { dims: [ 1 ", [(), ("input", 0)]),
        ("name: 'a'", []),
    ],
)  # fmt: skip
def test_what_is_not_known(text: str, unknown: list[tuple[str | int, ...]]) -> None:
    assert read(text, lenient=True)[0].unknown == unknown


def test_the_rest_is_bound_around_the_holes() -> None:
    text = "name: 'a' max_batch_size: {{ b }} input [ { name: 'i' dims: [ 1, ${d}, 3 ] data_type: TYPE_#T } ]"
    config = read(text, lenient=True)[0].message
    assert (config.name, config.max_batch_size, config.input[0].name) == ("a", 0, "i")
    assert list(config.input[0].dims) == [1, 3]


def test_a_misspelt_block_is_read_on() -> None:
    """Its own faults are found in the same run."""
    binding, problems = read("inputs [ { name: 'a' data_type: TYPE_FLOAT } ]", lenient=True)
    assert [problem.kind for problem in problems] == ["unknown-field", "enum-value"]
    assert binding.message.input[0].name == "a"
    assert ("input",) in binding.unknown
    assert read("inputs [ { name: 'a' } ]")[0].message.input == []
