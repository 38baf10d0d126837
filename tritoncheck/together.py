"""Which of several repositories one server reads, by the `--model-repository` flags of its command line.

The paths in a command line are those inside a container, so they are matched by the folders at their ends. Without a
command line that names several repositories nothing is assumed: each stands for a server of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritoncheck.model_repository import Repository


def served_together(repository: Repository) -> tuple[Repository, ...]:
    """The other repositories that the server of this one reads too."""
    served = [path for flag in ("model-repository", "model-store") for path in repository.launch.all(flag)]
    if not repository.siblings or len(served) < 2:
        return ()
    own = served_as(repository.path, served)
    if not own:
        return ()
    return tuple(other for other in repository.siblings if served_as(other.path, served) not in ("", own))


def served_as(path: str, served: list[str]) -> str:
    """Which of the served paths a repository is: the only one with the most folders in common at its end, "" where
    none or several are."""
    parts = _parts(path)
    scores = [(_common(parts, _parts(one)), one) for one in served]
    best = max((score for score, _ in scores), default=0)
    fitting = [one for score, one in scores if score == best]
    return fitting[0] if best and len(fitting) == 1 else ""


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".", "..")][::-1]


def _common(left: list[str], right: list[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
