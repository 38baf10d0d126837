"""Whether a file beside a Compose file gives a service its GPUs, as `docker compose -f a.yaml -f gpu.yaml up` does.

Which files are merged only the command tells, which may stand anywhere. So a file that says nothing of the service but
what is laid over another leaves open what the service gets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from tritoncheck.deployment.compose_gpus import asks
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.yaml import Node, YamlError, read_documents

_YAML = re.compile(r"[\w.-]+\.ya?ml", re.IGNORECASE)
_MOST = 20  # a folder with more of them is none of a project's


class Beside:
    """The files beside those of a project that may be laid over them, each read once, however many services ask."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._found: dict[str, list[tuple[str, Node]]] = {}

    def gpus(self, path: str, service: str) -> str:
        """The file beside a service's own that gives it GPUs and no image, "" where there is none."""
        if path not in self._found:
            self._found[path] = list(_beside(path))
        for other, root in self._found[path]:
            found = root.get("services", service)
            if found is None or found.get("image") is not None or found.get("build") is not None:
                continue
            if asks(found, self._reader):
                return other
        return ""


def _beside(path: str) -> Iterator[tuple[str, Node]]:
    """The other files of a folder that speak of services and GPUs, with what they hold."""
    folder, files = os.path.dirname(path), Files()  # its own: what is looked at here does not belong to the project
    try:
        names = sorted(name for name in os.listdir(folder or ".") if _YAML.fullmatch(name))
    except OSError:
        return
    for name in names[:_MOST]:
        other = os.path.join(folder, name)
        if other == path or not files.exists(other):
            continue
        try:
            text = files.read(other)
            if not re.search(r"^services\s*:", text, re.MULTILINE) or not re.search("gpu|nvidia", text):
                continue
            documents = read_documents(text, other)
        except (FileError, YamlError):
            continue
        if documents:
            yield other, documents[0]
