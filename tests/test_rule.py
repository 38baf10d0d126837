"""What the contract gives to rules besides its records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritoncheck.rule import alike


@pytest.mark.parametrize(
    ("word", "known", "same"),
    [
        ("intra_op_thread_counts", "intra_op_thread_count", True),
        ("INFERENCE-MODE", "inference_mode", True),
        ("enable.mem.pattrn", "enable_mem_pattern", True),
        ("inter_op_thread_count", "intra_op_thread_count", True),
        ("mode", "node", False),
        ("threads", "intra_op_thread_count", False),
        ("", "", True),
    ],
)
def test_words_that_are_alike(word: str, known: str, same: bool) -> None:
    assert alike(word, known) == same


@given(st.text("ab_", min_size=8, max_size=12), st.text("ab_", min_size=8, max_size=12))
def test_alike_goes_both_ways(word: str, known: str) -> None:
    assert alike(word, known) == alike(known, word)
