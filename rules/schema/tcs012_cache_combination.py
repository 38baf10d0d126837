"""# TCS012 cache-combination

## What it finds
`response_cache { enable: true }` in a model with `sequence_batching` (refused since 23.10), in a decoupled one, and
in an ensemble with a decoupled part.

## Why it matters
Triton refuses the model: an answer that depends on the requests before, or that comes in several parts, cannot be
cached.

## Bad
```
# track/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { }
response_cache { enable: true }
```

## Good
```
# track/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
sequence_batching { }
```

## What Triton says
«Response Cache does not currently support model track with sequence batching scheduler. Please disable the response
cache.», «… with 'decoupled' transaction policy. …»

## Evidence
core `model_config_utils.cc` `ValidateModelConfig`, 21.10 to 26.06; loaded on real servers 22.11 to 24.10: decoupled is
refused on all, sequences from 23.10 on (23.07 loads them), an ensemble with a decoupled part on all.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Related, Rule, Severity, Span

RULE = Rule(
    code="TCS012",
    name="cache-combination",
    title="A response cache where answers cannot be cached",
    severity=Severity.ERROR,
    needs=("config", "launch", "repository", "files"),
    reads=("response_cache", "sequence_batching", "model_transaction_policy", "ensemble_scheduling"),
    refused=True,
    evidence=("core src/model_config_utils.cc ValidateModelConfig, 21.10-26.06", "measured on 22.11-24.10"),
    only_with=("response_cache",),
)

SEQUENCES_SINCE = (23, 10)


def check(model: Model) -> Iterator[Finding]:
    """What the cache is combined with."""
    config = model.config
    if not config.HasField("response_cache") or not config.response_cache.enable:
        return
    release = model.launch.release
    reasons: list[tuple[str, Span]] = []
    if config.WhichOneof("scheduling_choice") == "sequence_batching" and (
        release is None or release >= SEQUENCES_SINCE
    ):
        reasons.append(("with `sequence_batching`", model.at("sequence_batching")))
    if config.model_transaction_policy.decoupled:
        reasons.append(("in a decoupled model", model.at("model_transaction_policy", "decoupled")))
    elif model.ensemble is not None and model.ensemble.decoupled:
        parts = zip(model.ensemble.steps, model.ensemble.parts, strict=True)
        number, name = next((step.number, step.name) for step, part in parts if part is not None and part.decoupled)
        reasons.append((f"in an ensemble with the decoupled part `{name}`", model.ensemble.step_at(number)))
    if not reasons:
        return
    place = model.value_at("response_cache", "enable")
    yield RULE.finding(
        model.at("response_cache", "enable"),
        f"a response cache {' and '.join(what for what, _ in reasons)}: Triton refuses the model",
        help="delete `response_cache`, or write `enable: false`",
        related=[Related("this", span) for _, span in reasons],
        fix=Fix("enable: false", (Edit(place.path, place.start, place.end, "false"),)),
    )
