"""A model repository to be: configurations as messages, so that they can be changed field by field, and their files."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf import text_format

from tritoncheck.schema.descriptors import Release, model_config_class

SCHEMA: Release = (24, 10)
"""The release whose fields are drawn from: the newest core that is to be had."""

PYTHON_MODEL = b"""\
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([]) for _ in requests]
"""


@functools.cache
def config_class() -> Any:
    """The class of ModelConfig."""
    return model_config_class(SCHEMA)


@dataclass(slots=True)
class Part:
    """One model: its configuration, text that follows it in the file, and what lies in its folder.

    config: None for a folder without config.pbtxt. text: in its place if set.
    """

    config: Any
    tail: str = ""
    text: bytes | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)

    def written(self) -> bytes | None:
        """The text of config.pbtxt."""
        if self.text is not None or self.config is None:
            return self.text
        return (text_format.MessageToString(self.config, as_utf8=True) + self.tail).encode()


@dataclass(slots=True)
class Sample:
    """A repository; `changes` names the mutations that were made."""

    name: str
    parts: dict[str, Part] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)

    def write(self, repository: Path) -> None:
        """Make the repository in a folder."""
        for name, part in self.parts.items():
            home = repository / name
            home.mkdir(parents=True)
            text = part.written()
            if text is not None:
                (home / "config.pbtxt").write_bytes(text)
            for folder in part.folders:
                (home / folder).mkdir(parents=True, exist_ok=True)
            for file, content in part.files.items():
                (home / file).parent.mkdir(parents=True, exist_ok=True)
                if not (home / file).is_dir():
                    (home / file).write_bytes(content)
            for link, target in part.links.items():
                if not (home / link).exists() and (home / link).parent.is_dir():
                    (home / link).symlink_to(target)
