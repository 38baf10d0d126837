"""What may lie beside a repository and is no Compose file: each gets one clean finding, and the models are checked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.deployment.test_deployments import check, model

COMPOSE = """services:
  triton:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
"""
# Services enough that a reader that compares each with each would not be through in a minute.
MANY = "".join(
    f"  s{n}: {{image: 'x/tritonserver:24.05-py3', ports: ['8000:8000'], profiles: [a]}}\n" for n in range(600)
)


def write(text: str | bytes, name: str = "docker-compose.yml") -> Callable[[Path], None]:
    """Makes a file."""
    data = text.encode() if isinstance(text, str) else text

    def make(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return make


def link(name: str, target: str) -> Callable[[Path], None]:
    """Makes a link."""
    return lambda folder: os.symlink(target, folder / name)


def both(*makers: Callable[[Path], None]) -> Callable[[Path], None]:
    """Does one after the other."""

    def make(folder: Path) -> None:
        for one in makers:
            one(folder)

    return make


def includes(folder: Path) -> None:
    """A file that includes hundreds."""
    names = [f"f{number}.yml" for number in range(300)]
    write(f"include: [{', '.join(names)}]\n{COMPOSE}")(folder)
    for name in names:
        write("services: {}\n", name)(folder)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (write(COMPOSE + "\0"), "a null character, line 5"),
        (write(COMPOSE + '    env_file: "a\\0b"\n'), "a null character"),
        (write("# triton\nservices: " + "[" * 5000), "nested more than"),
        (write("# triton\nservices:\n" + "- " * 5000), "nested more than"),
        (write("services: &a\n  triton: *a\n"), "inside what it stands for"),
        (write("services: &a\n  <<: *a\n  triton: {image: x}\n"), "inside what it stands for"),
        (write("include: docker-compose.yml\n" + COMPOSE), "include each other in a circle"),
        (write(COMPOSE + "    extends: other\n  other: {extends: triton}\n"), "extend each other in a circle"),
        (write("x: &a [" + "1, " * 3000 + "]\ny: [" + "*a, " * 3000 + "]\n" + COMPOSE), "unfold into more than"),
        (includes, "more than 100 files belong to it"),
        (lambda folder: os.mkfifo(folder / "docker-compose.yml"), "not a regular file"),
        (lambda folder: (folder / "docker-compose.yml").mkdir(), "not a regular file"),
        (link("docker-compose.yml", "/dev/zero"), "not a regular file"),
        (link("docker-compose.yml", "docker-compose.yml"), "symbolic links"),
        (link("docker-compose.yml", "../gone.yml"), "no such file"),
        (both(write(COMPOSE + "    env_file: a.env\n"), write('A="\n', "a.env")), "a quote that is not closed"),
        (both(link("Makefile", "Makefile"), write(COMPOSE + "services:\n")), "stands twice"),
    ],
)
def test_one_finding(make: Callable[[Path], None], message: str, tmp_path: Path) -> None:
    """What is wrong is said once, at the file."""
    repository = model(tmp_path / "models")
    make(tmp_path)
    report = check(repository)
    (one,) = (one for one in report.findings if one.rule.code == "TCV012")
    assert message in one.message
    assert report.models == 1


@pytest.mark.parametrize(
    "make",
    [
        write("services:\n" + MANY),
        write(COMPOSE + "    environment: {A: '" + "${A:-" * 30000 + "'}\n"),
        both(write(COMPOSE + "    environment: {A: '" + "$B" * 100_000 + "'}\n"), write("B=" + "x" * 1000, ".env")),
        both(write(COMPOSE), write("A=xx\n" + "A=$A$A\n" * 5000, ".env")),
        both(link("deploy", "docker"), link("docker", "deploy"), write(COMPOSE)),
        both(lambda folder: os.mkfifo(folder / ".env"), write(COMPOSE)),
        write(COMPOSE + "# tritoncheck: ignore[TCV012] x\n" * 3000),
    ],
)
def test_nothing_to_say(make: Callable[[Path], None], tmp_path: Path) -> None:
    """What only takes long, or leads in circles, is read as far as it goes."""
    repository = model(tmp_path / "models")
    make(tmp_path)
    report = check(repository)
    assert not [one for one in report.findings if one.rule.code == "TCV012"]
    assert report.models == 1


def test_what_cannot_be_read_is_listed(tmp_path: Path) -> None:
    """A file of variables that is a pipe, too large or not there is said to be open."""
    repository = model(tmp_path / "models")
    files = "[a.env, b.env, c.env]"
    write(f"{COMPOSE}    env_file: {files}\n    volumes: ['./models:/models']\n")(tmp_path)
    os.mkfifo(tmp_path / "a.env")
    write("A=1\n" * 50_000, "b.env")(tmp_path)
    report = check(repository)
    assert not [one for one in report.findings if one.rule.code == "TCV012"]
    (said,) = (one.why for one in report.unchecked if one.what.startswith("open values"))
    assert "`a.env`, which is not read: not a regular file" in said
    assert "`b.env`, which is not read: 200000 characters, too large" in said
    assert "`c.env`, which is not read: no such file" in said
