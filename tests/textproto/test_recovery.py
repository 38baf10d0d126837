"""What a person is told of a text that is no text format: each mistake once, where it is to be mended."""

from __future__ import annotations

import pytest

from tritoncheck.textproto import parse

OPENED = "opened here"


def told(text: str | bytes) -> list[str]:
    """The faults in the order of the text: place, message and help."""
    document = parse(text.encode() if isinstance(text, str) else text, lenient=True)
    faults = sorted(document.problems, key=lambda fault: (fault.start, fault.end))
    places = [document.position(fault.start) for fault in faults]
    return [
        f"{place.line}:{place.column} {fault.message}{fault.help and f' | {fault.help}'}"
        for place, fault in zip(places, faults, strict=True)
    ]


BRACKETS = {
    "input { name: 'a'": ["1:7 this `{` is never closed | close it with `}`"],
    "input [ { name: 'a'": ["1:9 this `{` is never closed (nor is the one around it) | close it with `}`"],
    "a { b { c {": ["1:11 this `{` is never closed (nor are 2 around it) | close it with `}`"],
    "input { name: 'a' ] x: 1": ["1:19 `}` is due here, not `]` | write `}`"],
    "input [ { name: 'a' ]": ["1:21 the `{` is not closed before this | close it with `}`"],
    "input [ { name: 'a' } }": ["1:23 `]` is due here, not `}` | write `]`"],
    "input [ { name: 'a' } } ]": ["1:23 this `}` closes nothing | delete it"],
    "input { name: 'a' } } x: 1": ["1:21 this `}` closes nothing | delete it"],
    "input { name: 'a' }, }, x: 1": ["1:22 this `}` closes nothing | delete it"],
    "input { name: 'a' >": ["1:19 `}` is due here, not `>` | write `}`"],
    "input {{ name: 'a' }} x: 1": ["1:8 a `{` without a field's name before it"],
    "{ name: 'a' }": ["1:1 a model configuration has no braces around it | delete them"],
    # A missing `}` shows in the indentation, long before the end of the file.
    "a {\n  b {\n    c: 1\n  \n}\nd: 1\n": ["6:1 the `{` is not closed before this | close it with `}`"],
    "a [\n  {\n    b: 1\n  ,\n  {\n    b: 2\n  }\n]\n": [
        "5:3 the `{` is not closed before the next list item | close it with `}`"
    ],
    "a [\n  {\n    b: 1\n    c: [ 3\n    d: 2\n  }\n]\n": [
        "5:5 the list is not closed before this | close it with `]`"
    ],
    "a [ { b: 1 }\nc [ { b: 2 } ]": ["2:1 the list is not closed before this | close it with `]`"],
}
LISTS = {
    "a [ { b: 1 } { b: 2 } { b: 3 } ]": [
        "1:13 two list items without a `,` between them | put a `,` between them",
        "1:22 two list items without a `,` between them | put a `,` between them",
    ],
    "a: [ 1 2, 3 ]": ["1:7 two list items without a `,` between them | put a `,` between them"],
    "a: [ 1, ]": ["1:7 a `,` behind the last item of a list | delete it"],
    "a: [ , 1 ]": ["1:6 a `,` without a list item before it | delete it"],
    "a: [ 1,, 2 ]": ["1:8 a `,` without a list item before it | delete it"],
    "a: [ 1; 2 ]": ["1:7 `;` between list items | write `,`"],
    "a: [ 1: 2 ]": ["1:7 `:` in a list | delete it"],
    "a [ b: 1 ]": ["1:5 an item is due in this list, not the field `b` | put the fields of each item into `{ … }`"],
    "a: 1, 2": ["1:7 a field's name is due here, not `2` | if `a` is a list, put its values into `[ … ]`"],
}
FIELDS = {
    "a = 1": ["1:3 `=` between a field's name and its value | write `:`"],
    "a:: 1": ["1:3 a second `:` | delete it"],
    "'a': 1": ["1:1 a field's name in quotes: `'a'` | write `a`"],
    "a: 1,, b: 2": ["1:6 a second or leading `,` | delete it"],
    "; a: 1": ["1:1 a second or leading `;` | delete it"],
    "[ext.name]: 1 a: 1": ["1:1 a model configuration has no extensions: a field's name is due here"],
    "- - - a: 1": ["1:1 a field's name is due here, not `-`"],
    "404: Not Found": ["1:1 a field's name is due here, not `404`"],
    "a-b.c: 1 d/e: f/g h: +8": [],  # names and values of one word; the binder tells of them
}
TOKENS = {
    "a： 1": ["1:2 `：` is not ASCII and stands outside strings and comments | write the ASCII `:`"],
    "\ufeffa: 1": ["1:1 the file begins with a byte order mark | save the file as UTF-8 without a byte order mark"],
    "a:\u00a01": ["1:3 an invisible character (NO-BREAK SPACE) | delete it"],
    "größe: 1": ["1:3 `öß` is not ASCII and stands outside strings and comments | put it into quotes or a comment"],
    "a: “b c” d: 1": ["1:4 typographic quotes around a string | write `\"` or `'`"],
    "a: 'b\nc: 1": ["1:4 the string does not end on its line | close it with `'`"],
    'a { b: "c, d: 1 }\ne: 1': ['1:8 the string does not end on its line | close it with `"`'],
    "a: 'b\\q'": ["1:4 unknown escape `\\q` in a string | write `\\\\` for a backslash"],
    "a: '\\x'": ["1:4 incomplete escape in a string"],
    "a: 08": ["1:4 `08` begins with 0 and is read as octal, which has no digits 8 and 9 | write `8`"],
    "a: 1_000": ["1:4 the number `1` and a name run together"],
    'a: "x\0"\nb: 1': ["1:4 a NUL byte inside a string | delete it"],
    "a: 'x\0y' 'z'\nb: ''": ["1:4 a NUL byte inside a string | delete it"],
    'a: "x\0': [
        "1:4 a NUL byte inside a string | delete it",
        "1:6 control character '\\x00' outside strings | delete it",
    ],
    "a: 1\x01": ["1:5 control character '\\x01' outside strings | delete it"],
    "// a\n// b\nc: 1 /* d */": [
        f"{place} `{mark}` does not begin a comment in text format; only `#` does | begin the comment with `#`"
        for place, mark in (("1:1", "//"), ("2:1", "//"), ("3:6", "/*"))
    ],
}
RENDER = "render the template before use"
CONFLICT = (
    "a merge conflict is left in the file | keep one side and delete the `<<<<<<<`, `=======` and `>>>>>>>` lines"
)
TEMPLATES = {
    "${fields}\na: 1": [f"1:1 `${{fields}}` is not filled in: one or more fields are due here | {RENDER}"],
    "{{ name }}: 1 a: 1": [f"1:1 `{{{{ name }}}}` is not filled in: one or more fields are due here | {RENDER}"],
    "{% if a %}\na: 1\n{% else %}\na: 2\n{% endif %}\n": [
        f"{line}:1 the template directive `{{% {word} %}}` is left in the file | {RENDER}"
        for line, word in ((1, "if a"), (3, "else"), (5, "endif"))
    ],
    "a [\n{% for b in c %}\n{ d: 1 },\n{% endfor %}\n]": [
        f"{line}:1 the template directive `{{% {word} %}}` is left in the file | {RENDER}"
        for line, word in ((2, "for b in c"), (4, "endfor"))
    ],
    "{# a note #}\nb: {{ c }}": [f"1:1 the template directive `{{# a note #}}` is left in the file | {RENDER}"],
    "a: [ ${b} ${c}, 1 ${d} ]": [],  # a hole may hold commas
    "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> theirs\nb: 1": [f"1:1 {CONFLICT}"],
    "<<<<<<< HEAD\na {\n||||||| base\nx {{\n=======\nb {\n>>>>>>> theirs\n}": [f"1:1 {CONFLICT}"],
    "a: 1\n>>>>>>> theirs\n": [f"2:1 {CONFLICT}"],
}
FOREIGN = {
    '{"name": "a"}': [
        "1:1 the file is JSON; a model configuration is written in protobuf's text format"
        " | take off the outer braces and the quotes around names"
    ],
    "#!/usr/bin/env python\nimport numpy as np\n\ndef f():\n    pass\n": [
        "2:1 the file holds Python source, which is no model configuration | put it into `model.py` in a version folder"
    ],
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n": [
        "1:1 the file is a Git LFS pointer: its content has not been fetched | run `git lfs pull`"
    ],
    "<!DOCTYPE html>\n<html></html>": [
        "1:1 the file is a web page or XML, which is no model configuration | fetch the file itself"
    ],
    b"\x08\x00\x12\x00\x00\x01\x02\x03\x04\x05\x00\x1a\x05\x06\x07": [
        "1:1 the file holds NUL bytes: it is no text | put a model configuration in its place"
    ],
    "name: 'a'".encode("utf-16"): [
        "1:1 the file is encoded as UTF-16 or UTF-32 | save it as UTF-8 without a byte order mark"
    ],
}


@pytest.mark.parametrize(
    ("text", "faults"),
    [one for table in (BRACKETS, LISTS, FIELDS, TOKENS, TEMPLATES, FOREIGN) for one in table.items()],
)
def test_told(text: str | bytes, faults: list[str]) -> None:
    assert told(text) == faults


def test_what_is_not_closed_is_shown() -> None:
    (fault,) = parse("a [\n  {\n    b: 1\n]", lenient=True).problems
    assert fault.related == ((6, 7, OPENED),)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (bytes(range(256)) * 400, 1),
        (bytes(range(1, 256)) * 400, 50),
        (b"} ] > { , ; : " * 5_000, 50),
        (b"'\n" * 5_000, 50),
        ("größer " * 5_000, 50),
    ],
)
def test_garbage_has_few_faults(text: str | bytes, most: int) -> None:
    found = told(text)
    assert 1 <= len(found) <= most
    assert len(found) == 1 or any("more of this kind" in fault for fault in found)
