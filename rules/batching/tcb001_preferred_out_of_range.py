"""# TCB001 preferred-out-of-range

## What it finds
A `preferred_batch_size` of `dynamic_batching` or of the `oldest` strategy that is 0 or negative, or larger than
`max_batch_size`. Where `max_batch_size` is not written it is 0, and every preferred size is too large.

## Why it matters
Triton refuses the model. It looks before the backend completes the configuration, so it does not help that the
backend would have found a larger `max_batch_size` in the model.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { preferred_batch_size: [ 4, 16 ] }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 16
dynamic_batching { preferred_batch_size: [ 4, 16 ] }
```

## What Triton says
«dynamic batching preferred size must be <= max batch size for resnet», «dynamic batching preferred size must be
positive for resnet»; the same with «sequence batching preferred batch size»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 20.01 to 26.06; loaded on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator, Sequence

from tritoncheck.rule import Edit, Finding, Fix, Model, Related, Rule, Severity, Span

RULE = Rule(
    code="TCB001",
    name="preferred-out-of-range",
    title="A preferred batch size that is not between 1 and `max_batch_size`",
    severity=Severity.ERROR,
    reads=("dynamic_batching", "sequence_batching", "max_batch_size"),
    only_with=("dynamic_batching", "sequence_batching"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 20.01-26.06", "measured on 22.11-24.10"),
)


def check(model: Model) -> Iterator[Finding]:
    """The sizes of whichever batcher has some; one finding, at the first wrong one."""
    config = model.config
    for path, block in (
        (("dynamic_batching",), config.dynamic_batching),
        (("sequence_batching", "oldest"), config.sequence_batching.oldest),
    ):
        sizes = list(block.preferred_batch_size)
        wrong = [index for index, size in enumerate(sizes) if not 0 < size <= config.max_batch_size]
        if not wrong:
            continue
        limit = config.max_batch_size
        values = [sizes[index] for index in wrong]
        related = []
        if model.written("max_batch_size"):
            related.append(Related("the limit", model.at("max_batch_size")))
        place = model.at(*path, "preferred_batch_size", wrong[0])
        yield RULE.finding(
            place,
            f"preferred batch size {_enumerate(values)}: {_why(values, limit)}, and Triton refuses the model",
            help=_help(limit),
            related=related,
            fix=_fix(place, values, sizes, limit),
        )


def _enumerate(values: Sequence[int]) -> str:
    shown = [str(value) for value in values[:4]]
    return ", ".join(shown) + (f" and {len(values) - 4} more" if len(values) > 4 else "")


def _why(values: Sequence[int], limit: int) -> str:
    if any(value < 1 for value in values):
        return "only sizes from 1 on are allowed"
    if limit > 0:
        return f"`max_batch_size` is {limit}"
    return "`max_batch_size` is 0, so that the model does not batch"


def _help(limit: int) -> str:
    if limit > 1:
        return f"write sizes from 1 to {limit}, or raise `max_batch_size` if the model can take more"
    return "set `max_batch_size` to what the model can take, or leave `preferred_batch_size` out"


def _fix(place: Span, values: Sequence[int], sizes: Sequence[int], limit: int) -> Fix | None:
    """Lower a lone size that is too large to the limit."""
    if len(values) != 1 or limit < 1 or values[0] < 1 or limit in sizes:
        return None
    return Fix(f"preferred batch size {limit}", (Edit(place.path, place.start, place.end, str(limit)),))
