"""Why models did not come up, class by class, and the facts of a run: what several formats show alike."""

from __future__ import annotations

from dataclasses import dataclass

from tritoncheck.stress.ending import rules_of
from tritoncheck.stress.fold import Example
from tritoncheck.stress.parts import Part
from tritoncheck.stress.signatures import kinds
from tritoncheck.stress.summary import Summary
from tritoncheck.stress.wording import duration


@dataclass(frozen=True, slots=True)
class Reason:
    """A class of failures or losses: how often, in which models, in words, and where it was seen first."""

    kind: str
    count: int
    models: tuple[tuple[str, int], ...]
    title: str
    means: str
    next: str
    model: str
    example: Example | None


def reasons(part: Part) -> tuple[Reason, ...]:
    """The classes of a run, the most frequent first; those of the server itself have no model."""
    counts: dict[str, list[tuple[str, int]]] = {}
    for name, model in part.models.items():
        for kind, count in model.causes.items():
            counts.setdefault(kind, []).append((name, count))
    found = []
    for kind, models in counts.items():
        seen = [(part.models[name].examples[kind], name) for name, _ in models if kind in part.models[name].examples]
        example, first = min(seen, key=lambda pair: pair[0].attempt, default=(None, ""))
        models.sort(key=lambda pair: -pair[1])
        found.append(_reason(kind, sum(count for _, count in models), tuple(models), first, example))
    known = {reason.kind for reason in found}
    found += [_reason(kind, n, (), "", None) for kind, n in part.server_classes.items() if kind not in known]
    return tuple(sorted(found, key=lambda reason: -reason.count))


def _reason(kind: str, count: int, models: tuple[tuple[str, int], ...], model: str, example: Example | None) -> Reason:
    known = kinds().get(kind)
    if known is None:
        return Reason(kind, count, models, kind, "", "", model, example)
    return Reason(kind, count, models, known.title, known.means, known.next, model, example)


def facts(summary: Summary) -> list[tuple[str, str]]:
    """What the run was done with and on: names and values, without those that are not known."""
    plan, one = summary.plan, summary.facts
    start, spent = one.started if one else "", duration(summary.whole.spent) if summary.whole.attempts else ""
    pairs = [
        ("repository", plan.repository),
        ("image", plan.image),
        ("image digest", one.image_digest if one else ""),
        ("server", plan.server),
        ("Triton", one.triton if one else ""),
        ("GPU", one.gpu if one else ""),
        ("GPUs given", plan.gpus),
        ("driver", one.driver if one else ""),
        ("host", one.host if one else ""),
        ("CPUs", str(plan.cpus or (one.cpus if one else "") or "")),
        ("memory", plan.memory),
        ("shared memory", plan.shm_size),
        ("engine", one.engine if one else plan.host),
        ("restart mode", plan.restart_mode),
        ("command", " ".join(one.command) if one else " ".join(plan.flags)),
        ("environment", " ".join(one.name for one in plan.environment)),
        ("stopping rule", ", or ".join(rule.declared for rule in rules_of(plan))),
        ("time-out", duration(plan.startup_timeout)),
        ("started", start),
        ("time spent", spent),
        ("tritoncheck", one.tritoncheck if one else ""),
    ]
    return [(name, value) for name, value in pairs if value]


def remarks(summary: Summary) -> list[str]:
    """What a reader has to know of the run besides its counts."""
    part, plan, found = summary.whole, summary.plan, []
    rule, why = summary.decision.get("rule"), summary.decision.get("reason")
    if why and rule != "fixed-count":
        found.append(f"Ended by the declared rule ({rule}): {why}.")
    if not summary.complete:
        done = f"{part.attempts} of {plan.restarts:,} planned attempts are done"
        if not plan.counted and plan.budget:
            done = f"{_attempts(part.attempts)} done in {duration(part.spent)} of the planned {duration(plan.budget)}"
        found.append(f"{done}; --resume goes on. Until then the interval is the one that may be read at any time.")
    if part.broken_off:
        found.append(f"{_attempts(part.broken_off, 'was', 'were')} broken off by hand, and not counted.")
    if summary.troubles:
        last = f" The last: {summary.trouble}" if summary.trouble else ""
        times = "once" if summary.troubles == 1 else f"{summary.troubles} times"
        found.append(f"The engine or the image failed {times}; that is no attempt.{last}")
    if summary.changed:
        names = ", ".join(name.replace("_", " ") for name in summary.changed)
        found.append(f"The run was resumed with another {names}: its attempts are not of one kind.")
    if summary.torn:
        found.append("The last line of the journal was cut: that attempt is not counted.")
    if summary.damaged:
        lines = "1 line" if summary.damaged == 1 else f"{summary.damaged} lines"
        found.append(f"{lines} of the journal cannot be read.")
    healed = {name: model.healed for name, model in part.models.items() if model.healed}
    if healed:
        found.append("Healed by a retry: " + ", ".join(f"{name} in {n} attempts" for name, n in healed.items()) + ".")
    return found


def _attempts(number: int, one: str = "is", more: str = "are") -> str:
    return f"1 attempt {one}" if number == 1 else f"{number:,} attempts {more}"
