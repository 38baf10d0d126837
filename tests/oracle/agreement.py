"""Our reading of a text beside a server's: whether both accept it, else whether every line of the log is the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.oracle.server import Verdict
from tritoncheck.deployment.tables import triton_versions
from tritoncheck.schema.bind import bind
from tritoncheck.schema.descriptors import Release
from tritoncheck.schema.verdict import server_lines
from tritoncheck.textproto import parse

Line = tuple[int, int, str]

# An unknown extension's line goes on with the type of the message, which is not known where the line is made.
_OPEN_END = "is not defined or is not an extension of"


def release_of(triton: str) -> Release:
    """The release by the version of its server: 2.51.0 is 24.10."""
    return next(release for release, version in triton_versions().items() if version == triton)


def our_lines(text: bytes, release: Release) -> list[Line]:
    """What we say the server prints for a text; empty where we say that it accepts it."""
    document = parse(text)
    lines = server_lines(document, document.problems + bind(document, release).problems)
    return [(line.line, line.column, _as_in_log(line.text)) for line in lines]


def _as_in_log(text: str) -> str:
    """Latin-1 text, one character a byte, as the log's reader decodes it."""
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


def disagreements(texts: Iterable[bytes], verdicts: Iterable[Verdict], release: Release) -> Iterator[str]:
    """A description of each text on which we differ from the server."""
    for text, verdict in zip(texts, verdicts, strict=True):
        ours = our_lines(text, release)
        theirs = [(error.line, error.column, error.message) for error in verdict.errors]
        cut = [(line, column, words.split(_OPEN_END)[0]) for line, column, words in theirs]
        if [(line, column, words.split(_OPEN_END)[0]) for line, column, words in ours] != cut:
            shown = repr(text) if len(text) < 300 else f"{text[:300]!r}… ({len(text)} bytes)"
            yield f"{shown}\n  we:     {ours}\n  Triton: {theirs}"
