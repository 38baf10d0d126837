"""The report as JUnit XML for CI: a test case for the server and one for each model.

A case fails where a model did not come up whole, with a claim where the claim is refuted; it is skipped where nothing
can be said. Only characters that XML allows are written.
"""

from __future__ import annotations

from xml.etree import ElementTree as xml

from tritoncheck.report.paths import printable
from tritoncheck.stress.parts import ModelSummary
from tritoncheck.stress.rates import Rate, Verdict
from tritoncheck.stress.report.reasons import facts
from tritoncheck.stress.summary import Summary

_SUITE = "tritoncheck stress"


def render(summary: Summary) -> str:
    """The report as a text that ends with a line break."""
    part = summary.whole
    suite = xml.Element("testsuite", name=_SUITE, hostname=_clean(summary.facts.host if summary.facts else ""))
    if summary.facts and summary.facts.started:
        suite.set("timestamp", _clean(summary.facts.started[:19]))
    properties = xml.SubElement(suite, "properties")
    for name, value in [("run", summary.run), ("plan", summary.plan.digest()), *facts(summary)]:
        xml.SubElement(properties, "property", name=name, value=_clean(value))
    _server(summary, suite)
    for name, model in part.models.items():
        case = _case(suite, name, sum(one.median.estimate or 0 for one in (model.times,) if one))
        _judge(case, summary, model.rate, model.verdict, f"{name}: {model.sentence}", _detail(model))
    cases = suite.findall("testcase")
    counts = {kind: sum(case.find(kind[:-1]) is not None for case in cases) for kind in ("failures", "errors")}
    skipped = sum(case.find("skipped") is not None for case in cases)
    totals = {"tests": str(len(cases)), "failures": str(counts["failures"]), "errors": str(counts["errors"])}
    totals |= {"skipped": str(skipped), "time": f"{part.spent:.3f}"}
    suite.attrib.update(totals)
    root = xml.Element("testsuites", {"name": _SUITE, **{key: totals[key] for key in totals if key != "skipped"}})
    root.append(suite)
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _server(summary: Summary, suite: xml.Element) -> None:
    part = summary.whole
    case = _case(suite, "server comes up whole", part.spent)
    if summary.exit_code == 4:
        error = xml.SubElement(case, "error", message=_clean(summary.trouble or "the environment failed"))
        error.set("type", "environment")
        return
    lines = [part.headline, part.sentence, *([summary.claim.sentence] if summary.claim else []), part.order_sentence]
    _judge(case, summary, part.rate, part.verdict, part.sentence, "\n".join(lines))


def _case(suite: xml.Element, name: str, seconds: float) -> xml.Element:
    return xml.SubElement(suite, "testcase", name=_clean(name), classname="tritoncheck.stress", time=f"{seconds:.3f}")


def _judge(case: xml.Element, summary: Summary, rate: Rate, verdict: Verdict, message: str, detail: str) -> None:
    """Marks a case as failed, skipped or, by nothing, as passed."""
    limit = summary.plan.claim
    failed = rate.bad > 0 if limit is None else rate.floor > limit
    if case.get("name") == "server comes up whole" and summary.claim:
        failed = summary.claim.met is False
    if failed:
        xml.SubElement(case, "failure", type=verdict, message=_clean(message)).text = _lines(detail)
    elif not rate.n or (limit is None and verdict == "inconclusive"):
        xml.SubElement(case, "skipped", message=_clean(message))
    elif limit is not None and rate.worst_ceiling > limit and not (summary.claim and summary.claim.met):
        xml.SubElement(case, "skipped", message=_clean(f"the claim is not decided; {message}"))
    else:
        xml.SubElement(case, "system-out").text = _lines(detail)


def _detail(model: ModelSummary) -> str:
    lines = [model.sentence]
    lines += [f"{outcome}: {count}" for outcome, count in model.outcomes.items() if count]
    lines += [f"class {kind}: {count}" for kind, count in model.classes.items()]
    lines += [f"healed by a retry, {kind}: {count}" for kind, count in model.healed.items()]
    for kind, example in model.examples.items():
        lines.append(f"first {kind}: attempt {example.attempt}, line {example.line}: {example.text}")
    return "\n".join(lines)


def _lines(text: str) -> str:
    return "\n".join(printable(line) for line in text.split("\n"))


def _clean(text: str) -> str:
    return printable(text.replace("\n", " "))
