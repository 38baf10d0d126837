"""The formats of a stress report; each is one module with one `render` from a summary to a text."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from tritoncheck.stress.summary import Summary, summarise

__all__ = ["FORMATS", "render", "require", "summarise"]

FORMATS = ("text", "json", "junit", "markdown", "html")


def require(format: str) -> None:
    """Raise MissingExtra where a package that a format needs is missing; to be asked before a run."""
    if format == "html":
        from tritoncheck.stress.report import html

        html.require()


def render(summary: Summary, format: str, colour: bool = False, width: int = 80) -> str:
    """The report in one of `FORMATS`; colour and width are for text. MissingExtra where a package is missing."""
    if format not in FORMATS:
        raise ValueError(f"no report in the format `{format}`")
    module = importlib.import_module(f"tritoncheck.stress.report.{format}")
    made: Callable[..., str] = module.render
    return made(summary, colour, width) if format == "text" else made(summary)
