"""How the server is started, as read from options and command lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.config import Settings
from tritoncheck.deployment.command_line import parse_command
from tritoncheck.deployment.image import release_of_image
from tritoncheck.deployment.launch import Launch, LaunchError
from tritoncheck.deployment.options import launch_from, parse_capability
from tritoncheck.deployment.parts import Gpus
from tritoncheck.deployment.quantities import size as read_size
from tritoncheck.deployment.release_names import newest_release, parse_release_option


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("24.01", (24, 1)),
        ("r24.01", (24, 1)),
        ("2.42.0", (24, 1)),
        ("v2.42.0", (24, 1)),
        ("2.70.0", (26, 6)),
        ("20.03.1", (20, 3, 1)),
    ],
)
def test_release(text: str, release: tuple[int, ...]) -> None:
    """A tag or a version of Triton names a release."""
    assert parse_release_option(text) == release


@pytest.mark.parametrize("text", ["", "24", "24.13", "latest", "2.999.0", "24.1", "-1", "24.01-py3"])
def test_no_release(text: str) -> None:
    """Anything else is refused with the text in the message."""
    with pytest.raises(LaunchError, match=r"release|version"):
        parse_release_option(text)


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("nvcr.io/nvidia/tritonserver:26.06-py3", (26, 6)),
        ("nvcr.io/nvidia/tritonserver:24.05-trtllm-python-py3", (24, 5)),
        ("registry.local:5000/nvidia/tritonserver:24.05-custom", (24, 5)),
        ("registry.local:5000/24.05/tritonserver:latest", None),
        ("tritonserver:r23.04-py3-sdk", (23, 4)),
        ("tritonserver:24.05-py3@sha256:" + "0" * 64, (24, 5)),
        ("tritonserver", None),
        ("tritonserver:my-build-1.24.051", None),
    ],
)
def test_image(image: str, release: tuple[int, ...] | None) -> None:
    """The tag of an image names the release, or nothing does: it is never guessed."""
    assert release_of_image(image) == release


def launch(command: str, release: tuple[int, ...] | None = None) -> Launch:
    """A launch from a command line."""
    found = parse_command(command)
    return Launch(release, found.image, True, found.flags, environment=found.environment)


@pytest.mark.parametrize(
    ("command", "serial"),
    [
        ("tritonserver --model-repository=/models", False),
        ("tritonserver --model-repository=/models --model-load-thread-count=1", True),
        ("tritonserver --model-repository /models --model-load-thread-count 1", True),
        ("tritonserver --model-load-thread-count=0", True),
        ("tritonserver --model-load-thread-count=1 --model-load-thread-count=8", False),
        ("tritonserver --model-control-mode=explicit", True),
        ("tritonserver --model-control-mode explicit --load-model '*'", False),
        ("tritonserver --model-control-mode=explicit --load-model=a", False),
        ("tritonserver --model-control-mode=poll", False),
        ("--model-load-thread-count=1", True),
        ("docker run --gpus all x/tritonserver:24.05-py3 tritonserver --model-load-thread-count=1", True),
        ("tritonserver --log-verbose=1 && echo --model-load-thread-count=1", False),
        ("tritonserver --model_load_thread_count=1", False),  # Triton has no such flag
        ("A=1 exec /opt/tritonserver/bin/tritonserver --model-load-thread-count=1", True),
        ("""bash -lc "cd /x && exec tritonserver --model-load-thread-count=1" """, True),
        ('["tritonserver", "--model-load-thread-count=1"]', True),
        ("tritonserver --model-repository=/m; other --model-load-thread-count=1", False),
        ("tritonserver \\\n  --model-load-thread-count=1", True),
    ],
)
def test_serial(command: str, serial: bool) -> None:
    """Which command lines make the server load one model after the other."""
    assert launch(command).serial is serial


@pytest.mark.parametrize(
    ("command", "release", "completes"),
    [
        ("tritonserver", None, True),
        ("tritonserver", (22, 5), False),
        ("tritonserver", (22, 7), True),
        ("tritonserver --disable-auto-complete-config", None, False),
        ("tritonserver --disable-auto-complete-config=false", None, True),
        ("tritonserver --strict-model-config=true", (24, 1), False),
    ],
)
def test_autocomplete(command: str, release: tuple[int, ...] | None, completes: bool) -> None:
    """Whether the server fills in what a configuration leaves out."""
    assert launch(command, release).autocomplete is completes


def test_docker_run() -> None:
    """A `docker run` line gives the image and the environment too."""
    found = launch(
        "docker run --rm -e TRITON_PARALLEL_INSTANCE_LOADING=0 --env A=b --shm-size=1g -p 8000:8000 "
        "nvcr.io/nvidia/tritonserver:24.05-py3 tritonserver --model-repository=/models --load-model=a --load-model=b"
    )
    assert found.image == "nvcr.io/nvidia/tritonserver:24.05-py3"
    assert dict(found.environment) == {"TRITON_PARALLEL_INSTANCE_LOADING": "0", "A": "b"}
    assert found.load_models == ["a", "b"]


@pytest.mark.parametrize(
    "options",
    [
        "--name tritonserver",
        "-v /opt/tritonserver:/opt/tritonserver -w /opt/tritonserver",
        "--rm -it --gpus all --shm-size=1g",
        "--gpus=all --network host -p 8000:8000 -p8001:8001",
    ],
)
@pytest.mark.parametrize("server", ["tritonserver", "bash -c 'exec tritonserver --model-load-thread-count=1'"])
def test_docker_options_are_no_command(options: str, server: str) -> None:
    """Names and paths of a container are not taken for the server or the image."""
    found = launch(f"docker run {options} my/app:23.01-custom {server} --model-repository=/m")
    assert found.image == "my/app:23.01-custom"
    assert found.serial == ("thread" in server)


def test_entry_point_and_pod() -> None:
    """The server may be the entry point of the image, or run in a pod."""
    found = launch("docker run --entrypoint tritonserver x/triton:24.05-py3 --model-load-thread-count=1")
    assert (found.image, found.serial) == ("x/triton:24.05-py3", True)
    found = launch("kubectl run t --image=x/triton:22.03-py3 -- tritonserver --model-load-thread-count=1")
    assert (found.image, found.serial) == ("x/triton:22.03-py3", True)


@pytest.mark.parametrize("command", ["", "   ", "echo hello", 'tritonserver "--unclosed'])
def test_no_command(command: str) -> None:
    """What is no command line of a server is refused."""
    with pytest.raises(LaunchError):
        parse_command(command)


@given(st.text())
def test_never_raises_anything_else(command: str) -> None:
    """Any text is a command line or a LaunchError."""
    try:
        parse_command(command)
    except LaunchError:
        return


def test_unknown_flags_mean_unknown_defaults() -> None:
    """Without a command line nothing is claimed about threads or completion."""
    assert Launch().load_threads is None
    assert Launch().autocomplete is None
    assert not Launch().serial
    assert newest_release() >= (26, 6)


@pytest.mark.parametrize(
    ("command", "hidden"),
    [
        ("tritonserver --model-repository=/models", False),
        ("tritonserver --model-load-thread-count $THREADS", False),
        ("tritonserver --http-port=${PORT} > log", False),
        ("tritonserver $FLAGS", True),
        ("tritonserver --model-repository=/models {{ .Values.extraArgs }}", True),
        ("sh -c 'tritonserver \"$@\"'", True),
    ],
)
def test_hidden_flags(command: str, hidden: bool) -> None:
    """A word that something else fills in may be any flag; a flag's value is one value."""
    assert parse_command(command).hidden == hidden


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64m", 64 << 20),
        ("1gb", 1 << 30),
        ("1.5GiB", 3 << 29),
        ("512", 512),
        ("2 KB", 2048),
        ("1e9", None),
        ("-1g", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    """Sizes as Docker reads them."""
    assert read_size(text) == size


@pytest.mark.parametrize(("text", "capability"), [("8.6", (8, 6)), ("sm_90a", (9, 0)), ("12.0", (12, 0))])
def test_capabilities(text: str, capability: tuple[int, int]) -> None:
    """Compute capabilities in the spellings of CUDA's tools."""
    assert parse_capability(text) == capability


def test_options() -> None:
    """What the options say stands in the record; nonsense is refused."""
    launch = launch_from(Settings(shm_size="1g", compute_capability="8.6", driver="580.1", launch="tritonserver $X"))
    assert (launch.shm_size, launch.compute_capability, launch.driver) == (1 << 30, (8, 6), "580.1")
    assert not launch.flags_known
    for settings in (Settings(shm_size="big"), Settings(compute_capability="ampere")):
        with pytest.raises(LaunchError, match=r"give one such as"):
            launch_from(settings)


def test_engine_options() -> None:
    """What `docker run` tells the engine is part of what `--launch` says; an option of its own wins."""
    command = "docker run --gpus 2 --shm-size=1g -p 8000:8000 x/tritonserver:24.05-py3 tritonserver --http-port=8000"
    launch = launch_from(Settings(launch=command))
    assert (launch.shm_size, launch.gpus, launch.release) == (1 << 30, Gpus(2), (24, 5))
    assert [port.host for port in launch.ports] == [8000]
    assert not launch.source
    assert launch.place("shm_size") is None
    assert launch_from(Settings(launch=command, shm_size="2g")).shm_size == 2 << 30
    assert launch_from(Settings(launch="tritonserver --http-port=8000")).shm_size is None


def test_what_the_engine_is_told_and_not_read() -> None:
    """A file of variables that is not there is a doubt, also behind `--launch`."""
    launch = launch_from(Settings(launch="docker run --env-file gone.env x/tritonserver:24.05-py3 tritonserver"))
    assert [one.key for one in launch.doubts] == ["environment"]
    assert "`gone.env`, which is not read: no such file" in launch.doubts[0].why
