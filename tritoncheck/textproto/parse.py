"""The two readings of a text: what libprotobuf reads of it, and what a person meant by it."""

from __future__ import annotations

from tritoncheck.textproto.document import Document
from tritoncheck.textproto.grammar import Reader
from tritoncheck.textproto.lex import lex
from tritoncheck.textproto.tree import Message


def parse(source: bytes | str, lenient: bool = False) -> Document:
    """Read a text. Never raises: what is wrong stands in `Document.problems`.

    source: the bytes of the file, or a `str` that was decoded as Latin-1.
    lenient: report every fault and recover, instead of stopping where libprotobuf does.
    """
    text = source if isinstance(source, str) else source.decode("latin-1")
    if lenient:
        from tritoncheck.textproto.recovery import recover  # most texts have no fault

        tokens, root = recover(text)
    else:
        tokens = lex(text)
        root = Message(-1, len(tokens.kinds) - 1, [])
        Reader(tokens, root).read()
    return Document(text, tokens, root, tokens.faults.summary(), lenient)
