"""What a run tells whoever watches it while it goes on: the live view, or plain lines.

A listener must not fail the run and must not keep it: it is called between two reads of the log.
"""

from __future__ import annotations

from tritoncheck.stress.records import Attempt, Facts, ModelOutcome, Plan


class Listener:
    """Is told of everything in the order in which it happens; this one does nothing with it."""

    def begin(self, plan: Plan, facts: Facts, done: list[Attempt]) -> None:
        """A session begins; `done` are the attempts of a run that is resumed."""

    def started(self, number: int) -> None:
        """An attempt has started its server."""

    def model(self, number: int, name: str, outcome: ModelOutcome) -> None:
        """The log told what became of a model, before the attempt is over."""

    def finished(self, attempt: Attempt) -> None:
        """An attempt is over and in the journal."""

    def note(self, text: str) -> None:
        """Something that a person should know: an image is pulled, the engine does not answer."""

    def end(self, reason: str) -> None:
        """The session is over, for this reason."""


class Silent(Listener):
    """Nobody watches."""
