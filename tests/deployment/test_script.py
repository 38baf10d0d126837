"""Scripts: those of fixtures/deployments/shell, and any text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployment.expected import check
from tritoncheck.deployment.gpu_request import GpuRequestError, read_request, seen
from tritoncheck.deployment.kinds import kind_of
from tritoncheck.deployment.parts import Gpus, Mount, Port
from tritoncheck.deployment.ports import read_ports
from tritoncheck.deployment.reading import Reading
from tritoncheck.deployment.script import read_makefile, read_manual, read_script
from tritoncheck.deployment.volumes import read_mount, read_volume

FOLDER = Path(__file__).parents[2] / "fixtures" / "deployments" / "shell"
FILES = sorted(one for one in FOLDER.glob("*/*") if one.name != "expect.toml" and kind_of(one.name))
Read = Callable[[str, str], Reading]


def reader(file: Path) -> Read:
    """The reader for a file."""
    return {"Makefile": read_makefile, "README.md": read_manual}.get(file.name, read_script)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_fixture(file: Path) -> None:
    """A script is read as the table beside it says."""
    check(reader(file)(file.read_text(), str(file)), file)


@pytest.mark.parametrize(
    ("text", "ports"),
    [
        ("8000:8000", (Port(8000, 8000),)),
        ("127.0.0.1:8000:8001", (Port(8001, 8000, "127.0.0.1"),)),
        ("8000", (Port(8000),)),
        ("[::1]::8000", (Port(8000, None, "[::1]"),)),
        (":8000", (Port(8000),)),
        ("localhost:80:8000/udp", (Port(8000, 80, "localhost", "udp"),)),
        ("8000-8001:9000-9001", (Port(9000, 8000), Port(9001, 8001))),
        ("9000-9010:8000", (Port(8000),)),
        ("9000-9010:8000-8001", None),
        ("127.0.0.1:8000", None),
        ("1:2:3:4", None),
        ("1-60000", None),
        ("0:0", None),
        ("70000:8000", (Port(8000),)),
        ("$PORT:8000", None),
        ("", None),
    ],
)
def test_ports(text: str, ports: tuple[Port, ...] | None) -> None:
    """Docker's short form."""
    assert read_ports(text) == ports


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        ("all", Gpus()),
        ("2", Gpus(2)),
        ("0", Gpus(0)),
        ("device=0", Gpus(1, ("0",))),
        ('"device=0,GPU-1"', Gpus(2, ("0", "GPU-1"))),
        ('"device=0,1","capabilities=utility,compute"', Gpus(2, ("0", "1"))),
        ("all,capabilities=utility", Gpus()),
        ("count=all", Gpus()),
        ("device=all", Gpus()),
        ("$GPUS", None),
        ("", None),
    ],
)
def test_gpus(text: str, gpus: Gpus | None) -> None:
    """The value of `--gpus`."""
    assert read_request(text) == gpus


@pytest.mark.parametrize(
    ("given", "gpus", "left_open"),
    [
        ("docker run", Gpus(0), []),
        ("docker run $OPTS", None, ["gpus"]),
        ("docker run $OPTS --gpus 2", Gpus(2), ["gpus"]),
        ('G="--gpus all"; docker run $G', Gpus(), []),
        ('G=""; docker run $G', Gpus(0), []),
        ('if a; then G="--gpus all"; else G=""; fi; docker run $G', None, ["gpus"]),
        ('G=""; if a; then G="--gpus all"; fi; docker run $G', None, ["gpus"]),
        ("docker run ${A:+--gpus all}", None, ["gpus"]),
        ("docker run --privileged", None, []),
        ("docker run --device /dev/nvidia0", None, []),
        ("docker run --device /dev/fuse", Gpus(0), []),
        ("docker run -e NVIDIA_VISIBLE_DEVICES=0", None, []),
        ("docker run --ipc $IPC", Gpus(0), ["shm_size"]),
    ],
)
def test_gpus_of_the_engine(given: str, gpus: Gpus | None, left_open: list[str]) -> None:
    """What is not written is none only where nothing may stand for it."""
    launch = read_script(f"{given} tritonserver:24.05-py3 tritonserver --model-repository=/m\n", "run.sh").launches[0]
    assert launch.gpus == gpus
    assert [one.key for one in launch.doubts] == left_open


@pytest.mark.parametrize("text", ["device=0,1", "some", "device=0,count=1"])
def test_refused_gpus(text: str) -> None:
    """What Docker refuses."""
    with pytest.raises(GpuRequestError):
        read_request(text)


@pytest.mark.parametrize(
    ("given", "listed", "left"),
    [
        (Gpus(), None, Gpus()),
        (Gpus(), "0,1", Gpus(2, ("0", "1"))),
        (Gpus(), "1,-1,2", Gpus(1, ("1",))),
        (Gpus(), "", Gpus(0)),
        (Gpus(0), "0", Gpus(0)),
        (None, "0", Gpus(1, ("0",))),
        (Gpus(), "$X", Gpus()),
    ],
)
def test_seen(given: Gpus | None, listed: str | None, left: Gpus | None) -> None:
    """CUDA sees the GPUs that its variable names."""
    assert seen(given, {} if listed is None else {"CUDA_VISIBLE_DEVICES": listed}) == left


@pytest.mark.parametrize(
    ("text", "mount"),
    [
        ("/a:/b", Mount("/b", "/a")),
        ("/a/../c:/b:ro,z", Mount("/b", "/c", True)),
        ("models:/b", Mount("/b", "models", kind="volume")),
        ("/b", Mount("/b", kind="volume")),
        ("./a:/b", Mount("/b", "/here/a")),
        ("../a:/b", Mount("/b", "/a")),
        ("$PWD:/b", Mount("/b", "/here")),
        ("$(pwd)/a:/b", Mount("/b", "/here/a")),
        ("${X:-/c}/a:/b", Mount("/b", "")),
        ("~/a:/b", Mount("/b", "")),
        ("a", None),
        ("a:b:c:d", None),
        ("", None),
    ],
)
def test_volumes(text: str, mount: Mount | None) -> None:
    """What `-v` mounts."""
    assert read_volume(text, "/here") == mount


def test_mounts() -> None:
    """What `--mount` mounts."""
    assert read_mount("type=bind,src=./a,dst=/b,ro", "/here") == (Mount("/b", "/here/a", True), "")
    assert read_mount("source=v,target=/b", "/here") == (Mount("/b", "v", kind="volume"), "")
    assert read_mount("type=tmpfs,destination=/dev/shm,tmpfs-size=1g", "/") == (Mount("/dev/shm", kind="memory"), "1g")
    assert read_mount("type=bind", "/") is None


def test_who_gives_gpus_and_variables() -> None:
    """`nvidia-docker` gives all GPUs; what a script exports does not reach into a container."""
    text = "export A=b\nnvidia-docker run x/tritonserver:24.05-py3 tritonserver\n"
    text += "docker exec t tritonserver\ntritonserver\n"
    launches = read_script(text, "run.sh").launches
    assert [one.gpus for one in launches] == [Gpus(), None, None]
    assert [dict(one.environment) for one in launches] == [{}, {}, {"A": "b"}]


LINES = [
    *(
        "docker run",
        "tritonserver",
        "--gpus",
        "-p",
        "8000:8000",
        "-v",
        "$(pwd):/m",
        "--mount",
        "x/tritonserver:24.05-py3",
    ),
    *("\\\n", "\n", "\n\t@", "$(X)", "X := a\n", "```bash\n", "```\n", "--health-cmd", "'", '"', "--shm-size=1g", "-m"),
    *("--network", "host", "--tmpfs", "/dev/shm", "<<E\n", "E\n", "$ ", "--ipc", "=", "é", "--env-file", "$$"),
]


@pytest.mark.parametrize("read", [read_script, read_manual, read_makefile])
@given(text=st.lists(st.sampled_from(LINES) | st.text(max_size=9)).map(" ".join))
def test_any_text_is_read(read: Read, text: str) -> None:
    """No text is refused, and every place lies in it."""
    reading = read(text, "f")
    size = len(text.encode("utf-8", "surrogatepass"))
    spans = [span for launch in reading.launches for span in launch.origins.values()]
    spans += [one.span for one in reading.faults] + [one.span for launch in reading.launches for one in launch.doubts]
    assert all(0 <= span.start <= span.end <= size for span in spans)


def test_a_script_that_is_too_large_is_told() -> None:
    """It starts a server, perhaps, and is not read: that is no silence."""
    command = "tritonserver --model-repository=/models\n"
    assert not read_script(command + "#" * 200_000, "run.sh").faults
    (fault,) = read_script(command + "#" * 300_000, "run.sh").faults
    assert fault.message == f"{300_000 + len(command)} characters, too large for a script that starts a server"
    assert read_script("echo\n" * 100_000, "run.sh").faults == ()
