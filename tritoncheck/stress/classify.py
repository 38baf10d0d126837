"""Judges a start: per model its outcome, the class and the line of the cause, and who caused it.

Victim and culprit are kept apart. A CUDA graph capture that is broken never fails the model that captures: it comes up
without the graph and its line names it, while the neighbour that touched the legacy stream fails to load
(tensorrt_backend `instance_state.cc`, `BuildCudaGraph`). So the line that names a graph names the culprit, and the
failed load names the victim. A text that is not known is `other`, with its line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from tritoncheck.stress.causes import Cause, Causes
from tritoncheck.stress.history import History
from tritoncheck.stress.logs import Event
from tritoncheck.stress.signatures import CAPTURE, Match, find
from tritoncheck.stress.trail import Failure, ModelHistory
from tritoncheck.stress.verdict import (
    CRASHED,
    DEGRADED,
    FAILED,
    HUNG,
    KNOCK_ON,
    READY,
    UNKNOWN,
    Diagnosis,
    End,
    Note,
    ServerVerdict,
    Verdict,
)

_UNLOADED = "UNAVAILABLE: unloaded"
# Ensembles that are followed from one to the next.
_CHAIN = 100


def histories(events: Iterable[Event]) -> list[History]:
    """The starts that a log holds; one without any is one start in which nothing happened."""
    found = [History()]
    for event in events:
        if found[-1].begun and History.begins(event):
            found.append(History())
        found[-1].feed(event)
    return found


def classify(history: History, end: End | None = None, expected: Collection[str] = ()) -> Diagnosis:
    """Judge one start. expected: models that were to come up, whether the log names them or not."""
    judge = _Judge(history, end or End(), expected)
    verdicts = {name: judge.verdict(name) for name in sorted({*history.models, *expected})}
    victims: dict[str, list[str]] = {}
    for name, verdict in verdicts.items():
        for culprit in verdict.culprits if verdict.outcome != KNOCK_ON else ():
            victims.setdefault(culprit, []).append(name)
    for name, hit in victims.items():
        if name in verdicts:
            verdicts[name] = replace(verdicts[name], victims=tuple(hit))
    half = "I" not in history.levels and bool(history.levels & {"E", "W"})
    options, first, last = history.options, history.first, history.last
    return Diagnosis(verdicts, judge.server(), options, first, last, half)


class _Judge:
    def __init__(self, history: History, end: End, expected: Collection[str]) -> None:
        self.history = history
        self.end = end
        self.causes = Causes(history, expected)
        # Stubs write on the same streams: a server that was up at the end, or ended by no signal, did not crash.
        died = self.end.how == "cut" or (self.end.how == "exit" and (self.end.code is None or self.end.signal > 0))
        crashes = [pair for pair in history.server if died and pair[1].signature.kind == "crash-signal"]
        # The line that names the reason comes after the one that says that it died.
        self.crash: tuple[Event, Match] | None = min(crashes, key=lambda pair: pair[1].signature.rank, default=None)

    def verdict(self, name: str) -> Verdict:
        """The verdict on a model."""
        model = self.history.models.get(name)
        if model is None:
            return Verdict(name, UNKNOWN)
        rows = [status for _, status in model.rows.values()]
        if model.refused:
            return self._refused(model, model.refused)
        bad = [(line, text) for line, text in model.rows.values() if _is_bad(text)]
        if model.failures and not (rows and not bad):
            return self._failed(model, model.failures)
        if model.ready or (rows and not bad and not model.loading):
            return self._came_up(model)
        if bad:
            line, text = bad[0]
            return self._failed(model, [Failure(line, 10**9, text.removeprefix("UNAVAILABLE: "), text)])
        return self._unfinished(model)

    def _failed(self, model: ModelHistory, failures: list[Failure]) -> Verdict:
        cause = self.causes.of(model, failures)
        culprits = self.causes.capturing(model, cause.order) if cause.kind in CAPTURE else ()
        lost = tuple(hit.loss.signature.lost for hit in self.causes.losses(model.name) if hit.loss)
        return self._with(model, FAILED, cause, culprits=culprits, lost=tuple(dict.fromkeys(lost)))

    def _with(
        self,
        model: ModelHistory,
        outcome: str,
        cause: Cause,
        culprits: tuple[str, ...] = (),
        lost: tuple[str, ...] = (),
        healed: int = 0,
    ) -> Verdict:
        """A verdict with its cause and the lines that belong to it."""
        symptoms = tuple(Note(one.line, one.text) for one in cause.symptoms)
        instances = tuple(Note(one.line, one.why, _kind(one.why)) for one in self.causes.instances(model))
        return Verdict(
            model=model.name,
            outcome=outcome,
            kind=cause.kind,
            line=cause.line,
            text=cause.text,
            culprits=culprits,
            lost=lost,
            symptoms=symptoms,
            instances=instances,
            healed=healed,
            near=cause.near,
            match=cause.match,
        )

    def _refused(self, model: ModelHistory, failure: Failure) -> Verdict:
        """A model that was never loaded: refused while scanning, without a version, or an ensemble."""
        if not self._waits(model, failure):
            return self._with(model, FAILED, self.causes.of(model, [failure]))
        return Verdict(model.name, KNOCK_ON, "", failure.line, failure.text, self._roots(model))

    def _waits(self, model: ModelHistory, failure: Failure) -> bool:
        """Whether a model was refused because another one is not there, which is that one's fault."""
        if not model.needs:
            return False
        if "not available or ambiguous" not in failure.why:
            return True
        return any(name in self.history.models and not self.history.models[name].is_up for name in model.needs)

    def _roots(self, model: ModelHistory) -> tuple[str, ...]:
        """The models at the end of a chain of ensembles that wait for one another."""
        waiting, seen, roots = list(model.needs), {model.name}, []
        while waiting and len(seen) < _CHAIN:
            name = waiting.pop(0)
            other = self.history.models.get(name)
            if name in seen:
                continue
            seen.add(name)
            if other is not None and other.refused and self._waits(other, other.refused):
                waiting += other.needs
            else:
                roots.append(name)
        return tuple(roots)

    def _came_up(self, model: ModelHistory) -> Verdict:
        healed = model.retried + model.failures
        losses = self.causes.losses(model.name)
        if healed and len(model.versions) == 1:
            # What a try lost that failed is no loss of the one that succeeded.
            losses = [hit for hit in losses if hit.order > healed[-1].order]
        if losses:
            lost = tuple(dict.fromkeys(hit.loss.signature.lost for hit in losses if hit.loss))
            return self._with(model, DEGRADED, self.causes.of_loss(losses), lost=lost, healed=len(healed))
        if healed:
            cause = self.causes.of(model, healed)
            culprits = self.causes.capturing(model, cause.order) if cause.kind in CAPTURE else ()
            # It lost nothing: what failed at first is told, but the model is what it was configured to be.
            return self._with(model, READY, cause, culprits=culprits, healed=len(healed))
        line = model.ready or next(iter(model.rows.values()), (0, ""))[0]
        return Verdict(model.name, READY, line=line)

    def _unfinished(self, model: ModelHistory) -> Verdict:
        """A load that began and of which nothing more is known."""
        stuck = self.causes.stuck(model)
        if stuck is not None:
            return self._with(model, HUNG, stuck)
        text = f"loading: {model.name}:{min(model.versions, default=1)}"
        if self.crash is not None:
            event, match = self.crash
            return Verdict(model.name, CRASHED, "crash-signal", event.line, event.text, match=match)
        if self.end.how == "timeout":
            return Verdict(model.name, HUNG, "hang", model.began, text)
        if self.end.how == "exit" and self.end.code != 0:
            return Verdict(model.name, CRASHED, "crash-signal", model.began, text)
        return Verdict(model.name, UNKNOWN, "", model.began, text)

    def server(self) -> ServerVerdict:
        """What became of the server."""
        history = self.history
        version = history.options.get("server_version", "") or history.banner
        notes = {
            match.signature: Note(event.line, event.text, match.signature.kind) for event, match in history.server[::-1]
        }
        lines = tuple(sorted(notes.values(), key=lambda note: note.line))
        if self.crash is not None:
            event, match = self.crash
            return ServerVerdict(CRASHED, match.signature.kind, event.line, event.text, version, lines)
        if self.end.signal not in (0, 2, 15) and self.end.how != "timeout":
            return ServerVerdict(CRASHED, "crash-signal", history.last, "", version, lines)
        # `Error: ` alone is a usage error, but only where nothing follows it.
        started = bool(history.models or history.table or history.options)
        refusals = [event for event in history.refusals if not (started and event.first.startswith("Error: "))]
        if refusals:
            found = find(refusals[-1].first, "server")
            kind = found.signature.kind if found is not None and not found.signature.vague else ""
            return ServerVerdict(FAILED, kind, refusals[-1].line, refusals[-1].text, version, lines)
        if history.serving or (history.table and self.end.how == "running"):
            return ServerVerdict("up", "", history.serving or history.table, "", version, lines)
        return ServerVerdict(UNKNOWN, "", history.last, "", version, lines)


def _is_bad(status: str) -> bool:
    return not status.startswith(("READY", "LOADING", "UNLOADING", _UNLOADED))


def _kind(why: str) -> str:
    match = find(why, "reason")
    return match.signature.kind if match else "other"
