"""What the oldest Python that is supported cannot do, although newer ones can."""

from __future__ import annotations

import re

import pytest

from tests.cases import ROOT

# A possessive repetition of a group, `(a|b)*+`, matches wrongly or never ends in Python 3.11.0 to 3.11.4, which
# Debian 12 ships (CPython issue 106052). A possessive repetition of one character set is fine.
_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+(?![+*?])")


@pytest.mark.parametrize("folder", ["tritoncheck", "rules"])
def test_no_possessive_groups(folder: str) -> None:
    """No regular expression of ours relies on them."""
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _POSSESSIVE_GROUP.search(line)
    ]
    assert not found
