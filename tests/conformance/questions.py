"""What the cores are asked about: every fixture of the rules, and repositories that hypothesis makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cases import FIXTURES, Case, page_cases, read_case
from tests.conformance.core import STRICT
from tests.conformance.generate import samples
from tritoncheck.command import launch_of
from tritoncheck.config import Settings
from tritoncheck.registry import own_rules

# Flags that change which models load; the others say where models and ports are.
_TAKEN = frozenset(
    (
        *("disable-auto-complete-config", "strict-model-config", "model-namespacing", "model-config-name"),
        *("rate-limit", "rate-limit-resource", "cache-config"),
    )
)


@dataclass(frozen=True, slots=True)
class Question:
    """A repository to be made in a folder.

    flags: those of the server. roots: where it is several repositories, their folders. changes: what a mutation did.
    """

    name: str
    make: Callable[[Path], object]
    flags: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()


def written_questions() -> Iterator[Question]:
    """What was written for the rules: fixtures and the examples of the pages."""
    yield from fixture_questions()
    yield from page_questions()


def fixture_questions() -> Iterator[Question]:
    """Every fixture of every rule, with the flags of its server that matter here."""
    for folder in sorted((FIXTURES / "rules").glob("*/*/")):
        yield fixture_question(folder)


def page_questions() -> Iterator[Question]:
    """The Bad and Good examples of every rule's page."""
    for loaded in own_rules():
        for heading in ("Bad", "Good"):
            for number, case in enumerate(page_cases(loaded, heading), 1):
                yield _question(f"{loaded.rule.code}/page_{heading.lower()}_{number}", case)


def fixture_question(folder: Path) -> Question:
    """One fixture."""
    return _question(f"{folder.parent.name}/{folder.name}", read_case(folder))


def _question(name: str, case: Case) -> Question:
    launch = launch_of(Settings(launch=str(case.options.get("launch", ""))))
    flags = tuple(f"--{name}={value}" if value else f"--{name}" for name, value in launch.flags if name in _TAKEN)
    named = [value.strip("/") for name, value in launch.flags if name == "model-repository"]
    roots = tuple(named) if len(named) > 1 else ()
    return Question(name, case.build, flags, roots)


def made_questions(count: int, number: int = 0) -> list[Question]:
    """So many repositories made by hypothesis; auto-complete is off for every second of them."""
    found = []
    for index, sample in enumerate(samples(count, number)):
        flags = (STRICT,) if index % 2 else ()
        found.append(Question(sample.name, sample.write, flags, changes=tuple(sample.changes)))
    return found
