"""Judging a start: on logs of real servers and GPUs, the outcome of every model is the one that is known."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.stress.classify import classify, histories
from tritoncheck.stress.explain import to_json
from tritoncheck.stress.explain_text import to_text
from tritoncheck.stress.history import History
from tritoncheck.stress.logs import read_log
from tritoncheck.stress.signatures import find, kinds, loss, signatures
from tritoncheck.stress.verdict import Diagnosis, End, Verdict

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "fixtures" / "logs"
CAPTURES = ROOT.parent / "shared" / "captures"
VICTIM = "failed:legacy-stream-dependency"

_MIXED = """
    alpha=ready bad_import=failed:other bad_init=failed:other many=failed:other misnamed=failed:config-validate
    no_version=failed:config-validate on_gpu=failed:config-validate pipe_bad=knock-on pipe_deep=knock-on
    pipe_good=ready plat=failed:config-validate stray=failed:config-parse two_versions=failed:other
    typo=failed:config-parse wrong_backend=failed:missing-lib zero_dim=failed:config-validate
"""
_OLD = _MIXED.replace("zero_dim=failed:config-validate", "zero_dim=failed:driver")
_REFUSED = """
    alpha=ready cyc_a=failed:config-validate cyc_b=failed:config-validate exiting=failed:stub-timeout
    label=failed:config-validate nooutput=failed:config-validate pipe_key=failed:config-validate
    pipe_missing=failed:config-validate pipe_shape=failed:config-validate policy=failed:config-validate
    segfault=failed:stub-timeout syntax=failed:other tmpl=failed:config-parse v01=failed:config-validate
    warm=failed:config-validate
"""
_RETRY = "alpha=ready healed=ready never=failed:other"
# log -> what became of the server, and of each model
EXPECTED = {
    "clean-2.33.0.log": ("up", "alpha=ready beta=ready pipe=ready"),
    "crash-2.51.0.log": ("crashed:crash-signal", "alpha=crashed tagged=crashed"),
    "dangling-link-2.51.0.log": ("up", ""),
    "driver-banner.log": ("failed", "detector=failed:driver"),
    "duplicate-2.51.0.log": ("up", "alpha=failed:config-validate beta=ready"),
    "exit-on-error-2.44.0.log": ("failed", _MIXED),
    "hang-2.51.0.log": ("unknown", "alpha=ready slow=unknown"),
    "iso8601-2.51.0.log": ("up", _MIXED),
    "killed-2.51.0.log": ("crashed:crash-signal", "alpha=ready"),
    "mixed-2.28.0.log": ("up", _OLD),
    "mixed-2.33.0.log": ("up", _OLD),
    "mixed-2.51.0.log": ("up", _MIXED),
    "no-model-file-2.51.0.log": ("unknown", "alpha=ready empty=hung"),
    "no-repository-2.51.0.log": ("failed", ""),
    "port-2.33.0.log": ("failed:port-in-use", "alpha=ready"),
    "port-2.51.0.log": ("failed:port-in-use", "alpha=ready"),
    "port-race-2.51.0.log": ("up", "port_a=ready port_b=failed:port-in-use"),
    "refused-2.33.0.log": ("up", _REFUSED),
    "refused-2.51.0.log": ("up", _REFUSED),
    "restart-loop.log": ("unknown", "pose_main=unknown vlm_main=unknown"),
    "retry-2.44.0.log": ("up", _RETRY),
    "retry-2.51.0.log": ("up", _RETRY),
    "shm-2.51.0.log": ("up", "m0=failed:shm m1=failed:shm m2=failed:shm"),
    "tensorrt-race.log": (
        "up",
        f"depth_main={VICTIM} pose_main=degraded rfdetr={VICTIM} vlm_main={VICTIM}",
    ),
    "terminal-2.51.0.log": ("up", _MIXED),
}


def judge(data: bytes | str, end: End | None = None, expected: tuple[str, ...] = ()) -> Diagnosis:
    """The last start of a log."""
    return classify(histories(read_log(data))[-1], end, expected)


def labels(diagnosis: Diagnosis) -> dict[str, str]:
    """The outcomes in words."""
    return {name: verdict.label for name, verdict in diagnosis.models.items()}


def fixture(name: str) -> str:
    """The text of a log."""
    return (LOGS / name).read_bytes().decode()


def verdict(name: str, model: str) -> Verdict:
    """One model of a log."""
    return judge(fixture(name)).models[model]


def test_every_log_is_expected() -> None:
    assert {path.name for path in LOGS.glob("*.log")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_outcomes(name: str) -> None:
    server, models = EXPECTED[name]
    found = judge(fixture(name))
    assert labels(found) == dict(pair.split("=") for pair in models.split())
    assert f"{found.server.outcome}:{found.server.kind}".rstrip(":") == server


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="../shared/captures is not here: no logs of a real GPU to judge")
def test_the_captures_of_a_real_gpu() -> None:
    truth = json.loads((CAPTURES / "truth.json").read_text())
    assert len(truth) == len(list(CAPTURES.glob("*.log")))
    wrong: list[tuple[object, ...]] = []
    for name, known in truth.items():
        found = judge((CAPTURES / name).read_bytes())
        classes = {"906": VICTIM}
        expected = dict.fromkeys(known["models"], "ready")
        expected |= {model: classes[error] for model, error in known["failed"].items()}
        expected |= dict.fromkeys(known["ready_without_graph"], "degraded")
        if labels(found) != expected:
            wrong.append((name, labels(found), expected))
        for model, one in found.models.items():
            lost = ("cuda-graph",) if model in known["capture_lost"] else ()
            culprits = set(known["capture_lost"]) - {model} if model in known["failed"] else set()
            if one.lost != lost or set(one.culprits) != culprits:
                wrong.append((name, model, one))
    assert wrong == []


def test_victim_and_culprit_are_kept_apart() -> None:
    found = judge(fixture("tensorrt-race.log")).models
    victims = ("depth_main", "rfdetr", "vlm_main")
    assert [found[name].culprits for name in victims] == [("pose_main",)] * 3
    assert (found["pose_main"].lost, found["pose_main"].victims) == (("cuda-graph",), victims)
    assert (found["pose_main"].line, found["pose_main"].text[:28]) == (17, "unable to record CUDA graph ")


def test_the_first_cause_is_named_and_the_rest_are_symptoms() -> None:
    found = judge(fixture("tensorrt-race.log")).models
    assert (found["rfdetr"].line, found["rfdetr"].near) == (9, True)
    assert [note.line for note in found["rfdetr"].symptoms] == [10, 11]
    assert (found["depth_main"].line, found["depth_main"].near) == (13, True)
    assert (found["vlm_main"].line, found["vlm_main"].near) == (19, False)


def test_an_error_in_a_text_is_found_before_the_refusal_to_read_it() -> None:
    for name in ("mixed-2.28.0.log", "mixed-2.33.0.log", "mixed-2.51.0.log"):
        found = verdict(name, "typo")
        assert 'has no field named "max_batchsize"' in found.text
        assert found.match is not None
        assert found.match.groups == {"line": "2", "column": "14"}
    assert "Expected integer, got: $" in verdict("refused-2.51.0.log", "tmpl").text
    assert "nowhere" in verdict("refused-2.51.0.log", "pipe_missing").text


@pytest.mark.parametrize("name", ["mixed-2.51.0.log", "iso8601-2.51.0.log", "exit-on-error-2.44.0.log"])
def test_every_failed_instance_is_kept(name: str) -> None:
    found = judge(fixture(name)).models
    assert sorted(re.findall(r"many_\d_\d", " ".join(note.text for note in found["many"].instances))) == [
        "many_0_0",
        "many_1_0",
        "many_1_1",
        "many_1_2",
    ]
    assert len(found["bad_init"].instances) == 1


def test_a_knock_on_names_the_model_at_its_root() -> None:
    found = judge(fixture("mixed-2.51.0.log")).models
    assert found["pipe_bad"].culprits == found["pipe_deep"].culprits == ("bad_init",)
    assert found["pipe_bad"].kind == ""


def test_an_ensemble_over_a_model_that_was_refused_is_a_knock_on() -> None:
    log = fixture("refused-2.51.0.log").replace("available or ambiguous: nowhere", "available or ambiguous: tmpl")
    found = judge(log).models["pipe_missing"]
    assert (found.outcome, found.culprits) == ("knock-on", ("tmpl",))


def test_a_retry_that_healed_is_counted() -> None:
    for name in ("retry-2.44.0.log", "retry-2.51.0.log"):
        found = judge(fixture(name)).models
        assert (found["healed"].healed, found["healed"].lost) == (1, ())
        assert (found["healed"].outcome, found["healed"].kind) == ("ready", "other")
        assert "RuntimeError: first try" in found["healed"].text
        assert len(found["never"].instances) == 3


def test_what_a_failed_try_lost_is_no_loss_of_the_one_that_succeeded() -> None:
    lost = 'E1130 09:06:03.300000 1 x.cc:1] "unable to finish CUDA graph for a_0: broken"\n'
    head = 'I1130 09:06:03.200000 1 model_lifecycle.cc:472] "loading: a:1"\n'
    failed = "E1130 09:06:03.400000 1 model_lifecycle.cc:642] \"failed to load 'a' version 1: Internal: 906\"\n"
    ready = "I1130 09:06:03.900000 1 model_lifecycle.cc:839] \"successfully loaded 'a'\"\n"
    assert labels(judge(head + lost + failed + ready)) == {"a": "ready"}
    assert labels(judge(head + failed + lost + ready)) == {"a": "degraded"}
    assert [judge(head + text + ready).models["a"].healed for text in (lost + failed, failed + lost, lost)] == [1, 1, 0]


def test_unknown_text_is_other_with_its_line_and_never_guessed() -> None:
    log = """E1130 09:06:03.100000 1 logging.cc:40] "CUDA out of memory"
I1130 09:06:03.200000 1 model_lifecycle.cc:472] "loading: a:1"
E1130 09:06:03.300000 1 model_lifecycle.cc:642] "failed to load 'a' version 1: Internal: the moon is full"
"""
    found = judge(log).models["a"]
    assert (found.label, found.line, found.near) == ("failed:other", 3, False)
    assert "the moon is full" in found.text


def test_a_name_that_is_a_word_does_not_take_lines() -> None:
    log = """I1130 09:06:03.200000 1 model_lifecycle.cc:472] "loading: graph:1"
I1130 09:06:03.200000 1 model_lifecycle.cc:472] "loading: pose:1"
E1130 09:06:03.300000 1 instance_state.cc:1] "unable to finish CUDA graph for pose_0: failed"
I1130 09:06:03.400000 1 model_lifecycle.cc:839] "successfully loaded 'graph'"
I1130 09:06:03.400000 1 model_lifecycle.cc:839] "successfully loaded 'pose'"
"""
    assert labels(judge(log)) == {"graph": "ready", "pose": "degraded"}


def test_a_lost_graph_without_name_is_that_of_the_only_model_that_loads() -> None:
    head = 'I1130 09:06:03.200000 1 model_lifecycle.cc:472] "loading: a:1"\n'
    lost = 'E1130 09:06:03.300000 1 x.cc:1] "unable to record CUDA graph for my_group_0"\n'
    end = "I1130 09:06:03.400000 1 model_lifecycle.cc:839] \"successfully loaded 'a'\"\n"
    assert labels(judge(head + lost + end)) == {"a": "degraded"}
    two = head + head.replace("a:1", "b:1") + lost + end + end.replace("'a'", "'b'")
    assert labels(judge(two)) == {"a": "ready", "b": "ready"}


def test_one_bad_version_fails_the_model_whatever_the_other_does() -> None:
    log = """I1130 09:06:03.200000 1 model_lifecycle.cc:459] loading: a:1
I1130 09:06:03.200000 1 model_lifecycle.cc:459] loading: a:2
I1130 09:06:03.300000 1 model_lifecycle.cc:694] successfully loaded 'a' version 1
E1130 09:06:03.400000 1 model_lifecycle.cc:597] failed to load 'a' version 2: Internal: no
"""
    assert labels(judge(log)) == {"a": "failed:other"}
    assert labels(judge("\n".join(log.splitlines()[:3]))) == {"a": "unknown"}


def test_a_model_that_is_loaded_again_is_judged_by_the_last_time() -> None:
    log = fixture("port-race-2.51.0.log")
    again = """I1130 13:00:00.100000 1 model_lifecycle.cc:472] "loading: port_b:1"
I1130 13:00:01.100000 1 model_lifecycle.cc:839] "successfully loaded 'port_b'"
"""
    found = judge(log + again).models["port_b"]
    assert (found.outcome, found.healed) == ("ready", 0)


def test_how_the_server_ended_decides_on_a_model_that_was_loading() -> None:
    log = fixture("hang-2.51.0.log")
    assert labels(judge(log, End("timeout")))["slow"] == "hung"
    assert labels(judge(log, End("exit", 139)))["slow"] == "crashed"
    assert judge(log, End("exit", -9)).server.outcome == "crashed"
    assert labels(judge(log, End("exit", 0)))["slow"] == "unknown"
    assert labels(judge(log, expected=("slow", "more"))) == {"alpha": "ready", "more": "unknown", "slow": "unknown"}
    assert judge(fixture("clean-2.33.0.log"), End("exit", 0)).server.outcome == "up"


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (End("cut"), "crashed"),
        (End("exit"), "crashed"),
        (End("exit", 139), "crashed"),
        (End("exit", 0), "up"),
        (End("running"), "up"),
        (End("timeout"), "up"),
    ],
)
def test_a_word_of_death_counts_where_the_server_may_have_died(end: End, outcome: str) -> None:
    """Stubs write on the same streams."""
    log = fixture("clean-2.33.0.log") + "Signal (11) received.\n"
    assert judge(log, end).server.outcome == outcome


def test_a_failure_that_comes_before_its_load_is_kept() -> None:
    """Two streams, and the one with the errors is a little faster."""
    lines = fixture("shm-2.51.0.log").splitlines(keepends=True)
    lines = [line for line in lines if not line.startswith(("|", "+"))]
    swapped = sorted(lines, key=lambda line: "loading: " in line)
    assert labels(judge("".join(swapped))) == labels(judge("".join(lines)))


def test_errors_alone_tell_of_the_failures_and_that_the_rest_is_missing() -> None:
    lines = [line for line in fixture("mixed-2.51.0.log").splitlines() if line[:1] in ("E", "W", "[")]
    found = judge("\n".join(lines))
    whole = labels(judge(fixture("mixed-2.51.0.log")))
    assert labels(found) == {name: label for name, label in whole.items() if label != "ready"}
    assert found.half
    assert not judge(fixture("mixed-2.51.0.log")).half


@pytest.mark.parametrize("name", ["tensorrt-race.log", "mixed-2.33.0.log", "mixed-2.51.0.log", "refused-2.51.0.log"])
def test_a_log_that_is_cut_at_its_end_never_tells_a_failure_that_was_none(name: str) -> None:
    lines = fixture(name).splitlines(keepends=True)
    whole = labels(judge("".join(lines)))
    for length in range(len(lines)):
        for model, label in labels(judge("".join(lines[:length]))).items():
            assert label in ("unknown", whole[model]) or (label == "ready" and whole[model] == "degraded")


@pytest.mark.parametrize("name", ["tensorrt-race.log", "mixed-2.51.0.log", "refused-2.51.0.log"])
def test_a_log_that_is_cut_at_its_beginning_falls_back_on_the_table(name: str) -> None:
    lines = fixture(name).splitlines(keepends=True)
    table = next(number for number, line in enumerate(lines) if line.startswith("| Model "))
    found = labels(judge("".join(lines[table - 1 :])))
    whole = labels(judge("".join(lines)))
    assert found
    assert {name for name, label in found.items() if label.startswith("failed")} == {
        name for name in found if whole[name].startswith("failed")
    }


def test_a_log_may_hold_several_starts() -> None:
    found = [labels(classify(start)) for start in histories(read_log(fixture("restart-loop.log")))]
    assert found == [{"pose_main": "degraded", "vlm_main": VICTIM}] * 2 + [
        {"pose_main": "unknown", "vlm_main": "unknown"}
    ]


def test_judging_in_the_middle_changes_nothing() -> None:
    history = History()
    for event in read_log(fixture("retry-2.51.0.log")):
        history.feed(event)
        classify(history)
    assert classify(history) == judge(fixture("retry-2.51.0.log"))


def test_a_model_is_settled_when_nothing_more_will_come() -> None:
    history = History()
    settled: dict[str, int] = {}
    for event in read_log(fixture("retry-2.51.0.log")):
        history.feed(event)
        for name, model in history.models.items():
            if model.settled(retries=2):
                settled.setdefault(name, event.line)
    assert settled == {"alpha": 12, "healed": 20, "never": 27}


@pytest.mark.parametrize("signature", signatures(), ids=lambda one: f"{one.rank}-{one.kind}")
def test_signatures(signature: object) -> None:
    one = next(each for each in signatures() if each is signature)
    where = next(iter(sorted(one.where & {"line", "reason", "server", "request"})))
    match = find(one.example, where)
    assert match is not None
    assert match.signature.kind == one.kind or match.signature.rank < one.rank
    assert one.kind in kinds()
    assert one.evidence
    assert not one.rule or re.fullmatch(r"TC[A-Z]\d{3}", one.rule)
    if one.lost:
        found = loss(one.example)
        assert found is not None
        assert found.signature is one


def test_no_signature_is_hidden_behind_another() -> None:
    hidden = []
    for one in signatures():
        matches = [match for where in one.where if (match := find(one.example, where))]
        if one not in [match.signature for match in matches] and not one.vague:
            hidden.append(one.example)
    assert hidden == []


_LINES = [line for name in sorted(EXPECTED) for line in fixture(name).splitlines() if len(line) < 600]


@given(st.lists(st.one_of(st.sampled_from(_LINES), st.text(max_size=30)), max_size=40))
def test_any_lines_are_judged_and_told(lines: list[str]) -> None:
    starts = [classify(start) for start in histories(read_log("\n".join(lines)))]
    for found in starts:
        assert json.loads(to_json(found, {}))["version"] == 1
        assert to_text(found, {}, starts[:-1], name="x").isprintable() is False
