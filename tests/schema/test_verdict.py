"""What Triton prints for a text. tests/oracle asks the server; these are examples to read."""

from __future__ import annotations

import pytest

from tritoncheck.schema.bind import bind
from tritoncheck.schema.verdict import server_lines
from tritoncheck.textproto import parse


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("name: 'a'", []),
        ("foo: 1", ['1:4: Message type "inference.ModelConfig" has no field named "foo".']),
        ("\tfoo: 1", ['1:12: Message type "inference.ModelConfig" has no field named "foo".']),
        ("name: 'é' foo\n\n: 1", ['3:1: Message type "inference.ModelConfig" has no field named "foo".']),
        ("max_batch_size: 1.5 foo: 1", ["1:17: Expected integer, got: 1.5"]),
        ("input [ { } { } ]", ['1:13: Expected ",", found "{".']),
        ("input { dims: [ 1, ] }", ["1:20: Expected integer, got: ]"]),
        ("input { data_type: TYPE_FLOAT }", ['1:31: Unknown enumeration value of "TYPE_FLOAT" for field "data_type".']),
        ("name: 'a' name: 'b'", ['1:15: Non-repeated field "name" is specified multiple times.']),
        ("name: 1 foo: 08", ["1:7: Expected string, got: 1"]),
        ("name: '\\q' foo: 1", ["1:9: Invalid escape sequence in string literal.",
                                 '1:15: Message type "inference.ModelConfig" has no field named "foo".']),
        ("version_policy { latest { } all { } }", [
            '1:33: Field "all" is specified along with field "latest", another member of oneof "policy_choice".']),
        ("max_batch_size: ${b}", ["1:17: Expected integer, got: $"]),
        ("// a", ["1:1: Expected identifier, got: /"]),
        ("[a.b]: 1", ['1:6: Extension "a.b" is not defined or is not an extension of']),
    ],
)  # fmt: skip
def test_lines(text: str, lines: list[str]) -> None:
    document = parse(text.encode())
    found = server_lines(document, document.problems + bind(document).problems)
    assert [f"{one.line}:{one.column}: {one.text}" for one in found] == lines
