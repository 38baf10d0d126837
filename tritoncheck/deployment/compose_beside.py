"""Whether a file beside a Compose file gives a service its GPUs, as `docker compose -f a.yaml -f gpu.yaml up` does.

Which files are merged only the command tells, which may stand anywhere. So a file that says nothing of the service but
what is laid over another leaves open what the service gets.
"""

from __future__ import annotations

import os
import re

from tritoncheck.deployment.compose_gpus import asks
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.yaml import YamlError, read_documents

_YAML = re.compile(r"[\w.-]+\.ya?ml", re.IGNORECASE)
_MOST = 20  # a folder with more of them is none of a project's


def gpus_beside(path: str, service: str, reader: Reader) -> str:
    """The file in the same folder that gives a service GPUs and no image, "" where there is none."""
    folder, files = os.path.dirname(path), Files()  # its own: what is looked at here does not belong to the project
    try:
        names = sorted(name for name in os.listdir(folder or ".") if _YAML.fullmatch(name))
    except OSError:
        return ""
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
        found = documents[0].get("services", service) if documents else None
        if found is not None and found.get("image") is None and found.get("build") is None and asks(found, reader):
            return other
    return ""
