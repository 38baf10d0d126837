"""Reading logs: every dialect of Triton, every collector around it, in any pieces, whatever the bytes are."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.stress.logs import Event, LogReader, read_log
from tritoncheck.stress.streams import LINE_LIMIT
from tritoncheck.stress.tables import MODELS

LOGS = Path(__file__).resolve().parents[2] / "fixtures" / "logs"
LOADING = 'I1130 09:06:03.102220 3347 model_lifecycle.cc:472] "loading: vlm_main:1"'
PLAIN = "I1130 09:06:03.102220 3347 model_lifecycle.cc:459] loading: vlm_main:1"
ISO = '2026-11-30T09:06:03Z I 3347 model_lifecycle.cc:472] "loading: vlm_main:1"'

# Pieces of real logs, to be put together at random.
PIECES = [
    LOADING,
    PLAIN,
    ISO,
    'E1130 09:06:03.200000 1 a.cc:1] "cut',
    'E1130 12:08:47.130610 1 backend_model.cc:692] "ERROR: Failed to create instance: CUDA failure 906: x"',
    "E1130 12:08:47.130610 1 model_lifecycle.cc:642] \"failed to load 'vlm_main' version 1: Internal: no\\nmore\"",
    "I1130 12:08:47.130812 1 model_lifecycle.cc:777] \"failed to load 'vlm_main'\"",
    "E1130 12:08:47.100000 1 model_repository_manager.cc:1460] \"Poll failed for model directory 'a': failed to read\"",
    "[libprotobuf ERROR text_format.cc:337] Error parsing text-format inference.ModelConfig: 2:17: Expected integer",
    "I1130 12:08:49.347161 1 server.cc:674] ",
    "+-------+---------+--------+",
    "| Model | Version | Status |",
    "| alpha | 1       | READY  |",
    "|       |         |        |",
    "| b     | -       | Not loaded: No model version was found |",
    "| Option | Value |",
    "+--",
    "+--++-+",
    "| |",
    "unable to finish CUDA graph for vlm_main_0_0: CUDA failure 901",
    "E1130 12:08:49.400000 1 model_repository_manager.cc:703] \"ensemble 'e' depends on 'e' which is not valid\"",
    "Signal (11) received.",
    "terminate called after throwing an instance of 'std::invalid_argument'",
    "  what():  Invalid label name",
    "error: creating server: Internal - failed to load all models",
    "",
    "\x1b[31m" + LOADING + "\x1b[0m",
    "2026-11-30T09:06:03.102220123Z stderr P half ",
    "2026-11-30T09:06:03.102220123Z stderr F " + LOADING,
    '{"log":"' + PLAIN + '\\n","stream":"stderr","time":"2026-11-30T09:06:03.1Z"}',
    '{"log":3}',
    "[pod/triton-0/server] " + LOADING,
    "triton-1  | " + LOADING,
    "Nov 30 09:06:03 host docker[12]: " + LOADING,
]
noise = st.lists(st.one_of(st.sampled_from(PIECES).map(str.encode), st.binary(max_size=40)), max_size=20).flatmap(
    lambda lines: st.sampled_from([b"\n", b"\r\n", b""]).map(lambda end: end.join(lines))
)


def only(data: bytes | str) -> Event:
    """The one event of a log."""
    (event,) = read_log(data)
    return event


@pytest.mark.parametrize("line", [LOADING, PLAIN, ISO])
def test_every_header_is_read(line: str) -> None:
    event = only(line)
    assert (event.text, event.level, event.line) == ("loading: vlm_main:1", "I", 1)
    assert event.source.startswith("model_lifecycle.cc:")
    assert event.time is not None


def test_both_formats_give_the_same_time() -> None:
    default, iso = only(LOADING).time, only(ISO).time
    assert default is not None
    assert iso is not None
    assert default - iso == pytest.approx(0.10222, abs=1e-6)


def test_times_go_on_over_new_year() -> None:
    first, second = read_log('I1231 23:59:59.500000 1 a.cc:1] "x"\nI0101 00:00:00.500000 1 a.cc:1] "y"\n')
    assert second.time is not None
    assert first.time is not None
    assert second.time - first.time == pytest.approx(1)


def test_escapes_are_undone() -> None:
    event = only(r'E1130 09:06:03.102220 1 a.cc:1] "no \"x|y\"\n\tC:\\d \u00e9 \q"')
    assert event.text == 'no "x|y"\n\tC:\\d é \\q'


@pytest.mark.parametrize("cut", ['"half a mess', '"ends with \\"', '"'])
def test_a_cut_message_is_kept(cut: str) -> None:
    assert only(f"E1130 09:06:03.102220 1 a.cc:1] {cut}").text


def test_lines_without_header_go_on_with_a_message_that_has_no_quotes() -> None:
    log = (
        PLAIN.replace("loading: vlm_main:1", "Failed: RuntimeError: no") + "\n\nAt:\n  /m/model.py(4): init\n\n" + PLAIN
    )
    first, second = read_log(log)
    assert first.text == "Failed: RuntimeError: no\n\nAt:\n  /m/model.py(4): init"
    assert (second.line, second.text) == (6, "loading: vlm_main:1")


def test_lines_without_header_stay_apart_from_a_message_in_quotes() -> None:
    assert [event.text for event in read_log(f"{LOADING}\nprinted by a model\n  more of it\n")] == [
        "loading: vlm_main:1",
        "printed by a model\n  more of it",
    ]


@pytest.mark.parametrize(
    "own",
    [
        "[libprotobuf ERROR text_format.cc:337] Error parsing",
        "[TensorRT-LLM][ERROR] no",
        "Signal (11) received.",
        "terminate called after throwing an instance of 'x'",
        "error: creating server: Internal - failed to load all models",
        "Traceback (most recent call last):",
        "Error: Failed to initialize NVML",
    ],
)
def test_what_begins_something_of_its_own_is_never_a_part_of_the_line_before(own: str) -> None:
    assert [event.text for event in read_log(f"{PLAIN}\n{own}\n")] == ["loading: vlm_main:1", own]


def test_writers_that_collide_on_a_line_are_told_apart() -> None:
    events = read_log(f"{LOADING}{LOADING}\nprinted without an end{LOADING}\n")
    assert [event.text for event in events] == [
        *["loading: vlm_main:1"] * 2,
        "printed without an end",
        "loading: vlm_main:1",
    ]


WRAPPED = [
    "2026-11-30T09:06:03.102220123Z {}",
    "2026-11-30T09:06:03.102220123+01:00 {}",
    "2026-11-30T09:06:03.102220123Z stderr F {}",
    "[pod/triton-7d9c-x/server] {}",
    "[pod/triton-7d9c-x/server] 2026-11-30T09:06:03.102220123Z {}",
    "triton-1  | {}",
    "triton-0 server {}",
    "Nov 30 09:06:03 host docker[4711]: {}",
    "\x1b[36mtriton-1  | \x1b[0m{}",
]


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("name", ["mixed-2.33.0.log", "mixed-2.51.0.log", "iso8601-2.51.0.log"])
def test_what_collectors_put_around_lines_is_taken_off(wrap: str, name: str) -> None:
    lines = (LOGS / name).read_text().splitlines()
    bare = [(event.line, event.text, event.level, event.row) for event in read_log("\n".join(lines))]
    wrapped = read_log("\n".join(wrap.format(line) for line in lines))
    assert [(event.line, event.text, event.level, event.row) for event in wrapped] == bare


def test_the_files_of_docker_and_of_kubernetes_are_read_with_their_cut_lines() -> None:
    half, rest = LOADING[:50], LOADING[50:]
    stamp = "2026-11-30T09:06:03.102220123Z"
    docker = [{"log": half, "stream": "stderr", "time": stamp}, {"log": f"{rest}\n", "stream": "stderr", "time": stamp}]
    assert only("\n".join(map(json.dumps, docker))).text == "loading: vlm_main:1"
    event = only(f"{stamp} stderr P {half}\n{stamp} stdout F other\n{stamp} stderr F {rest}\n".replace("F other", "P "))
    assert (event.text, event.stream) == ("loading: vlm_main:1", "stderr")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding: str) -> None:
    line = LOADING.replace("vlm_main", "modèle")
    assert only(line.encode(encoding)).text == "loading: modèle:1"


def test_an_endless_line_is_cut() -> None:
    reader = LogReader()
    for _ in range(40):
        assert reader.feed(b"x" * (LINE_LIMIT // 16)) == []
    (event,) = reader.close()
    assert len(event.text) <= LINE_LIMIT


def rows(name: str) -> dict[str, tuple[str, ...]]:
    """The model table of a log."""
    events = read_log((LOGS / name).read_bytes())
    return {event.row.cells[0]: event.row.cells[1:] for event in events if event.row and event.row.head == MODELS}


def test_a_table_is_the_same_in_a_narrow_terminal() -> None:
    wide, narrow = rows("mixed-2.51.0.log"), rows("terminal-2.51.0.log")
    assert wide == narrow
    assert len(wide) == 10
    assert wide["no_version"] == ("-", "Not loaded: No model version was found")
    assert wide["bad_init"][1].startswith(
        'UNAVAILABLE: Internal: RuntimeError: no such table "x|y"\nsecond line\n\nAt:'
    )
    assert "no GPUs with" not in wide["on_gpu"][1]
    assert "on_gpu specifies invalid or unsupported gpu id 3" in wide["on_gpu"][1]


def test_a_table_without_its_beginning_is_read() -> None:
    event = only("| alpha | 1       | READY  |\n+-------+---------+--------+\n")
    assert event.row is not None
    assert (event.row.head, event.row.cells) == (MODELS, ("alpha", "1", "READY"))


def test_a_long_model_name_is_joined() -> None:
    table = [
        "+------+---------+--------+",
        "| Mode | Version | Status |",
        "+------+---------+--------+",
        "| a_lo | 1       | UNAVAI |",
        "| ng_n |         | LABLE: |",
        "| ame  |         |  x     |",
        "| b    | 1       | READY  |",
        "+------+---------+--------+",
    ]
    table[1] = table[1].replace("Mode", "Model")
    found = [event.row.cells for event in read_log("\n".join(table)) if event.row]
    assert found[-1] == ("b", "1", "READY")
    assert found[0][2] == "UNAVAILABLE: x"


def test_two_streams_are_kept_apart() -> None:
    reader = LogReader()
    events = reader.feed('I1130 09:06:03.102220 1 a.cc:1] "hal', "stdout")
    events += reader.feed("E1130 09:06:03.102221 1 b.cc:1] plain\n", "stderr")
    events += reader.feed('f"\n', "stdout")
    events += reader.feed("  goes on\n", "stderr")
    events += reader.close()
    assert [(event.text, event.stream) for event in events] == [("half", "stdout"), ("plain\n  goes on", "stderr")]


def test_a_message_in_quotes_is_there_at_once_and_others_when_asked_for() -> None:
    reader = LogReader()
    assert len(reader.feed(LOADING + "\n")) == 1
    assert reader.feed(PLAIN + "\n") == []
    assert [event.text for event in reader.settle()] == ["loading: vlm_main:1"]
    assert reader.close() == []


@given(noise)
def test_any_bytes_are_read(data: bytes) -> None:
    events = read_log(data)
    assert all(1 <= event.line <= data.count(b"\n") + 2 for event in events)


@given(noise, st.data())
def test_any_pieces_give_the_same_events(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=6)))
    reader, events = LogReader(), []
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        events += reader.feed(data[start:end])
    assert events + reader.close() == read_log(data)


@pytest.mark.parametrize(
    "line",
    [
        LOADING,
        PLAIN + "\ngoes on",
        "| a | 1 | READY |",
        'E1130 09:06:03.102220 1 a.cc:1] "' + "I1130 09:06:03.1 " * 20 + '"',
        "a-1  " * 100,
        "\x1b[31" * 100,
        "2026-11-30T09:06:03.1Z stderr P x",
    ],
)
def test_time_grows_with_the_log_and_no_faster(line: str) -> None:
    data = (line + "\n").encode()
    size = max(1, 150_000 // len(data))
    began = time.perf_counter()
    read_log(data * size)
    once = time.perf_counter() - began
    began = time.perf_counter()
    read_log(data * size * 4)
    assert time.perf_counter() - began < 12 * once + 1
