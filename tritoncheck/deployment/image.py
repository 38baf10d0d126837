"""What an image reference says: registry, repository, tag, digest, and what NVIDIA's tags mean.

A tag such as `24.05-py3` names the release and the variant of the image; a mirror or a build of one's own often keeps
the beginning (`24.05-custom`). Only the tag of an image whose name says `triton` is read so: `ubuntu:22.04` is no
Triton. Nothing is guessed: what the tag does not say is None or "".

Grammar: distribution/reference `regexp.go`, as Docker reads references.
"""

from __future__ import annotations

import re
from typing import NamedTuple

Release = tuple[int, ...]

_REFERENCE = (
    r"(?P<name>[A-Za-z0-9\[][A-Za-z0-9._/:\[\]-]*?)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?"
    r"(?:@(?P<digest>[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,}))?"
)
_REPOSITORY = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
_HOST = r"(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d+)?"
_RELEASE = r"(?<![\d.])(\d\d\.(?:0[1-9]|1[0-2])(?:\.\d)?)(?![\d.])"
_PLACEHOLDER = r"[$%<{]"
_UNPRINTABLE = r"[\x00-\x1f\x7f-\xa0\u2028\u2029]"
_LONGEST = 255 + 129 + 512  # name, tag, digest

# Variants of NVIDIA's image by the rest of the tag. Source: tags of nvcr.io/nvidia/tritonserver, 20.03 to 26.10.
_VARIANTS = {
    "py3": "server",
    "py3-min": "min",
    "py3-igpu-min": "min",
    "py3-sdk": "sdk",
    "py3-igpu-sdk": "sdk",
    "py3-clientsdk": "sdk",
    "py3-igpu": "igpu",
    "vllm-python-py3": "vllm",
    "trtllm-python-py3": "trtllm",
    "pyt-python-py3": "pytorch",
    "tf2-python-py3": "tensorflow",
}
# Variants without a `tritonserver` program.
WITHOUT_SERVER = frozenset(("min", "sdk"))


class ImageName(NamedTuple):
    """An image reference in parts; "" for a part that is not there. registry: with its port."""

    registry: str
    repository: str
    tag: str = ""
    digest: str = ""

    @property
    def is_triton(self) -> bool:
        """Whether its name says that it is a Triton server."""
        return "triton" in self.repository.lower()

    @property
    def release(self) -> Release | None:
        """The release that the tag names; None if it names none."""
        found = re.search(_RELEASE, self.tag) if self.is_triton else None
        return tuple(int(part) for part in found.group(1).split(".")) if found else None

    @property
    def variant(self) -> str:
        """`server`, `min`, `sdk`, `igpu`, `vllm`, `trtllm`, `pytorch`, `tensorflow`, or `custom` for any other tag
        that begins with a release; "" where the tag names no release."""
        found = re.search(_RELEASE, self.tag) if self.is_triton else None
        if not found:
            return ""
        before, rest = self.tag[: found.start()], self.tag[found.end() :].removeprefix("-")
        return _VARIANTS.get(rest, "custom") if before in ("", "r", "v") else "custom"

    def with_tag(self, tag: str) -> str:
        """The same repository with another tag."""
        return f"{self.registry}/{self.repository}:{tag}" if self.registry else f"{self.repository}:{tag}"


def image_fault(text: str) -> str:
    """Why a reference can be none of an image, in words; "" if it may be one. A placeholder may become anything."""
    if not text:
        return "it is empty"
    if re.search(_UNPRINTABLE, text):
        return "it holds a control character"
    if re.search(_PLACEHOLDER, text):
        return ""
    if " " in text:
        return "it holds a space"
    if "://" in text:
        return "it is a URL; a reference begins with the registry's name"
    tag = text.rsplit("/", 1)[-1].partition(":")[2].partition("@")[0]
    if len(tag) > 128:
        return "its tag is longer than 128 characters"
    found = re.fullmatch(_REFERENCE, text, re.ASCII) if len(text) <= _LONGEST else None
    if not found:
        return "Docker cannot read it as a reference"
    registry, repository = _split(found["name"])
    if registry and not re.fullmatch(_HOST, registry):
        return f"`{registry}` is no registry"
    if repository != repository.lower():
        return "a repository's name must be in lower case"
    return "" if re.fullmatch(_REPOSITORY, repository) else "Docker cannot read it as a reference"


def parse_image(text: str) -> ImageName | None:
    """A reference in parts; None for what is none, or holds a placeholder."""
    if not text or re.search(_PLACEHOLDER, text) or image_fault(text):
        return None
    found = re.fullmatch(_REFERENCE, text, re.ASCII)
    assert found
    registry, repository = _split(found["name"])
    return ImageName(registry, repository, found["tag"] or "", found["digest"] or "")


def release_of_image(image: str) -> Release | None:
    """The release that an image's tag names (`…/tritonserver:24.05-py3` is 24.05); None if it names none."""
    name = parse_image(image)
    return name.release if name else None


def _split(name: str) -> tuple[str, str]:
    """Registry and repository: the first part is a registry if it has a dot or a port, or is `localhost`."""
    first, slash, rest = name.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return first, rest
    return "", name
