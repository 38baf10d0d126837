"""Reads values of a Compose project with the variables of the file that they are from. Knows no key of a service."""

from __future__ import annotations

from collections.abc import Mapping

from tritoncheck.deployment.compose_project import Project
from tritoncheck.deployment.files import Files
from tritoncheck.deployment.interpolate import Filled, fill
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.yaml import Node


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

    def lines(self, path: str) -> Lines:
        """The lines of a file of the project."""
        if path not in self._lines:
            self._lines[path] = Lines(self.files.texts.get(path, ""), path)
        return self._lines[path]
