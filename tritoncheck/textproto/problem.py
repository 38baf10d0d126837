"""One fault found while reading a text: what we say about it, and what libprotobuf prints for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Problem:
    """A fault of the text.

    kind: `syntax`, `placeholder`, `slash-comment`, `unknown-field`, `duplicate-field`, `second-oneof`,
        `wrong-type`, `enum-value`, `too-new` or `removed`.
    start, end: byte offsets of the place a person must change.
    message: the fault in our words; `help`: what to write instead ("" = nothing better to say).
    token: index of the token that is current when libprotobuf reports it (what it prints is the place
        of this token, which for an unknown field is the one *after* the name), -1 when it has none.
    server_offset: byte offset that libprotobuf prints, where it differs from the start of `token`
        (tokenizer errors), else -1.
    server_text: libprotobuf's own words, "" where the fault is ours alone (a placeholder).
    layer: 0 tokenizer, 1 schema, 2 grammar: the order in which libprotobuf meets faults at one token.
    path: the field that is hurt, as names and indexes; rules that read it stay silent.
    related: start and end of a second place (the first of two definitions), with its message.
    """

    kind: str
    start: int
    end: int
    message: str
    help: str = ""
    token: int = -1
    server_offset: int = -1
    server_text: str = ""
    layer: int = 2
    path: tuple[str | int, ...] = ()
    related: tuple[tuple[int, int, str], ...] = ()
