"""What libprotobuf prints for a text, line by line: the tokenizer's complaints, then the one fault that ends it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tritoncheck.textproto import Document, Problem


class ServerLine(NamedTuple):
    """`Error parsing text-format inference.ModelConfig: LINE:COLUMN: TEXT`.

    column: counted in bytes, a tab jumping to the next multiple of 8, from 1.
    """

    line: int
    column: int
    text: str


def server_lines(document: Document, problems: Iterable[Problem]) -> list[ServerLine]:
    """The lines Triton prints for a strictly read document with the problems of its parse and binding.

    Empty means that Triton accepts the text. The text of an unknown extension's line lacks its end, the message type.
    """
    ordered = sorted((p for p in problems if p.server_text), key=lambda p: (p.token, p.layer, p.server_offset))
    lines = []
    for problem in ordered:
        offset = problem.server_offset if problem.layer == 0 else document.tokens.starts[problem.token]
        lines.append(ServerLine(*document.server_position(offset), problem.server_text))
        if problem.layer:
            break
    return lines
