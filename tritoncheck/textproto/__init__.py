"""Protobuf text format as text: tokens with offsets, a lossless tree, every syntax error with its place.

Knows nothing of Triton or of any schema; imports nothing else of this package.
"""

from tritoncheck.textproto.document import Document, Position
from tritoncheck.textproto.parse import parse
from tritoncheck.textproto.problem import Problem
from tritoncheck.textproto.removal import entry_removals, removals
from tritoncheck.textproto.tokens import Kind, Tokens
from tritoncheck.textproto.tree import Field, List, Message, Missing, Node, Scalar

__all__ = [
    "Document",
    "Field",
    "Kind",
    "List",
    "Message",
    "Missing",
    "Node",
    "Position",
    "Problem",
    "Scalar",
    "Tokens",
    "entry_removals",
    "parse",
    "removals",
]
