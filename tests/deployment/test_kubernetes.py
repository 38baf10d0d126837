"""Kubernetes manifests: those of fixtures/deployments/kubernetes, and any text."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployment.expected import check
from tritoncheck.deployment.kubernetes import read_kubernetes
from tritoncheck.deployment.quantities import quantity, seconds, size, whole
from tritoncheck.deployment.values import read_values

FILES = sorted((Path(__file__).parents[2] / "fixtures" / "deployments" / "kubernetes").glob("*/*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_fixture(file: Path) -> None:
    """A manifest is read as the table beside it says."""
    read = read_values if file.name == "values.yaml" else read_kubernetes
    check(read(file.read_text(), str(file)), file)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64Mi", 64 * 1024**2),
        ("8G", 8_000_000_000),
        ("1.5Gi", 1_610_612_736),
        ("1e9", 1_000_000_000),
        ("128974848", 128_974_848),
        ("500m", Decimal("0.5")),
        (".5", Decimal("0.5")),
        ("8GB", None),
        ("8 Gi", None),
        ("", None),
        ("Mi", None),
        ("1e999", None),
    ],
)
def test_quantity(text: str, value: int | Decimal | None) -> None:
    """Quantities of Kubernetes."""
    assert quantity(text) == value


def test_amounts() -> None:
    """Durations of Go, sizes of Docker."""
    assert [seconds(one) for one in ("1m30s", "500ms", "1.5h", "0", "10", "x")] == [90, 0.5, 5400, 0, None, None]
    assert [size(one) for one in ("64m", "1.5gb", "512MiB", "1024", "x", "")] == [
        64 * 1024**2, 1_610_612_736, 512 * 1024**2, 1024, None, None,
    ]  # fmt: skip
    assert whole("512m") == 1


WORDS = [
    *(
        "apiVersion: v1\n",
        "kind: Pod\n",
        "kind: Deployment\n",
        "spec:\n",
        "  containers:\n",
        "  - name: triton\n",
        "---\n",
    ),
    *("    image: x/tritonserver:24.05-py3\n", "    command: [tritonserver]\n", "    args:\n", "    - --id=$(A)\n"),
    *(
        "    env: [{name: A, value: $(B)}]\n",
        "    resources: {limits: {nvidia.com/gpu: x}}\n",
        "  template:\n    spec:\n",
    ),
    *(
        "    livenessProbe: {httpGet: {port: a}, periodSeconds: b}\n",
        "    volumeMounts: [{name: a}]\n",
        "{{ x }}",
        "}",
        "[",
    ),
    *(
        "    volumes: [a, {name: [b]}]\n",
        "metadata: x\n",
        "items: [1]\n",
        "apiVersion: serving.kserve.io/v1\n",
        "predictor: []\n",
    ),
    *(
        "kind: InferenceService\n",
        "  predictor: {triton: {args: x}}\n",
        "kind: List\n",
        "é",
        "    ports: 1\n",
        "    image: {tag: 1}\n",
        "    - |\n     x\n",
    ),
]


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=9)).map("".join))
def test_any_text_is_read(text: str) -> None:
    """No text is refused, and every place lies in it."""
    text = "# triton\n" + text
    read_values(text, "f")
    reading = read_kubernetes(text, "f")
    size = len(text.encode("utf-8", "surrogatepass"))
    spans = [span for launch in reading.launches for span in launch.origins.values()]
    spans += [one.span for one in reading.faults] + [one.span for launch in reading.launches for one in launch.doubts]
    assert all(0 <= span.start <= span.end <= size for span in (*spans, *reading.unread))
