"""# TCS013 cache-without-server-cache

## What it finds
`response_cache { enable: true }` where the server's command line is known and gives it no cache.

## Why it matters
The setting has no effect: nothing is cached, and nothing says so.

## Bad
```
# --launch "tritonserver --model-repository=/models"
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
response_cache { enable: true }
```

## Good
```
# --launch "tritonserver --model-repository=/models --cache-config=local,size=104857600"
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
response_cache { enable: true }
```

## What Triton says
Nothing.

## Evidence
core `server.cc` and server `command_line_parser.cc`, 21.10 to 26.06; `--cache-config` since 23.03, before that
`--response-cache-byte-size`; loaded on real servers 22.11 to 24.10 without a word in the log.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Related, Rule, Severity, release_tag

RULE = Rule(
    code="TCS013",
    name="cache-without-server-cache",
    title="A model wants its answers cached and the server has no cache",
    severity=Severity.WARNING,
    needs=("config", "launch"),
    reads=("response_cache",),
    evidence=("server src/command_line_parser.cc, 21.10-26.06", "measured on 22.11-24.10"),
    only_with=("response_cache",),
)

CONFIG_SINCE = (23, 3)


def check(model: Model) -> Iterator[Finding]:
    """Compare with the flags, where these are known."""
    launch = model.launch
    if not launch.flags_known or not model.config.response_cache.enable:
        return
    if launch.all("cache-config") or launch.number("response-cache-byte-size", 0):
        return
    old = launch.release is not None and launch.release < CONFIG_SINCE
    flag = "--response-cache-byte-size=104857600" if old else "--cache-config=local,size=104857600"
    since = f" (before {release_tag(CONFIG_SINCE)} `--response-cache-byte-size`)" if launch.release is None else ""
    place = launch.place("command")
    yield RULE.finding(
        model.at("response_cache", "enable"),
        "`response_cache` has no effect: the server is started without a cache",
        help=f"start the server with `{flag}`{since}, or delete `response_cache`",
        related=[Related("how it is started", place)] if place else [],
    )
