"""Reads values of a Compose project with the variables of the file that they are from. Knows no key of a service."""

from __future__ import annotations

from collections.abc import Mapping

from tritoncheck.deployment.compose_project import Project
from tritoncheck.deployment.files import Files
from tritoncheck.deployment.interpolate import Filled, fill
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span


class Reader:
    """Reads values with the variables of the file that they are from."""

    def __init__(self, project: Project, files: Files) -> None:
        self.project = project
        self.files = files
        self._lines: dict[str, Lines] = {}

    def fill(self, node: Node | None) -> Filled:
        """A scalar with its variables put in; "" for none."""
        if node is None or not node.is_scalar:
            return Filled("")
        return fill(node.text, self.variables(node))

    def variables(self, node: Node) -> Mapping[str, str]:
        """The variables that hold where a value stands."""
        return self.project.variables.get(node.span.path, {})

    def text(self, node: Node | None) -> str:
        """A scalar's value, "" where it is not known."""
        filled = self.fill(node)
        return filled.text if filled.known else ""

    def raw(self, span: Span) -> tuple[Lines, int, str]:
        """The text of a place as written, with its file's lines and its offset."""
        if span.path not in self._lines:
            self._lines[span.path] = Lines(self.files.texts.get(span.path, ""), span.path)
        lines = self._lines[span.path]
        start, end = (lines.starts[line - 1] + column - 1 for line, column in _ends(span))
        return lines, start, lines.text[start:end]


def _ends(span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
    return (span.line, span.column), (span.end_line, span.end_column)
