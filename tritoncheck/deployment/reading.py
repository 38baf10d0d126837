"""What a reader of deployment files gives back: launches, and what is wrong with the file or cannot be told."""

from __future__ import annotations

from typing import NamedTuple

from tritoncheck.deployment.launch import Launch
from tritoncheck.rule import Span

# A file that starts more servers is no file of an operator; the rest is not read.
MOST_LAUNCHES = 50


class Fault(NamedTuple):
    """Something that makes a file, or part of it, unusable. message: what, in words; help: what to write instead."""

    message: str
    span: Span
    help: str = ""


class Reading(NamedTuple):
    """What was read from one file: the ways in which it starts a Triton server, its faults, and what was not read
    although nothing is wrong with it, such as a template."""

    launches: tuple[Launch, ...] = ()
    faults: tuple[Fault, ...] = ()
    unread: tuple[Span, ...] = ()
