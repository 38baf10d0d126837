"""Why models did not come up, class by class, and the facts of a run: what several formats show alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tritoncheck.stress.ending import rules_of
from tritoncheck.stress.fold import Example
from tritoncheck.stress.parts import Part
from tritoncheck.stress.signatures import kinds
from tritoncheck.stress.summary import Summary
from tritoncheck.stress.wording import duration


@dataclass(frozen=True, slots=True)
class Reason:
    """A class of failures or losses: how often, in which models, in words, and where it was seen first. healed: how
    often among these a retry made good."""

    kind: str
    count: int
    healed: int
    models: tuple[tuple[str, int], ...]
    title: str
    means: str
    next: str
    model: str
    example: Example | None


def reasons(part: Part) -> tuple[Reason, ...]:
    """The classes of a run, the most frequent first; those of the server itself have no model."""
    counts: dict[str, Counter[str]] = {}
    healed: Counter[str] = Counter()
    for name, model in part.models.items():
        for kind, count in [*model.causes.items(), *model.healed.items()]:
            counts.setdefault(kind, Counter())[name] += count
        healed.update(model.healed)
    found = []
    for kind, models in counts.items():
        seen = [(part.models[name].examples[kind], name) for name in models if kind in part.models[name].examples]
        example, first = min(seen, key=lambda pair: pair[0].attempt, default=(None, ""))
        found.append(_reason(kind, healed[kind], models, first, example))
    found += [
        _reason(kind, 0, Counter({"": n}), "", None) for kind, n in part.server_classes.items() if kind not in counts
    ]
    return tuple(sorted(found, key=lambda reason: -reason.count))


def _reason(kind: str, healed: int, models: Counter[str], model: str, example: Example | None) -> Reason:
    known = kinds().get(kind)
    title, means, following = (known.title, known.means, known.next) if known else (kind, "", "")
    named = tuple((name, count) for name, count in models.most_common() if name)
    return Reason(kind, models.total(), healed, named, title, means, following, model, example)


def often(reason: Reason) -> str:
    """How often a class was seen: `12 times, 3 of them healed by a retry`."""
    times = "once" if reason.count == 1 else f"{reason.count} times"
    if not reason.healed:
        return times
    some = "" if reason.healed == reason.count else f"{reason.healed} of them "
    return f"{times}, {some}healed by a retry"


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
        ("load retries", str(plan.retries or "")),
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
    found += [one.sentence for one in summary.comparisons]
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
    healed = {name: sum(model.healed.values()) for name, model in part.models.items() if model.healed}
    if healed:
        each = ", ".join(f"{name} in {n} attempts" if n > 1 else f"{name} in 1 attempt" for name, n in healed.items())
        found.append(
            f"Healed by a retry of the load: {each}. Such a model is ready and lost nothing; without retries it fails."
        )
    elif plan.retries:
        found.append("The flags let the server retry a load (--model-load-retry-count); none was healed by that.")
    return found


def _attempts(number: int, one: str = "is", more: str = "are") -> str:
    return f"1 attempt {one}" if number == 1 else f"{number:,} attempts {more}"
