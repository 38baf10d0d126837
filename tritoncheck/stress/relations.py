"""Which models fail together, and whether the failures of a run come by chance in their order.

Works on strips, a letter for each attempt. Nothing here proves a cause: models that always fail in the same attempts
have one in common, or one is the other's.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tritoncheck.stress.arms import fisher
from tritoncheck.stress.independence import Independence, independence
from tritoncheck.stress.stats import holm, phi

# Pairs are looked at among so many models; those whose outcome varies most come first.
_MODELS = 24
_TRIED, _WRONG = b".dFHC", b"dFHC"
_NOT_TRIED = bytes(set(range(256)) - set(_TRIED))


@dataclass(frozen=True, slots=True)
class CoFailure:
    """Two models over the attempts in which both were tried: `both` failed, only the `first`, only the `second`.

    phi: 1 where they always fail together, -1 where always exactly one does. p: Fisher's, by Holm's method for all
    pairs of the run.
    """

    first: str
    second: str
    n: int
    both: int
    only_first: int
    only_second: int
    phi: float
    p: float


def co_failures(strips: Mapping[str, bytes | bytearray]) -> tuple[CoFailure, ...]:
    """All pairs of models whose outcomes vary, the closest first."""
    spread = {name: _spread(strip) for name, strip in strips.items()}
    varied = sorted((name for name in strips if spread[name]), key=lambda name: (-spread[name], name))[:_MODELS]
    found = [_pair(one, other, strips[one], strips[other]) for one, other in itertools.combinations(sorted(varied), 2)]
    pairs = [pair for pair in found if pair is not None]
    adjusted = holm([pair.p for pair in pairs])
    whole = (replace(pair, p=p) for pair, p in zip(pairs, adjusted, strict=True))
    return tuple(sorted(whole, key=lambda pair: (pair.p, -abs(pair.phi), pair.first, pair.second)))


def _pair(first: str, second: str, one: bytes | bytearray, other: bytes | bytearray) -> CoFailure | None:
    both_tried = [place for place, (x, y) in enumerate(zip(one, other, strict=True)) if x in _TRIED and y in _TRIED]
    x = [one[place] in _WRONG for place in both_tried]
    y = [other[place] in _WRONG for place in both_tried]
    together = phi(x, y)
    if together is None:
        return None
    n, fails_x, fails_y = len(x), sum(x), sum(y)
    both = sum(1 for a, b in zip(x, y, strict=True) if a and b)
    p = fisher(both, fails_y, fails_x - both, n - fails_y)
    return CoFailure(first, second, n, both, fails_x - both, fails_y - both, together, p)


def _spread(strip: bytes | bytearray) -> int:
    """How many attempts separate it from a model that always ends alike."""
    tried = strip.translate(None, _NOT_TRIED)
    wrong = sum(tried.count(letter) for letter in _WRONG)
    return min(wrong, len(tried) - wrong)


def order_of(strip: bytes | bytearray) -> Independence:
    """Tests the order of the failures of a strip; attempts whose outcome is unknown are left out."""
    return independence([letter in _WRONG for letter in strip if letter in _TRIED])
