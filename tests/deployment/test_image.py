"""Image references, and what NVIDIA's tags mean."""

from __future__ import annotations

import pytest

from tritoncheck.deployment.image import ImageName, image_fault, parse_image

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("nvcr.io/nvidia/tritonserver:26.06-py3", ("nvcr.io", "nvidia/tritonserver", "26.06-py3", "")),
        ("registry.local:5000/nvidia/tritonserver:24.05-custom", ("registry.local:5000", "nvidia/tritonserver")),
        ("localhost/triton", ("localhost", "triton", "", "")),
        ("tritonserver", ("", "tritonserver", "", "")),
        ("nvidia/tritonserver:x", ("", "nvidia/tritonserver", "x", "")),
        (f"tritonserver@{DIGEST}", ("", "tritonserver", "", DIGEST)),
        (f"a.b/c/d:24.05-py3@{DIGEST}", ("a.b", "c/d", "24.05-py3", DIGEST)),
        ("[::1]:5000/tritonserver:24.05-py3", ("[::1]:5000", "tritonserver", "24.05-py3", "")),
        ("my--registry.example/a_b/c__d/e-f:1", ("my--registry.example", "a_b/c__d/e-f", "1", "")),
    ],
)
def test_parts(text: str, parts: tuple[str, ...]) -> None:
    """Registry, repository, tag, digest."""
    found = parse_image(text)
    assert found is not None
    assert tuple(found)[: len(parts)] == parts
    assert image_fault(text) == ""


@pytest.mark.parametrize(
    ("tag", "release", "variant"),
    [
        ("26.06-py3", (26, 6), "server"),
        ("26.06-py3-min", (26, 6), "min"),
        ("26.06-py3-sdk", (26, 6), "sdk"),
        ("20.08-py3-clientsdk", (20, 8), "sdk"),
        ("24.05-py3-igpu", (24, 5), "igpu"),
        ("24.05-py3-igpu-min", (24, 5), "min"),
        ("24.05-py3-igpu-sdk", (24, 5), "sdk"),
        ("26.06-vllm-python-py3", (26, 6), "vllm"),
        ("26.06-trtllm-python-py3", (26, 6), "trtllm"),
        ("24.05-pyt-python-py3", (24, 5), "pytorch"),
        ("23.05-tf2-python-py3", (23, 5), "tensorflow"),
        ("24.05-custom", (24, 5), "custom"),
        ("24.05-py3-acme.4", (24, 5), "custom"),
        ("24.05", (24, 5), "custom"),
        ("r24.05-py3", (24, 5), "server"),
        ("prod-24.05-py3", (24, 5), "custom"),
        ("20.03.1-py3", (20, 3, 1), "server"),
        ("latest", None, ""),
        ("24.13-py3", None, ""),
        ("1.24.05", None, ""),
        ("2.46.0", None, ""),
        ("", None, ""),
    ],
)
def test_tags(tag: str, release: tuple[int, ...] | None, variant: str) -> None:
    """The release and the variant, or that the tag does not say; never a guess."""
    name = ImageName("", "nvidia/tritonserver", tag)
    assert (name.release, name.variant) == (release, variant)
    assert ImageName("", "ubuntu", tag).release is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it is empty"),
        ("tritonserver:24.05\x07-py3", "control character"),
        ("tritonserver:24.05-py3\n", "control character"),
        ("triton server:24.05", "a space"),
        ("tritonserver:\x1b[31m24.05", "control character"),
        ("tritonserver:24.05\u2028", "control character"),
        ("tritonserver:" + "x" * 129, "longer than 128"),
        ("nvidia/TritonServer:24.05", "lower case"),
        ("a:b:c", "cannot read"),
        ("tritonserver:", "cannot read"),
        (":24.05", "cannot read"),
        ("tritonserver:-24.05", "cannot read"),
        ("https://nvcr.io/nvidia/tritonserver:24.05-py3", "a URL"),
        ("tritonserver@sha256:abc", "cannot read"),
        ("a//b:1", "cannot read"),
        ("x/" * 200_000 + "!", "cannot read"),
        ("a" * 200_000 + "_" * 200_000, "cannot read"),
    ],
    ids=range(17),
)
def test_faults(text: str, fault: str) -> None:
    """What is no reference is said to be none, at once."""
    assert fault in image_fault(text)
    assert image_fault(text)
    assert parse_image(text) is None


@pytest.mark.parametrize("text", ["tritonserver:${TAG}", "$IMAGE", "{{ image }}", "nvcr.io/<image>", "%IMAGE%:24.05"])
def test_placeholders(text: str) -> None:
    """What is yet to be filled in is neither wrong nor known."""
    assert image_fault(text) == ""
    assert parse_image(text) is None


def test_another_tag() -> None:
    """Help names the image of the same registry."""
    name = parse_image("registry.local:5000/nvidia/tritonserver:24.05-custom")
    assert name is not None
    assert name.with_tag("25.11-py3") == "registry.local:5000/nvidia/tritonserver:25.11-py3"
