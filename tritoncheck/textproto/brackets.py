"""Brackets that do not match: which of them is missing, wrong or too much, and how the reading goes on.

Half of the reading for people; `recovery` is the other. Keeps the containers that are open, and says each fault.
"""

from __future__ import annotations

from collections import Counter

from tritoncheck.textproto.grammar import CLOSER, STOP, Reader
from tritoncheck.textproto.layout import Layout
from tritoncheck.textproto.problem import Problem
from tritoncheck.textproto.tokens import Tokens
from tritoncheck.textproto.tree import List, Message


class Brackets(Reader):
    """A reading that mends brackets. `unclosed`: whether the text ended inside a container."""

    def __init__(self, tokens: Tokens, root: Message, layout: Layout) -> None:
        super().__init__(tokens, root)
        self.layout = layout
        self.unclosed = False
        self.waiting: Counter[str] = Counter()  # open containers by what will close them

    def open(self, node: Message | List) -> None:
        super().open(node)
        self.waiting[CLOSER[self.texts[node.first]]] += 1

    def close(self, last: int) -> int:
        self.waiting[CLOSER[self.texts[self.stack[-1].first]]] -= 1
        return super().close(last)

    def wrong_closer(self, index: int, text: str, wanted: str) -> int:
        """A closing bracket that is not the innermost container's: one is missing, or this is wrong or too much."""
        if self.waiting[text] > (text == wanted):
            return self.close_before(index)
        if not wanted or self.layout.end_of_container(index + 1, wanted) >= 0:
            self.report(index, index, f"this `{text}` closes nothing", "delete it")
            return index + 1
        first = self.stack[-1].first
        self.report(index, index, f"`{wanted}` is due here, not `{text}`", f"write `{wanted}`", first)
        return self.close(index)

    def close_before(self, index: int, what: str = "this") -> int:
        """End the innermost container before a token that cannot be in it."""
        first = self.stack[-1].first
        opener = self.texts[first]
        name = "list" if opener == "[" else f"`{opener}`"
        self.report(index, index, f"the {name} is not closed before {what}", f"close it with `{CLOSER[opener]}`", first)
        self.close(index - 1)
        return index

    def end_of_text(self, index: int) -> int:
        """The text ends inside containers: one fault, at the innermost that is open."""
        first, around = self.stack[-1].first, len(self.stack) - 2
        opener = self.texts[first]
        more = f" (nor are {around} around it)" if around > 1 else " (nor is the one around it)" if around else ""
        self.report(
            first, first, f"this `{opener}` is never closed{more}", f"close it with `{CLOSER[opener]}`", seen=index
        )
        self.unclosed = True
        for node in self.stack:
            node.last = max(node.first, index - 1)
            if type(node) is Message:
                node.damaged = True
        return STOP

    def innermost(self) -> Message:
        """The innermost open message."""
        return next(node for node in reversed(self.stack) if type(node) is Message)

    def report(
        self,
        first: int,
        last: int,
        message: str,
        advice: str = "",
        opener: int = -1,
        kind: str = "syntax",
        behind: bool = False,
        seen: int = -1,
    ) -> None:
        """Record a fault of the tokens `first` to `last`, or of the place behind them.

        opener: the token that opened the container at fault. seen: where libprotobuf sees it, if not at `first`.
        """
        start, end = self.tokens.starts[first], self.tokens.ends[last]
        if behind:
            start = end
        if self.tokens.faults.room(kind, start, end):
            problem = Problem(kind, start, end, message, advice, first if seen < 0 else seen)
            if opener >= 0:
                problem.related = ((self.tokens.starts[opener], self.tokens.ends[opener], "opened here"),)
            self.tokens.faults.kept.append(problem)
