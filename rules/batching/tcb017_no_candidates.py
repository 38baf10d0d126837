"""# TCB017 no-candidates

## What it finds
The `oldest` strategy of `sequence_batching` with a `max_candidate_sequences` below 0, or with 0 or none where the
server may be so old that this matters.

## Why it matters
Up to 23.07 a negative number **crashes the whole server** while the model loads, and with 0 every request of a sequence
waits for ever, because the batcher has room for none. From 23.10 on such a model serves; how many sequences it takes is
not written anywhere.

## Bad
```
# --triton 23.07
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { max_sequence_idle_microseconds: 5000000 oldest { } }
```

## Good
```
# --triton 23.07
# tracker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { max_sequence_idle_microseconds: 5000000 oldest { max_candidate_sequences: 64 } }
```

## What Triton says
A negative number up to 23.07: «what():  cannot create std::vector larger than max_size()», signal 6. With 0: nothing.

## Evidence
core `sequence_batch_scheduler.cc`; measured on real servers: crash and unanswered requests on 22.11, 23.04 and 23.07,
none on 23.10, 24.03 and 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, release_tag

RULE = Rule(
    code="TCB017",
    name="no-candidates",
    title="A sequence batcher with room for no sequence",
    severity=Severity.WARNING,
    needs=("config", "launch"),
    reads=("sequence_batching",),
    only_with=("sequence_batching",),
    evidence=("measured on 22.11-24.10: crash and hang up to 23.07",),
)

# Nobody has looked at 23.08 and 23.09.
_LAST_BAD = (23, 7)
_FIRST_GOOD = (23, 10)


def check(model: Model) -> Iterator[Finding]:
    """What it does depends on the release; without one, that of the newest."""
    block = model.config.sequence_batching
    if block.WhichOneof("strategy_choice") != "oldest" or block.oldest.max_candidate_sequences > 0:
        return
    release = model.launch.release
    negative = block.oldest.max_candidate_sequences < 0
    iterative = getattr(block, "iterative_sequence", False) or getattr(block, "generative_sequence", False)
    if not negative and (iterative if release is None else release[:2] >= _FIRST_GOOD):
        return  # Iterative sequences came with 23.11.
    what = f"`max_candidate_sequences` is {'negative' if negative else '0'}"
    if release is not None and release[:2] <= _LAST_BAD:
        tag = release_tag(release)
        outcome = (
            f"the whole server crashes while the model loads on Triton {tag}"
            if negative
            else f"on Triton {tag} the batcher has room for no sequence, and every request waits for ever"
        )
    else:
        outcome = (
            "servers up to 23.07 crash of it" if negative else "servers up to 23.07 let every request wait for ever"
        )
    bad = release is not None and release[:2] <= _LAST_BAD
    yield RULE.finding(
        model.at("sequence_batching", "oldest", "max_candidate_sequences"),
        f"{what}: {outcome}",
        help="write how many sequences may be at work at the same time, such as `max_candidate_sequences: 64`",
        severity=Severity.ERROR if bad else Severity.WARNING if negative else Severity.INFO,
    )
