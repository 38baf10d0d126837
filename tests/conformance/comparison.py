"""A core's verdict beside lint's opinion: where they agree, where lint is stricter, where it is blind.

*Stricter*: lint says that Triton refuses a model, and Triton loads it. *Blind*: Triton refuses it, or ends with it, and
lint has no error. What lint cannot see is excused, each kind with its reason; what a real backend would refuse or
complete is not asked here, since a stub stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tests.conformance.core import Outcome, Verdict
from tests.conformance.opinion import Opinion

Changes = tuple[str, ...]
Relation = Literal["agree", "stricter", "blind", "excused"]


@dataclass(frozen=True, slots=True)
class Row:
    """One model of one repository on one core."""

    core: str
    case: str
    model: str
    relation: Relation
    outcome: str
    kind: str  # of refusal, with names and numbers replaced; of the excuse, where it is excused
    codes: tuple[str, ...]  # of lint's errors; of what lint says is refused, where it is stricter
    changes: Changes = ()


# What the core says where the answer does not lie on the disk.
EXCUSES = tuple(
    (re.compile(words), why)
    for words, why in (
        (r"unable to find backend library|unable to find '…' for model '…'", "the image may hold such a backend"),
        (r"for repo agent '…'", "the image may hold such an agent"),
        (r"no GPUs are available", "the host has no GPU"),
        (r"Batching library path not found|canonical path for", "a path of the server's machine"),
        (
            r"unable to load shared library|command not found|environment directory",
            "a library that is none, in a fixture",
        ),
        (r"^(\w+\.)*\w+(Error|Exception)\b", "what a `model.py` does when it runs"),
    )
)
_COMPLETED = re.compile(
    r"must specify '(name|data_type|dims)'|non-existing (in|out)put|is not mapped to any ensemble"
    r"|model configuration is not provided|unknown (source input|target output) name|empty reshape for non-batching"
)
_KNOCK_ON = "a model that it needs was refused"


def compare(core: str, case: str, verdict: Verdict, said: Opinion, changes: Changes = ()) -> list[Row]:
    """One row per model."""
    rows = []
    beside = said.refused_beside() if all(one.loads for one in verdict.values()) else []
    for model, outcome in verdict.items():
        errors, refused = said.errors(model), [*said.refused(model), *beside]
        relation: Relation = "agree"
        kind = "" if outcome.loads else kind_of(outcome, verdict)
        codes = [one.rule.code for one in errors]
        if outcome.loads and refused:
            relation, codes = "stricter", [one.rule.code for one in refused]
        elif not outcome.loads and not errors:
            why = _excuse(model, outcome, verdict, said)
            relation, kind = ("excused", why) if why else ("blind", kind)
        rows.append(Row(core, case, model, relation, outcome.kind, kind, tuple(dict.fromkeys(codes)), changes))
    return rows


def _excuse(model: str, outcome: Outcome, verdict: Verdict, said: Opinion) -> str:
    kind = kind_of(outcome, verdict)
    for words, why in EXCUSES:
        if words.search(kind):
            return why
    if outcome.kind == "crashed" and any(one.kind == "crashed" for name, one in verdict.items() if name != model):
        return _KNOCK_ON
    others = [one for one in verdict if one != model and re.search(rf"\b{re.escape(one)}\b", outcome.words)]
    if any(not verdict[one].loads for one in others):
        return _KNOCK_ON
    if _COMPLETED.search(kind) and not said.completed.isdisjoint((model, *others)):
        return "the backend may complete it"
    return ""


_STATE = re.compile(r"is at UNAVAILABLE state: (.*?)(?:;version .*|;|)$", re.MULTILINE)
_POLL = re.compile(r"Poll failed for model directory '[^']*': (.*?)\"?$", re.MULTILINE)
_PARSE = re.compile(r"Error parsing text-format [\w.]+: (?:\d+:\d+: )?(.*)")
_THROWN = re.compile(r"what\(\): +(.*)")
_SIGNAL = re.compile(r"Signal \((\d+)\) received")
_LOADED = re.compile(r"(?:failed to load '[^']*', |load failed for model '[^']*': )(.*)")
_NOISE = re.compile(r"no version is available|failed to poll from model repository")


def reason(outcome: Outcome) -> str:
    """The words of a refusal that say why."""
    if outcome.kind == "hung":
        return "hangs: " + (outcome.words.splitlines() or [""])[-1]
    if outcome.kind == "crashed":
        thrown = _THROWN.search(outcome.words)
        signal = _SIGNAL.search(outcome.words)
        return "crashes: " + (thrown[1] if thrown else f"signal {signal[1]}" if signal else "no words")
    for pattern in (_PARSE, _STATE, _POLL):
        found = pattern.search(outcome.words)
        if found and found[1]:
            return found[1]
    lines = [line for line in outcome.words.splitlines() if not _NOISE.search(line)] or [outcome.words]
    loaded = _LOADED.search(lines[0])
    return loaded[1] if loaded else lines[0]


_QUOTED = re.compile(r"'([^' ]*)'")
_PATH = re.compile(r"/[\w./-]{8,}")
_NUMBER = re.compile(r"(?<!\w)-?\d+(?!\w)")
# Names that the server does not quote.
_BARE = (
    (re.compile(r"^(Invalid argument|Internal|Not found): "), ""),
    (re.compile(r"\[request id: <id_unknown>\] "), ""),
    (re.compile(r" NOTE: Setting a non-zero.*"), ""),
    (re.compile(r"(not available(?: or ambiguous)?: ).*"), r"\1…"),
    (re.compile(r"(ensemble tensor |the same ensemble tensor |non-existing (?:in|out)put |, input )\S*"), r"\1…"),
    (re.compile(r"(pair, got: ?).*"), r"\1…"),
    (re.compile(r"(?<=CONTROL_SEQUENCE_)\w+"), "…"),
    (re.compile(r"platform \w*?specifies"), "platform … specifies"),
    (re.compile(r"\[[-\d,]*\]"), "[…]"),
    (re.compile(r"(?:(?:in|out)put )?\b(?:s_in|state_in_\d)\b"), "…"),
    (re.compile(r"(data provided from )\S+"), r"\1…"),
)


def kind_of(outcome: Outcome, models: Mapping[str, object]) -> str:
    """A refusal's reason with names, paths and numbers replaced, so that its like are the same."""
    said = reason(outcome).replace('\\"', '"').strip('"')
    for model in sorted(models, key=len, reverse=True):
        said = re.sub(rf"(?<!\w){re.escape(model)}(?:_\d+)?(?!\w)", "X", said)
    said = _PATH.sub("…", said)
    for pattern, instead in _BARE:
        said = pattern.sub(instead, said)
    said = _QUOTED.sub(lambda match: match[0] if match[1] in _FIELDS else "'…'", said)
    return _NUMBER.sub("N", said).strip()


# Words that the server quotes and that are no names of the user's.
_FIELDS = frozenset(
    (
        "name",
        "data_type",
        "dims",
        "max_batch_size",
        "preserve_ordering",
        "step",
        "model_name",
        "input_map",
        "output_map",
    )
    + ("int32_false_true", "fp32_false_true", "bool_false_true", "decoupled", "version policy", "platform", "backend")
    + ("batch_size", "initial_state", "state", "ensemble", "use_single_buffer", "model.py", "zero_data", "data_file")
)
