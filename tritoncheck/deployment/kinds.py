"""Which kind of deployment file a file is, by its name and its first look, and who reads it. Opens nothing."""

from __future__ import annotations

import re

from tritoncheck.deployment.files import Files
from tritoncheck.deployment.reading import Reading

# By name, the first that fits. Of any other YAML only its text says whether it is a manifest of Kubernetes.
_NAMES = (
    ("compose", r"(?:docker-)?compose(?:[._-][\w.-]+)?\.ya?ml"),
    ("dockerfile", r"(?:[\w.-]+\.)?(?:Docker|Container)file(?:\.[\w.-]+)?|[\w.-]+\.dockerfile"),
    ("values", r"values(?:[._-][\w.-]+)?\.ya?ml"),
    ("makefile", r"(?:GNU)?makefile|[\w.-]+\.mk"),
    ("script", r"[\w.-]+\.(?:sh|bash)"),
    ("manual", r"[\w.-]+\.(?:md|markdown)"),
    ("yaml", r"[\w.-]+\.ya?ml"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _NAMES)
_OBJECT = r"^[ \t]*(?:- )?[\"']?apiVersion[\"']?[ \t]*:"
_SERVICES = r"^services[ \t]*:"
# What has to stand in a file for it to be worth reading. A manual tells of many servers, of which none need be ours.
_SAYS = {
    "compose": rb"triton|\ninclude:|--model-(?:repository|store)\b",
    "makefile": rb"triton",
    "script": rb"tritonserver",
    "dockerfile": rb"triton",
    "values": rb"triton",
}
_SHEBANG = re.compile(rb"#![^\n]*\b(?:ba|da|z|k|a)?sh\b")
# In this order files are read: one that another leads to, as a service to its Dockerfile, does not count by itself.
ORDER = ("compose", "dockerfile", "yaml", "values", "makefile", "script", "manual", "")


def kind_of(name: str) -> str:
    """The kind by the name: `compose`, `dockerfile`, `values`, `makefile`, `script`, `manual` or `yaml`; "" for
    none."""
    return next((kind for kind, pattern in _PATTERNS if pattern.fullmatch(name)), "")


def says_triton(kind: str, data: bytes) -> bool:
    """Whether a file of this kind, found by its name, may start a Triton server."""
    if kind == "yaml":
        lowered = data.lower()
        pods = re.search(rb"^\s*[\"']?kind[\"']?\s*:", lowered, re.MULTILINE) and b"containers" in lowered
        named = b"triton" in lowered or b"--model-repository" in lowered or b"--model-store" in lowered
        return named and bool(pods or b"inferenceservice" in lowered)
    if not kind:  # a command, perhaps a script
        return _SHEBANG.match(data) is not None and b"tritonserver" in data
    pattern = _SAYS.get(kind)
    return pattern is not None and re.search(pattern, data, re.IGNORECASE) is not None


def read_file(path: str, name: str, files: Files) -> Reading:
    """The launches in a file. FileError where it cannot be read."""
    kind = kind_of(name)
    if not kind and _SHEBANG.match(files.read(path)[:256].encode()):
        kind = "script"
    if kind in ("compose", "yaml", "values", ""):
        text = "" if kind == "compose" else files.read(path)
        if re.search(_OBJECT, text, re.MULTILINE):
            from tritoncheck.deployment.kubernetes import read_kubernetes
            from tritoncheck.deployment.kustomization import kustomized

            return kustomized(read_kubernetes(text, path), path, files)
        if kind == "values" and not re.search(_SERVICES, text, re.MULTILINE):
            from tritoncheck.deployment.values import read_values

            return read_values(text, path)
        from tritoncheck.deployment.compose import read_compose

        return read_compose(path, files)
    if kind == "dockerfile":
        from tritoncheck.deployment.dockerfile import read_dockerfile

        return read_dockerfile(files.read(path), path, files=files)
    from tritoncheck.deployment import script

    reader = {"makefile": script.read_makefile, "manual": script.read_manual}.get(kind, script.read_script)
    return reader(files.read(path), path, files)
