"""Words, commands and starts of a server in shell scripts, each with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.deployment.command_line import find_servers
from tritoncheck.deployment.command_words import Script
from tritoncheck.deployment.shell import read_commands
from tritoncheck.deployment.words import read_list


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("a b", [["a", "b"]]),
        ("a 'b c' \"d e\"f g\\ h", [["a", "b c", "d ef", "g h"]]),
        ("a '' b", [["a", "", "b"]]),
        ("a \\\n  b # not this\nc", [["a", "b"], ["c"]]),
        ("a \\\r\n b", [["a", "b"]]),
        ("a#b #c", [["a#b"]]),
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("a > out 2>&1 <in b &> all c", [["a", "b", "c"]]),
        ("cat <<X\na b\nX\nc", [["cat"], ["c"]]),
        ("cat <<-'X' | d\n\ta\n\tX\nc", [["cat"], ["d"], ["c"]]),
        ("cat <<< 'word' a", [["cat", "a"]]),
        ('"a\\"b" "$X" \'$X\'', [['a"b', "$X", "$X"]]),
        ("X=1; a $X ${X} ${X}y", [["a", "1", "1", "1y"]]),
        ("X='1 2'; a $X \"$X\"", [["a", "1", "2", "1 2"]]),
        ("X=; a $X b", [["a", "b"]]),
        ("a ${X:-d} ${X-e} ${1:-f} ${X:?g}", [["a", "d", "e", "f", "${X:?g}"]]),
        ("X=(1 '2 3'); a \"${X[@]}\" b", [["a", "1", "2 3", "b"]]),
        ("X=(\n  1\n  # two\n  2\n)\na ${X[@]}", [["a", "1", "2"]]),
        ('X=(1); X+=(2); a "${X[@]}"', [["a", "1", "2"]]),
        ("X=a; X+=b; X=$X$X; c $X", [["c", "abab"]]),
        ("a $(b $(c) ')') `d e` <(f g)", [["a", "$(b $(c) ')')", "`d e`", "<(f g)"], ["b", "$(c)", ")"], ["c"]]),
        ("export X=1 Y=2; a $X$Y", [["a", "12"]]),
        ("if a; then X=1; b $X; fi; c $X", [["a"], ["b", "1"], ["c", "$X"]]),
        ("if a; then X=1; else b $X; fi", [["a"], ["b", "$X"]]),
        ("X=0; if a; then X=1; fi; c $X", [["a"], ["c", "$X"]]),
        ("X=0; a && X=1; c $X", [["a"], ["c", "$X"]]),
        ("for X in 1 2; do a $X; done", [["a", "$X"]]),
        ("f() { X=1; a $X; }; b $X", [["f"], ["a", "1"], ["b", "$X"]]),
        ("(X=1; a $X); b $X", [["a", "1"], ["b", "$X"]]),
        ("case $1 in\n a) X=1;;\n *) X=2;; esac\nb $X", [["a"], ["*"], ["b", "$X"]]),
        ("X=1; unset X; a $X", [["a", "$X"]]),
        ("X=1; read X; a $X", [["a", "$X"]]),
        ("a $'b\\nc' $", [["a", "b\\nc", "$"]]),
        ("a 'b", [["a", "b"]]),
        ("", []),
    ],
)
def test_commands(script: str, commands: list[list[str]]) -> None:
    """A script as its commands have it: quotes off, constants in, the uncertain left as written."""
    assert [[word.text for word in one.words] for one in read_commands(script) if one.words] == commands


@pytest.mark.parametrize(
    "script",
    ["a 'b", 'a "b', "a $(b", "a `b", "cat <<X\nb", "a ${b"],
)
def test_torn(script: str) -> None:
    """What does not close is said."""
    commands = Script(script)
    assert list(commands.commands())
    assert commands.torn


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["a", "b c"]', ["a", "b c"]),
        (' [ "a" ,\n "\\"q\\"" ] ', ["a", '"q"']),
        ("[]", []),
        ("['a']", None),
        ('["a",]', None),
        ('["a"] b', None),
        ("a", None),
        ("[a]", None),
    ],
)
def test_list(text: str, words: list[str] | None) -> None:
    """The form of a list, or none."""
    found = read_list(text)
    assert (None if found is None else [word.text for word in found]) == words


SERVERS = [
    ("tritonserver --model-repository=/m", ["model-repository=/m"]),
    ("exec tritonserver -m /m", []),
    ("sudo -E docker run -dp 8000:8000 x/tritonserver:24.05-py3 tritonserver --id=a", ["id=a"]),
    ("docker container run --gpus=all x/t:1 /opt/tritonserver/bin/tritonserver --id a", ["id=a"]),
    ("docker exec -it triton tritonserver --id=a", ["id=a"]),
    ("docker run $OPTS x/tritonserver:24.05-py3 tritonserver --id=a", ["id=a"]),
    ("${DOCKER:-docker} run x/t:1 bash -c 'cd /w && tritonserver --id=a'", ["id=a"]),
    ("docker run --entrypoint tritonserver x/t:1 --id=a", ["id=a"]),
    ("docker run --entrypoint bash x/t:1 -c 'tritonserver --id=a'", ["id=a"]),
    ("mpirun -n 1 tritonserver --id=a : -n 1 tritonserver --id=b", ["id=a"]),
    ("wait-for redis:6379 -- tritonserver --id=a", ["id=a"]),
    ("env A=b timeout 60 tritonserver --id=a", ["id=a"]),
    ("if true; then tritonserver --id=a & fi", ["id=a"]),
    ("ARGS='--id=a --http-port=1'; tritonserver $ARGS", ["id=a", "http-port=1"]),
    ("tritonserver --id=$ID --log-verbose 1", ["id=$ID", "log-verbose=1"]),
    ("ID=$(docker run -d x/t:1 tritonserver --id=a)", ["id=a"]),
    ("kubectl run t --image=x/t:1 -- tritonserver --id=a", ["id=a"]),
]


@pytest.mark.parametrize(("script", "flags"), SERVERS)
def test_server(script: str, flags: list[str]) -> None:
    """What starts a server, and with which flags."""
    (found,) = find_servers(script)
    assert [f"{name}={value}" for name, value in found.flags if name != "model-repository" or "=/m" in script] == flags


@pytest.mark.parametrize(
    ("end", "streams"),
    [
        ("", ("", "")),
        ("> log", ("file", "")),
        ("2>> log", ("", "file")),
        ("> log 2>&1", ("file", "file")),
        ("2>&1 > log", ("file", "")),
        ("&> log", ("file", "file")),
        ("> out 2> err &", ("file", "file")),
        ("2>/dev/null", ("", "null")),
        ("| tee log", ("pipe", "")),
        ("2>&1 | tee log", ("pipe", "pipe")),
        ("|& tee log", ("pipe", "pipe")),
        ("2> err | tee log", ("pipe", "file")),
        ("|| echo failed", ("", "")),
        ("< /dev/null", ("", "")),
    ],
)
def test_streams(end: str, streams: tuple[str, str]) -> None:
    """Where stdout and stderr go; the same inside of a shell's `-c`, and not what a later command does."""
    for script in (
        f"tritonserver --id=a {end}",
        f"sleep 1 > x; tritonserver --id=a {end}",
        f"bash -c 'tritonserver {end}'",
    ):
        (found,) = find_servers(script)
        assert found.streams == streams


@pytest.mark.parametrize(("options", "kept"), [("--rm", ("file", "")), ("-it", ("", "")), ("-d", ("", ""))])
def test_streams_of_a_container(options: str, kept: tuple[str, str]) -> None:
    """A terminal makes one stream of two; a container in the background prints nothing."""
    (found,) = find_servers(f"docker run {options} x/tritonserver:25.09-py3 tritonserver > log")
    assert found.streams == kept


@pytest.mark.parametrize(
    "script",
    [
        "echo tritonserver --model-repository=/m",
        "echo 'run: docker run x/tritonserver:24.05-py3 tritonserver'",
        "# docker run x/tritonserver:24.05-py3 tritonserver",
        "docker stop tritonserver",
        "docker logs -f tritonserver",
        "docker pull nvcr.io/nvidia/tritonserver:24.05-py3",
        "docker build -t tritonserver .",
        "docker run x/tritonserver:24.05-py3-sdk perf_analyzer -m a",
        "docker run x/tritonserver:24.05-py3 python3 convert.py",
        "pkill tritonserver",
        "tritonserver --help",
        "docker run x/t:1 tritonserver --version && echo",
        "pip install tritonclient[all]",
        "cat <<EOF\ntritonserver --model-repository=/m\nEOF",
        "command -v tritonserver_check",
        "cp /opt/tritonserver /x",
        "",
    ],
)
def test_no_server(script: str) -> None:
    """To name a server is not to start one."""
    assert not list(find_servers(script))


def test_places_and_engine() -> None:
    """Every flag, option and variable knows where it stands, also behind `bash -c`."""
    script = (
        "IMAGE=x/tritonserver:24.05-py3\n"
        "docker run --gpus=all --shm-size 1g -p8000:8000 \\\n"
        "  -e A=b --env C --env-file=.env --ipc host \\\n"
        "  $IMAGE bash -c \"export D=e; tritonserver --model-load-thread-count=1 --id 'x y'\"\n"
    )
    (found,) = find_servers(script)
    assert [script[one.start : one.end] for one in found.engine] == [
        "--gpus=all", "--shm-size 1g", "-p8000:8000", "-e A=b", "--env C", "--env-file=.env", "--ipc host",
    ]  # fmt: skip
    assert [(one.name, one.value) for one in found.engine] == [
        ("gpus", "all"), ("shm-size", "1g"), ("publish", "8000:8000"), ("env", "A=b"), ("env", "C"),
        ("env-file", ".env"), ("ipc", "host"),
    ]  # fmt: skip
    assert [script[one.start : one.end] for one in found.server] == ["--model-load-thread-count=1", "--id 'x y'"]
    assert [(one.name, one.value, one.known) for one in found.variables] == [
        ("A", "b", True), ("C", "", False), ("D", "e", True),
    ]  # fmt: skip
    assert found.container is not None
    assert script[found.container.start : found.container.end] == "$IMAGE"
    assert found.image == "x/tritonserver:24.05-py3"
    assert not found.hidden


@pytest.mark.parametrize(
    ("script", "is_open"),
    [
        ("tritonserver $MORE --id=a", True),
        ('tritonserver "$@"', True),
        ('tritonserver "${MORE[@]}"', True),
        ("tritonserver $(flags)", True),
        ("tritonserver --id=$ID", False),
        ("tritonserver --id $ID", False),
        ("MORE=--id=b; tritonserver $MORE", False),
    ],
)
def test_open(script: str, is_open: bool) -> None:
    """Where a word may hold more flags, that is said."""
    (found,) = find_servers(script)
    assert found.hidden is is_open


ALPHABET = "adtrionsev0 \t\n\\'\"$`{}()<>&|;=#-+:@[]*?!"


@given(st.text(alphabet=ALPHABET) | st.text())
def test_anything_is_read(script: str) -> None:
    """No text is refused, every place lies in the text, and what is known holds no parameter."""
    for command in read_commands(script):
        for word in command.words:
            assert 0 <= word.start < word.end <= len(script)
            if word.inner >= 0:
                assert script[word.inner : word.inner + len(word.text)] == word.text
    for found in find_servers(script):
        assert found.program or found.container


@given(
    st.lists(st.sampled_from(["docker", "run", "tritonserver", "bash", "-c", "'", "--", "kubectl", "-e", "A=b", "x"]))
)
def test_any_order_of_words_is_read(words: list[str]) -> None:
    """Whatever stands where, nothing fails."""
    list(find_servers(" ".join(words)))
