"""What a script installs with `pip`."""

from __future__ import annotations

import pytest

from tritoncheck.deployment.pip import installed


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("pip install numpy", {"numpy": ""}),
        ("pip3 install numpy==1.26.4 Pillow", {"numpy": "1.26.4", "pillow": ""}),
        ("python3 -m pip install --no-cache-dir 'tensorrt_cu12==10.3.0'", {"tensorrt-cu12": "10.3.0"}),
        ("sudo pip3.10 install tensorrt", {"tensorrt": ""}),
        ('pip install "tensorrt>=8,<9" "onnx[reference]==1.16.0"', {"tensorrt": "", "onnx": "1.16.0"}),
        ("apt-get update && pip install -U a; pip install b", {"a": "", "b": ""}),
        ("uv pip install a", {"a": ""}),
        ("pip install -r requirements.txt -i https://example.com/simple a", {"a": ""}),
        ("pip install . ./wheel.whl /src git+https://example.com/a", {}),
        ("pip install $PACKAGES", {}),
        ("pip download a", {}),
        ("echo pip install a", {}),
        ("# pip install a", {}),
        ("pipx install a", {}),
        ("pip install", {}),
        ("pip install 'a", {"a": ""}),
        ("", {}),
    ],
)
def test_installed(script: str, found: dict[str, str]) -> None:
    """Packages by name, with the version that is asked for."""
    assert {name: version for name, (version, _, _) in installed(script).items()} == found


def test_places() -> None:
    """Where each stands in the script."""
    script = "pip install a 'b==1'"
    assert {name: script[start:end] for name, (_, start, end) in installed(script).items()} == {"a": "a", "b": "'b==1'"}
