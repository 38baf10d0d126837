"""The faults of a text as a rule reports them: a place, our words, and the line by which the log names the fault.

Knows nothing of rules; what a fault means is said where it is found (`tritoncheck.textproto`, `tritoncheck.schema`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.rule import Related, Span
from tritoncheck.textproto import Problem
from tritoncheck.textproto.document import decode

if TYPE_CHECKING:
    from tritoncheck.model import Model

# How the log of every release begins the line (protobuf `src/google/protobuf/text_format.cc`, `ReportError`).
_LOG = "Error parsing text-format inference.ModelConfig:"


class Fault(NamedTuple):
    """One fault. help: what to write instead, and for the first fault of a file what Triton prints for it.
    instead: the text that was meant for that of the span, "" where that is not plain."""

    span: Span
    message: str
    help: str
    related: tuple[Related, ...]
    instead: str = ""


def faults(model: Model, kind: str) -> list[Fault]:
    """The faults of one kind in the order of the file."""
    found = [problem for problem in model.problems if problem.kind == kind]
    first = _first_met(model) if found else None
    return [_fault(model, problem, problem is first) for problem in found]


def _fault(model: Model, problem: Problem, first: bool) -> Fault:
    related = tuple(Related(message, model.span(start, end)) for start, end, message in problem.related)
    span = model.span(problem.start, problem.end)
    lines = [problem.help, _printed(model, span) if first else ""]
    return Fault(span, problem.message, "\n".join(line for line in lines if line), related, problem.instead)


def _first_met(model: Model) -> Problem:
    """The fault that libprotobuf comes to first. A hole has no token there; it counts where it stands."""
    starts = model.document.tokens.starts

    def order(problem: Problem) -> tuple[int, int]:
        known = 0 <= problem.token < len(starts)
        return (starts[problem.token] if known else problem.start, problem.layer)

    return min(model.problems, key=order)


def _printed(model: Model, span: Span) -> str:
    """What Triton prints; it often names the place behind the fault, and counts columns in bytes."""
    if not model.server:
        return ""
    line = model.server[0]
    same = (line.line, line.column) == (span.line, span.column)
    lead = "Triton prints" if same else f"Triton prints this place as {line.line}:{line.column}"
    return f"{lead}: «{_LOG} {line.line}:{line.column}: {decode(line.text)}»"
