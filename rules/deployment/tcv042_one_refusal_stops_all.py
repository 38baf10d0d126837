"""# TCV042 one-refusal-stops-all

## What it finds
A server that ends when a model does not load (`--exit-on-error`, on by default), a model that Triton surely refuses, as
another finding says, and other models beside it. Only where the server's command line is known.

## Why it matters
Not only the refused model is missing: the server ends, and nothing is served.

## Bad
```
# --launch "tritonserver --model-repository=/models"
# detector/config.pbtxt
backend: "onnxruntime"
max_batch_size: -1
# ranker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## Good
```
# --launch "tritonserver --model-repository=/models"
# detector/config.pbtxt
backend: "onnxruntime"
max_batch_size: 1
# ranker/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«error: creating server: Internal - failed to load all models»

## Evidence
Measured on the servers of 22.11 to 24.10: they end with 1 and these words. The flag is true by default in all branches
from 20.01 to 26.08. server#3786, where a maintainer says that it is meant so; report server#6064.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Refusals, Related, Rule, Severity, listing

RULE = Rule(
    code="TCV042",
    name="one-refusal-stops-all",
    title="A refused model ends the server, and the others with it",
    severity=Severity.INFO,
    scope="refusals",
    needs=("config", "repository", "launch"),
    evidence=("measured on 22.11-24.10", "server#3786"),
)

RELATED = 5


def check(refusals: Refusals) -> Iterator[Finding]:
    """One finding for the launch."""
    repository = refusals.repository
    launch = repository.launch
    if not launch.flags_known or not launch.switch("exit-on-error", True):
        return
    explicit = launch.control_mode == "explicit" and "*" not in launch.load_models
    loaded = [name for name in repository.served if not explicit or name in launch.load_models]
    refused = [name for name in loaded if name in refusals.causes]
    others = [name for name in loaded if name not in refusals.causes]
    if not refused or not others:
        return
    yield RULE.finding(
        repository.place("flag:exit-on-error", "command"),
        f"Triton refuses {listing(refused, len(refused))} and ends then, so {listing(others, len(others))} "
        f"{'is' if len(others) == 1 else 'are'} not served either",
        help="mend what is refused; `--exit-on-error=false` keeps the server up with the models that load",
        related=[Related(f"why `{name}` is refused", refusals.causes[name].span) for name in refused[:RELATED]],
    )
