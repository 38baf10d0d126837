"""# TCV019 flag-without-effect

## What it finds
A flag that another flag, or its absence, makes pointless: `--repository-poll-secs` outside poll mode,
`--rate-limit-resource` without rate limiting, settings of an endpoint that is switched off, both spellings of automatic
completion.

## Why it matters
The server says nothing, and what the flag asks for does not happen.

## Bad
```
# --launch "tritonserver --model-repository=/models --repository-poll-secs=5"
# detector/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-control-mode=poll --repository-poll-secs=5"
# detector/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
Nothing; for the two spellings «Warning: Overriding deprecated '--strict-model-config' from False to True in favor of
'--disable-auto-complete-config'!».

## Evidence
server `command_line_parser.cc`, 22.11 to 24.10, usage and `Parse`. Measured: the servers of 22.11 to 24.10 start with
each of these.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV019",
    name="flag-without-effect",
    title="A flag that does nothing beside the others",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("server src/command_line_parser.cc, 22.11-24.10", "measured on 22.11-24.10: the server starts"),
)

ENDPOINTS = {"http": "allow-http", "grpc": "allow-grpc", "metrics": "allow-metrics"}


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each flag; needs the whole command line."""
    launch = repository.launch
    if not launch.flags_known:
        return
    given = dict(launch.flags)
    dead: dict[str, tuple[str, str]] = {}
    if "repository-poll-secs" in given and launch.control_mode in ("none", "explicit"):
        dead["repository-poll-secs"] = ("nothing is polled", "add `--model-control-mode=poll`, or take the flag out")
    if "rate-limit-resource" in given and launch.last("rate-limit", "off").lower() == "off":
        dead["rate-limit-resource"] = ("rates are not limited", "add `--rate-limit=execution_count`")
    for kind, switch in ENDPOINTS.items():
        if not launch.switch(switch, True):
            mine = [name for name in given if name.startswith(f"{kind}-") and name != "metrics-config"]
            dead |= dict.fromkeys(mine, (f"`--{switch}` is off", "take one of the two out"))
    if "disable-auto-complete-config" in given and not launch.switch("strict-model-config", True):
        why = "`--disable-auto-complete-config` wins: configurations are not completed"
        dead["strict-model-config"] = (why, "take one of the two out")
    for name, (why, help) in dead.items():
        yield RULE.finding(repository.place(f"flag:{name}"), f"`--{name}` does nothing: {why}", help=help)
