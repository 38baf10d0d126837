"""What a `kustomization.yaml` beside a manifest changes in it: the image's name and tag, and what patches may touch.

Only one in the manifest's own folder that lists it counts; overlays elsewhere are not looked for. Images are changed as
Kustomize does; of patches only the words are read, so that what they may change is left open.

Source: kustomize `api/types/kustomization.go` and `api/types/image.go`, 3.5 to 5.4.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.parts import Doubt
from tritoncheck.deployment.reading import Reading
from tritoncheck.deployment.serving import release_in
from tritoncheck.deployment.yaml import Node, YamlError, read_documents

_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")
# What changes anything, in ways that are not read here.
_CLOSED = ("components", "transformers", "replacements", "vars")
# The words of a patch that touch a part of a launch.
_TOUCHES = {
    "image": r"\bimage\b",
    "gpus": r"nvidia|\bresources\b|runtimeClassName",
    "command": r"\b(?:args|command)\b",
    "probe": r"Probe\b",
    "shm_size": r"\bvolumes\b|volumeMounts|/dev/shm",
    "environment": r"\benv(?:From)?\b",
}


def kustomized(reading: Reading, path: str, files: Files) -> Reading:
    """What was read from a manifest, as the kustomization beside it leaves it; the same where there is none."""
    if not reading.launches:
        return reading
    beside = (os.path.join(os.path.dirname(path), name) for name in _NAMES)
    found = next((one for one in beside if files.exists(one)), None)
    root = _root(found, files) if found else None
    if root is None or not _lists(root, os.path.basename(path)):
        return reading
    return reading._replace(launches=tuple(_changed(one, root, files) for one in reading.launches))


def _root(path: str, files: Files) -> Node | None:
    """The mapping in a file; None where it cannot be read."""
    try:
        documents = read_documents(files.read(path), path)
    except (FileError, YamlError):
        return None
    return documents[0] if documents and documents[0].items else None


def _lists(root: Node, name: str) -> bool:
    return any(os.path.normpath(text) == name for key in ("resources", "bases") for text in _texts(root.get(key)))


def _texts(node: Node | None) -> list[str]:
    return [one.text for one in (node.entries if node is not None else []) if one.is_scalar and one.text]


def _changed(launch: Launch, root: Node, files: Files) -> Launch:
    """A launch after images and patches."""
    images = root.get("images")
    for one in images.entries if images is not None else []:
        launch = _with_image(launch, one)
    for key in (*_PATCHES, *_CLOSED):
        node = root.get(key)
        if node is None or not node.entries:
            continue
        words = None if key in _CLOSED else _words(node, files)
        touched = [part for part, word in _TOUCHES.items() if words is None or re.search(word, words)]
        for part in touched:
            launch = _opened(launch, part, node, key)
    return launch


def _with_image(launch: Launch, entry: Node) -> Launch:
    """A launch whose image an entry of `images` names, with the new name, tag or digest."""
    name, tag, digest = _split(launch.image)
    wanted = entry.get("name")
    given = {key: node.text for key in ("newName", "newTag", "digest") if (node := entry.get(key)) is not None}
    if wanted is None or wanted.text != name or not any(given.values()):
        return launch
    name = given.get("newName") or name
    if given.get("newTag"):
        tag, digest = given["newTag"], ""
    if given.get("digest"):
        tag, digest = "", given["digest"]
    image = name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")
    place = entry.place("newTag" if given.get("newTag") else "newName" if given.get("newName") else "digest")
    return launch._replace(image=image, release=release_in(image), origins={**launch.origins, "image": place})


def _split(image: str) -> tuple[str, str, str]:
    """Name, tag and digest of a reference as written."""
    rest, _, digest = image.partition("@")
    head, slash, last = rest.rpartition("/")
    last, _, tag = last.partition(":")
    return head + slash + last, tag, digest


def _words(node: Node, files: Files) -> str | None:
    """All that patches say, None where one of them cannot be read."""
    found = []
    for text in _written(node):
        found.append(text)
        if "\n" not in text and re.fullmatch(r"[\w./-]+\.(?:ya?ml|json)", text):
            try:
                found.append(files.read(os.path.normpath(os.path.join(os.path.dirname(node.span.path), text))))
            except FileError:
                return None
    return "\n".join(found)


def _written(node: Node) -> Iterator[str]:
    """The texts in a list of patches: a file's name, a patch itself, or a mapping that holds one of them."""
    for one in node.entries:
        if one.is_scalar:
            yield one.text
        for key in ("path", "patch"):
            inner = one.get(key) if one.items else None
            if inner is not None:
                yield inner.text


def _opened(launch: Launch, part: str, node: Node, key: str) -> Launch:
    """A launch of which one part is not known, since a patch may change it."""
    doubt = Doubt(part, f"`{key}` of `{node.span.path}` may change it, and is not applied here", node.span)
    launch = launch._replace(doubts=(*launch.doubts, doubt))
    if part == "image":
        return launch._replace(image="", release=None)
    if part == "gpus":
        return launch._replace(gpus=None, memory=None, cpus=None)
    if part == "command":
        return launch._replace(flags_known=False)
    if part == "probe":
        return launch._replace(probes=())
    if part == "shm_size":
        return launch._replace(shm_size=None)
    return launch
