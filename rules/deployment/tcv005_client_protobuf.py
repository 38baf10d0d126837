"""# TCV005 client-protobuf

## What it finds
A Dockerfile that installs `tritonclient` 2.73.0 beside a `protobuf` that is pinned below 6.33.5.

## Why it matters
The generated code in that client was made with protobuf 6.33.5 and refuses an older one when it is imported. `pip` does
not see that: the client's own requirements allow 6.30 and newer.

## Bad
```
# Dockerfile
FROM nvcr.io/nvidia/tritonserver:26.08-py3
RUN pip install tritonclient[grpc]==2.73.0 protobuf==6.31.1
COPY . /models
CMD ["tritonserver", "--model-repository=/models"]
# router/config.pbtxt
backend: "python"
```

## Good
```
# Dockerfile
FROM nvcr.io/nvidia/tritonserver:26.08-py3
RUN pip install tritonclient[grpc]==2.73.0 protobuf==6.33.5
COPY . /models
CMD ["tritonserver", "--model-repository=/models"]
# router/config.pbtxt
backend: "python"
```

## What Triton says
Nothing. Python: «VersionError: Detected incompatible Protobuf Gencode/Runtime versions when loading
model_config.proto: gencode 6.33.5 runtime 6.31.1.»

## Evidence
Measured: tritonclient 2.73.0 is not imported with protobuf 6.31.1, and is with 6.33.5. It asks for that in
`tritonclient/grpc/model_config_pb2.py`; those of 2.50.0, 2.54.0, 2.57.0, 2.60.0, 2.63.0, 2.66.0, 2.69.0 and 2.71.0 ask
for none.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Repository, Rule, Severity

RULE = Rule(
    code="TCV005",
    name="client-protobuf",
    title="The client cannot be imported with this protobuf",
    severity=Severity.WARNING,
    scope="repository",
    needs=("launch",),
    evidence=("measured: wheels of tritonclient 2.50.0 to 2.73.0",),
)

# Version of the client -> the oldest protobuf that its generated code takes.
WANTED = {"2.73.0": (6, 33, 5)}


def check(repository: Repository) -> Iterator[Finding]:
    """The protobuf, where both versions are known."""
    packages = dict(repository.launch.packages)
    wanted = WANTED.get(packages.get("tritonclient", ""))
    given = packages.get("protobuf", "")
    parts = given.split(".")
    if wanted is None or not all(part.isdecimal() and len(part) < 6 for part in parts):
        return
    if tuple(map(int, parts)) >= wanted:
        return
    least = ".".join(map(str, wanted))
    yield RULE.finding(
        repository.place("package:protobuf"),
        f"tritonclient {packages['tritonclient']} was made with protobuf {least} and cannot be imported with {given}",
        help=f"write `protobuf>={least},<7`",
    )
