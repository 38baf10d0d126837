"""What a kustomization beside a manifest changes in its launch, and what it leaves open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tritoncheck.deployment.files import Files
from tritoncheck.deployment.kinds import read_file
from tritoncheck.deployment.launch import Launch

NAME = "nvcr.io/nvidia/tritonserver"
MANIFEST = f"""apiVersion: v1
kind: Pod
metadata: {{ name: triton }}
spec:
  containers:
    - name: triton
      image: {NAME}:24.05-py3
      args: [tritonserver, --model-repository=/models]
      resources: {{ limits: {{ nvidia.com/gpu: 2, memory: 8Gi, cpu: 3 }} }}
      volumeMounts: [{{ name: shm, mountPath: /dev/shm }}]
      livenessProbe: {{ httpGet: {{ path: /v2/health/live, port: 8000 }} }}
  volumes: [{{ name: shm, emptyDir: {{ medium: Memory, sizeLimit: 1Gi }} }}]
"""
LISTED = "resources: [pod.yaml]\n"
ALL = ["image", "gpus", "command", "probe", "shm_size", "environment"]


def read(folder: Path, kustomization: str, name: str = "kustomization.yaml", **files: str) -> Launch:
    """The launch of the manifest with a kustomization beside it."""
    (folder / "pod.yaml").write_text(MANIFEST)
    (folder / name).write_text(kustomization)
    for stem, text in files.items():
        (folder / f"{stem}.yaml").write_text(text)
    (launch,) = read_file(str(folder / "pod.yaml"), "pod.yaml", Files()).launches
    return launch


@pytest.mark.parametrize(
    ("entry", "image"),
    [
        (f"name: {NAME}, newTag: 23.05-py3", f"{NAME}:23.05-py3"),
        (f"name: {NAME}, newName: registry.local/triton", "registry.local/triton:24.05-py3"),
        (f"name: {NAME}, newName: a.b/triton, newTag: 25.01-py3", "a.b/triton:25.01-py3"),
        (f"name: {NAME}, digest: 'sha256:{'a' * 64}'", f"{NAME}@sha256:{'a' * 64}"),
        ("name: tritonserver, newTag: 23.05-py3", f"{NAME}:24.05-py3"),
        (f"name: {NAME}", f"{NAME}:24.05-py3"),
        (f"name: {NAME}, newTag: ''", f"{NAME}:24.05-py3"),
        (f"name: {NAME}, newTag: '1', digest: 'sha256:{'b' * 64}'", f"{NAME}@sha256:{'b' * 64}"),
        ("newTag: 23.05-py3", f"{NAME}:24.05-py3"),
    ],
)
def test_images(entry: str, image: str, tmp_path: Path) -> None:
    """Names are compared whole, as Kustomize does."""
    launch = read(tmp_path, f"{LISTED}images: [{{ {entry} }}]\n")
    assert launch.image == image
    tag = re.search(r":(\d\d)\.(\d\d)-py3$", image)
    assert launch.release == (tuple(map(int, tag.groups())) if tag else None)
    assert Path(launch.origins["image"].path).name == (
        "pod.yaml" if image.endswith("24.05-py3") and "nvcr" in image else "kustomization.yaml"
    )


@pytest.mark.parametrize(
    ("text", "left_open"),
    [
        ("patches: [{ path: gpu.yaml }]\n", ["gpus"]),
        ("patchesStrategicMerge: [gpu.yaml]\n", ["gpus"]),
        ("patches: [{ path: args.yaml }]\n", ["command"]),
        ("patches: [{ patch: 'startupProbe: {}' }]\n", ["probe"]),
        ("patches: [{ path: missing.yaml }]\n", ALL),
        ("components: [../gpu]\n", ALL),
        *((f"{key}: [a]\n", ALL) for key in ("transformers", "replacements", "vars")),
        ("patches: [{ path: gpu.yaml }, { path: missing.yaml }]\n", ALL),
        ("patches: [{ path: gpu.yaml }]\npatchesJson6902: [{ path: args.yaml }]\n", ["gpus", "command"]),
        ("patchesStrategicMerge:\n- |-\n  spec:\n    image: a\n", ["image"]),
        ("patches: [{ patch: 'path: /dev/shm' }]\n", ["shm_size"]),
        ("patches: [{ patch: 'env: []' }]\n", ["environment"]),
        ("patches: [{ target: { kind: Pod } }]\n", []),
        ("namePrefix: a-\n", []),
        ("patches: []\n", []),
    ],
)
def test_patches(text: str, left_open: list[str], tmp_path: Path) -> None:
    """What a patch speaks of is open; the rest is as written."""
    gpu, args = "resources: { limits: { nvidia.com/gpu: 1 } }", "args: [tritonserver]"
    launch = read(tmp_path, LISTED + text, gpu=gpu, args=args)
    assert [one.key for one in launch.doubts] == left_open
    assert [one is None for one in (launch.gpus, launch.memory, launch.cpus)] == ["gpus" in left_open] * 3
    assert (launch.shm_size is None) == ("shm_size" in left_open)
    assert launch.flags_known == ("command" not in left_open)
    assert bool(launch.probes) == ("probe" not in left_open)
    assert bool(launch.image) == ("image" not in left_open)
    assert (launch.release is None) == ("image" in left_open)
    assert {Path(one.span.path).name for one in launch.doubts} <= {"kustomization.yaml"}


@pytest.mark.parametrize(
    "text", ["resources: [other.yaml]\ncomponents: [a]\n", "components: [a]\n", "a: [", "", "- a\n"]
)
def test_others(text: str, tmp_path: Path) -> None:
    """One that does not list the manifest, or cannot be read, changes nothing."""
    assert read(tmp_path, text).doubts == ()


@pytest.mark.parametrize("listed", ["resources: [a.yaml, ./pod.yaml]\n", "bases: [pod.yaml]\n"])
def test_ways_to_list_it(listed: str, tmp_path: Path) -> None:
    """Among others, by another path, and by the old key."""
    assert read(tmp_path, f"{listed}components: [a]\n").image == ""


def test_images_one_after_the_other(tmp_path: Path) -> None:
    """What one entry has renamed is what the next one may name; an image by its digest gets a tag instead."""
    images = f"images: [{{ name: {NAME}, newName: 'host:5000/a', digest: x }}, {{ name: 'host:5000/a', newTag: b }}]\n"
    assert read(tmp_path, LISTED + images).image == "host:5000/a:b"


def test_other_names(tmp_path: Path) -> None:
    """It has three names."""
    for name in ("kustomization.yml", "Kustomization"):
        folder = tmp_path / name
        folder.mkdir()
        assert read(folder, f"{LISTED}components: [a]\n", name).image == ""
