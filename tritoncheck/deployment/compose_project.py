"""The services of a Compose project: override files, `include`, `extends` and anchors put together, places kept.

Values stay as written, variables and all; each node tells by its place which file it is from. Rules of merging:
compose-go `override/merge.go` and `loader/extends.go`, 2.0 to 2.9. Knows nothing of Triton.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from tritoncheck.deployment.compose_merge import listed, merge
from tritoncheck.deployment.files import MOST_FILES, FileError, Files
from tritoncheck.deployment.reading import Fault
from tritoncheck.deployment.variable_files import known_values, read_dotenv, read_settings
from tritoncheck.deployment.yaml import Node, YamlError, read_documents
from tritoncheck.rule import Span

# Read by `docker compose up` without `-f`, with the first override file beside it.
DEFAULT_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
OVERRIDES = (
    *("compose.override.yml", "compose.override.yaml"),
    *("docker-compose.override.yml", "docker-compose.override.yaml"),
)
_DEPTH = 20


@dataclass(slots=True)
class Project:
    """services, volumes: by name, as merged. names: where each service's name stands. variables: those of the `.env`
    beside each file, by the file's path. unread: why a `.env` is not read that a value may hang on, by its path."""

    services: dict[str, Node] = field(default_factory=dict)
    names: dict[str, Span] = field(default_factory=dict)
    volumes: dict[str, Node] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    variables: dict[str, dict[str, str]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)

    def fault(self, message: str, span: Span, help: str = "") -> None:
        """Something is wrong; each fault is said once."""
        fault = Fault(message, span, help)
        if fault not in self.faults:
            self.faults.append(fault)


def read_project(path: str, files: Files) -> Project:
    """The project that a file describes. What is wrong in it is among its faults, never raised."""
    project = Project()
    loader = _Loader(project, files, path)
    loader.load(path, ())
    if os.path.basename(path) in DEFAULT_NAMES:
        folder = os.path.dirname(path)
        override = next((one for one in OVERRIDES if files.exists(os.path.join(folder, one))), None)
        if override:
            loader.load(os.path.join(folder, override), ())
    return project


class _Loader:
    """Reads files into a project. first: the file that leads to all others."""

    def __init__(self, project: Project, files: Files, first: str) -> None:
        self.project = project
        self.files = files
        self.first = first
        self.roots: dict[str, Node | None] = {}
        self.circles: set[tuple[str, str]] = set()

    def root(self, path: str, asked: Span | None = None) -> Node | None:
        """The mapping that a file holds; None, with a fault at the place that asks for it, where it holds none."""
        if path not in self.roots:
            self.roots[path] = None
            try:
                documents = read_documents(self.files.read(path), path)
                self.roots[path] = _together(documents)
            except FileError as error:
                if self.files.full:
                    message = f"more than {MOST_FILES} files belong to it; the rest is not read"
                    self.project.fault(message, Span(self.first))
                elif asked:
                    self.project.fault(f"`{path}` cannot be read: {error}", asked)
                else:
                    self.project.fault(f"cannot be read: {error}", Span(path))
            except YamlError as error:
                self.project.fault(f"no YAML that can be read: {error}", error.span)
            self.project.variables[path] = self.variables(path)
        return self.roots[path]

    def variables(self, path: str) -> dict[str, str]:
        """What the `.env` beside a file sets."""
        env = os.path.join(os.path.dirname(path), ".env")
        try:
            there = self.files.exists(env) or os.path.lexists(env)
            return known_values(read_settings(env, self.files, read_dotenv)) if there else {}
        except FileError as error:
            if "$" in self.files.texts.get(path, ""):
                self.project.unread[env] = str(error)
            return {}

    def load(self, path: str, stack: tuple[str, ...], asked: Span | None = None) -> None:
        """Merge a file, and what it includes, into the project."""
        if path in stack:
            chain = " → ".join((*stack[stack.index(path) :], path))
            self.project.fault(f"the files include each other in a circle: {chain}", asked or Span(path))
            return
        root = self.root(path, asked)
        if root is None or len(stack) > _DEPTH:
            return
        for one in listed(root.get("include")):
            paths = listed(one.get("path")) if one.items else [one]
            for inner in paths:
                if inner.is_scalar and "$" not in inner.text:
                    self.load(_beside(path, inner.text), (*stack, path), inner.span)
        services = root.get("services")
        found = services if services is not None else _oldest(root)
        for name, node in found.items.items():
            resolved = self.extended(path, name, node, ())
            before = self.project.services.get(name)
            self.project.services[name] = merge(before, resolved) if before else resolved
            self.project.names.setdefault(name, found.keys[name])
        for name, node in (root.get("volumes") or Node({}, root.span)).items.items():
            self.project.volumes[name] = node

    def extended(self, path: str, name: str, node: Node, stack: tuple[tuple[str, str], ...]) -> Node:
        """A service with what it extends below it."""
        extends = node.get("extends")
        if extends is None or extends.null:
            return node
        wanted = extends.get("service") if extends.items else extends
        other = extends.get("file")
        span = node.place("extends", "service") if extends.items else node.place("extends")
        if wanted is None or not wanted.is_scalar or "$" in wanted.text + (other.text if other else ""):
            return node
        where = _beside(path, other.text) if other is not None and other.is_scalar else path
        chain = (*stack, (path, name))
        if (where, wanted.text) in chain or len(chain) > _DEPTH:
            if self.circles.isdisjoint(chain):
                names = " → ".join(one for _, one in (*chain, (where, wanted.text)))
                self.project.fault(f"services extend each other in a circle: {names}", span, "take one `extends` out")
            self.circles.update(chain)
            return node
        root = self.root(where, other.span if other else None)
        base = root.get("services", wanted.text) if root is not None else None
        if base is None:
            if root is not None:
                self.project.fault(f"extends the service `{wanted.text}`, which `{where}` does not have", span)
            return node
        below = self.extended(where, wanted.text, base, chain)
        return merge(below, Node({k: v for k, v in node.items.items() if k != "extends"}, node.span, keys=node.keys))


def _beside(path: str, name: str) -> str:
    """A path written in a file, seen from where the file is."""
    return os.path.normpath(os.path.join(os.path.dirname(path), name))


def _together(documents: list[Node]) -> Node | None:
    """All documents of a file as one mapping; None where there is none."""
    whole: Node | None = None
    for one in documents:
        if one.items:
            whole = merge(whole, one) if whole else one
    return whole


def _oldest(root: Node) -> Node:
    """The services of a file of the first version, which has them at the top."""
    items = {key: value for key, value in root.items.items() if value.get("image") or value.get("build")}
    return Node(dict(items), root.span, keys=root.keys)
