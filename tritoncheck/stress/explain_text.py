"""What a log tells, for people: an operator at night reads what failed, why, who did it, and what to do.

Laid out for 80 columns. What comes from the log is shown without control characters.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from tritoncheck.report.paths import printable, shown_path
from tritoncheck.stress.place import Place
from tritoncheck.stress.signatures import kinds
from tritoncheck.stress.verdict import (
    CRASHED,
    DEGRADED,
    FAILED,
    HUNG,
    KNOCK_ON,
    READY,
    UNKNOWN,
    Diagnosis,
    Verdict,
)

_ORDER = (FAILED, CRASHED, HUNG, DEGRADED, KNOCK_ON, UNKNOWN, READY)
_COLOURS = {FAILED: "1;31", CRASHED: "1;31", HUNG: "1;31", DEGRADED: "1;33", KNOCK_ON: "33", UNKNOWN: "36", READY: "32"}
_BOLD = "1"
_LINES = 4
_VICTIM = "legacy-stream-dependency"
# What an operator need not read: where libprotobuf was built, and the reason of another model.
_NOISE = re.compile(r"^\[libprotobuf ERROR [^\]]*\] ")
_REPEATED = re.compile(r"\. Model '.*", re.DOTALL)


def to_text(
    diagnosis: Diagnosis,
    places: Mapping[str, Place],
    earlier: Sequence[Diagnosis] = (),
    *,
    name: str,
    starts: int = 1,
    suspects: Mapping[str, tuple[str, ...]] | None = None,
    colour: bool = False,
    width: int = 80,
) -> str:
    """The form for people. name: of the log; starts: how many it holds; suspects: for a victim without culprit, who may
    have captured."""
    printer = _Printer(diagnosis, places, suspects or {}, colour, max(40, width))
    printer.head(name, earlier, starts)
    ranked = sorted(diagnosis.models.values(), key=lambda one: (_ORDER.index(one.outcome), one.model))
    for verdict in ranked:
        if verdict.outcome != READY or verdict.healed:
            printer.model(verdict)
    printer.ready([one for one in ranked if one.outcome == READY and not one.healed])
    printer.advice(ranked)
    printer.foot()
    return "\n".join(printer.lines) + "\n"


class _Printer:
    def __init__(
        self,
        diagnosis: Diagnosis,
        places: Mapping[str, Place],
        suspects: Mapping[str, tuple[str, ...]],
        colour: bool,
        width: int,
    ) -> None:
        self.diagnosis = diagnosis
        self.places = places
        self.suspects = suspects
        self.colour = colour
        self.width = width
        self.lines: list[str] = []

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def wrap(self, text: str, lead: str = "  ", indent: int | None = None) -> None:
        """A paragraph behind a lead; its further lines stand below its beginning, or at an indent."""
        room = " " * (len(lead) if indent is None else indent + 2)
        lines = [printable(line) for line in text.splitlines() if line.strip()] or [""]
        for number, line in enumerate(lines[:_LINES]):
            first = lead if not number else room
            more = number == _LINES - 1 and len(lines) > _LINES
            self.lines += textwrap.wrap(
                line + (" …" if more else ""),
                self.width,
                initial_indent=first,
                subsequent_indent=room,
                break_on_hyphens=False,
                max_lines=8,
                placeholder=" …",
            )

    def head(self, name: str, earlier: Sequence[Diagnosis], starts: int) -> None:
        """What became of the server, and of how many models."""
        diagnosis, server = self.diagnosis, self.diagnosis.server
        counts = _counts(diagnosis)
        what = {
            "up": "came up",
            "failed": "refused to start",
            "crashed": "crashed",
            "unknown": "has no known end in this log",
        }[server.outcome]
        triton = f"Triton {printable(server.version)}" if server.version else "The server"
        told = f"{triton} {what}; {counts}" if diagnosis.models else f"{triton} {what}; it names no model"
        self.wrap(f"{told}.", "")
        which = f" (start {len(earlier) + 1} of {starts})" if starts > 1 else ""
        self.wrap(printable(name) + f", lines {diagnosis.first} to {diagnosis.last}{which}", "")
        if earlier:
            self._earlier(earlier)
        self.lines.append("")
        if server.outcome in ("failed", "crashed") and server.text:
            self.title(server.outcome, "the server", server.kind)
            if server.outcome == "failed" and not server.kind and diagnosis.models:
                self.wrap("It gave up because of the models below (--exit-on-error is on by default).")
            self.wrap(server.text, f"  line {server.line}: ")
            self.lines.append("")
        for note in server.notes:
            if note.kind == "config-validate" and note.line != server.line:
                self.title(FAILED, "the repository", note.kind)
                self.wrap("None of its models was tried.")
                self.wrap(note.text, f"  line {note.line}: ")
                self.lines.append("")

    def _earlier(self, earlier: Sequence[Diagnosis]) -> None:
        bad: dict[str, int] = {}
        for one in earlier:
            for name, verdict in one.models.items():
                bad[name] = bad.get(name, 0) + (verdict.outcome not in (READY, UNKNOWN))
        failed = [f"{printable(name)} in {count}" for name, count in sorted(bad.items()) if count]
        told = f"not well there: {', '.join(failed)}" if failed else "no model failed there"
        plural = "starts" if len(earlier) > 1 else "start"
        self.wrap(f"The log holds {len(earlier)} earlier {plural}; {told}.", "")

    def title(self, outcome: str, name: str, kind: str) -> None:
        """The first line of a paragraph."""
        word = self.paint(f"{outcome.upper():<8}", _COLOURS[outcome])
        self.lines.append(f"{word}  {self.paint(printable(name), _BOLD)}{f'  [{kind}]' if kind else ''}")

    def model(self, verdict: Verdict) -> None:
        """One model that is not simply ready."""
        self.title(verdict.outcome, verdict.model, verdict.kind)
        for told in self._told(verdict):
            self.wrap(told)
        if verdict.line:
            text = _REPEATED.sub(".", verdict.text) if verdict.outcome == KNOCK_ON else verdict.text
            self.wrap(_NOISE.sub("libprotobuf: ", text), f"  line {verdict.line}: ")
        if verdict.near:
            self.wrap("That line names no model; it stands just before this one's failure.")
        if len(verdict.instances) > 1:
            lines = ", ".join(str(note.line) for note in verdict.instances[:12])
            self.wrap(f"{len(verdict.instances)} instances failed: lines {lines}.")
        place = self.places.get(verdict.model)
        if place is not None:
            code = f" ({place.code})" if place.code else ""
            self.wrap(f"{printable(shown_path(place.path))}:{place.line}{code}", "  see ")
        self.lines.append("")

    def _told(self, verdict: Verdict) -> Iterator[str]:
        """What happened, in sentences; who did it to whom."""
        kind = kinds().get(verdict.kind)
        title = kind.title if kind else ""
        culprits = ", ".join(map(printable, verdict.culprits))
        if verdict.outcome == KNOCK_ON:
            yield f"Not its own fault: it needs {culprits or 'a model'}, which did not come up."
        elif verdict.outcome == UNKNOWN and verdict.line:
            yield "Still loading when the log ends: it hangs, was killed, or the log is cut."
        elif verdict.outcome == UNKNOWN:
            yield "The log does not speak of it."
        elif verdict.outcome == CRASHED:
            yield "It was loading when the server died; so were all that are marked so."
        elif verdict.outcome == DEGRADED and verdict.lost:
            lost = " and ".join(verdict.lost).replace("cuda-graph", "some of its CUDA graphs")
            yield f"Ready, but without {lost}: its capture was broken."
        elif verdict.outcome == READY:
            failed = f"{verdict.healed} tries failed" if verdict.healed > 1 else "one try failed"
            hit = f", hit by the CUDA graph capture of {culprits}" if culprits else ""
            yield f"Healed by a retry: {failed} first{hit}."
        elif culprits:
            yield f"Victim of the CUDA graph capture of {culprits}."
        elif verdict.kind == _VICTIM:
            suspects = ", ".join(map(printable, self.suspects.get(verdict.model, ())))
            yield "Victim of a CUDA graph capture; no line tells whose." + (
                f" These capture graphs: {suspects}." if suspects else ""
            )
        elif verdict.kind not in ("", "other"):
            yield f"{title[:1].upper()}{title[1:]}."
        if verdict.victims:
            yield f"Culprit: while it captured, these failed: {', '.join(map(printable, verdict.victims))}."

    def ready(self, verdicts: list[Verdict]) -> None:
        """The models that are well, in one paragraph."""
        if verdicts:
            names = ", ".join(printable(one.model) for one in verdicts)
            lead = "READY     "
            first = len(self.lines)
            self.lines += textwrap.wrap(
                names, self.width, initial_indent=lead, subsequent_indent=" " * 10, break_on_hyphens=False
            )
            self.lines[first] = self.paint(lead.rstrip(), _COLOURS[READY]) + self.lines[first][5:]

    def advice(self, verdicts: list[Verdict]) -> None:
        """What each class means and what to do about it."""
        found = [one.kind for one in verdicts] + [self.diagnosis.server.kind]
        if _VICTIM in found:
            # A lost graph is the other side of the same thing.
            found = [kind for kind in found if kind != "cuda-graph-capture"]
        names = [name for name in dict.fromkeys(found) if name in kinds() and name != "other"]
        if names:
            if self.lines[-1]:
                self.lines.append("")
            self.lines.append(self.paint("What to do", _BOLD))
        for name in names:
            words = kinds()[name]
            self.wrap(f"{words.means} {words.restart} {words.next}", f"  {name}: ", 2)
        codes = sorted({place.code for place in self.places.values() if place.code})
        if codes:
            self.wrap(f"More on a rule: tritoncheck explain {codes[0]}")

    def foot(self) -> None:
        """What else one should know of this log."""
        diagnosis = self.diagnosis
        if any(verdict.kind == "driver" for verdict in diagnosis.models.values()):
            for note in diagnosis.server.notes:
                if note.kind == "driver":
                    self.wrap(note.text, f"  line {note.line}: ")
        if diagnosis.half:
            self.lines.append("")
            self.wrap(
                "Only warnings and errors are in this log, so models that came up are not. From 25.06 on Triton writes "
                "the rest to stdout: capture both streams.",
                "",
            )


def _counts(diagnosis: Diagnosis) -> str:
    models = list(diagnosis.models.values())
    counts = [(outcome, sum(one.outcome == outcome for one in models)) for outcome in _ORDER]
    some = [f"{count} {outcome}" for outcome, count in counts if count]
    return f"of {len(models)} model{'s' if len(models) != 1 else ''}: {', '.join(some)}"
