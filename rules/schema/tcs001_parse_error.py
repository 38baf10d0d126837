"""# TCS001 parse-error

## What it finds
A `config.pbtxt` that is no text format: a bracket that is never closed, a comma too many or too few in a
list, a missing `:` or value, a string without its end, characters that are not ASCII outside quotes and
comments. Also a `config.pbtxt` that cannot be read at all: a folder, a pipe, a file without permission.

## Why it matters
Triton refuses the whole file at the first fault, so the model does not load, and the start fails unless
`--exit-on-error=false` is given. A `config.pbtxt` that is a folder is worse: it ends the whole server, and
every other model with it. That happens when a container mounts a file that does not exist on the host.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
input [
  { name: "image" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
  { name: "mask" data_type: TYPE_FP32 dims: [ 1, 224, 224 ] }
]
```

```
# resnet/config.pbtxt/
# bert/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
input [
  { name: "image" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] },
  { name: "mask" data_type: TYPE_FP32 dims: [ 1, 224, 224 ] }
]
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 4:3: Expected ",", found "{".» on stderr, without the time
and the name of the model, then «Poll failed for model directory 'resnet': failed to read text proto from
…/config.pbtxt». Only the first fault is printed. For a folder: «what(): basic_string::_M_replace_aux», and
the server is gone.

## Evidence
core `filesystem/api.cc`, `ReadTextProto`, and protobuf `text_format.cc` and `tokenizer.cc`, the same in 22.11
to 24.10 (six servers measured); the crash by a folder on all six; a pipe hangs the start of 22.11 and 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Edit, Finding, Fix, Model, Rule, Severity, Span

RULE = Rule(
    code="TCS001",
    name="parse-error",
    title="The configuration cannot be read as text format",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "core src/filesystem/api.cc ReadTextProto, 20.01-26.06",
        "protobuf text_format.cc and tokenizer.cc, measured on six servers, 22.11-24.10",
        "config.pbtxt as a folder: crash, measured on six servers, 22.11-24.10",
        "config.pbtxt as a pipe: the start hangs, measured on 22.11 and 24.10",
    ),
    on_broken=True,
)


# As Latin-1, one character a byte.
_MARK = "\xef\xbb\xbf"


def check(model: Model) -> Iterator[Finding]:
    """One finding for each fault, or one for a file that cannot be read."""
    if model.unreadable:
        yield from _unreadable(model)
    for fault in model.problems_of("syntax"):
        yield RULE.finding(
            fault.span, fault.message, help=fault.help, related=fault.related, fix=_without_mark(model, fault.span)
        )


def _without_mark(model: Model, span: Span) -> Fix | None:
    """For a byte order mark: no server reads a file that begins with one, so nothing that works can change."""
    if span.start or not model.text.startswith(_MARK):
        return None
    return Fix("take the byte order mark off", (Edit(span.path, 0, len(_MARK), ""),), safe=True)


def _unreadable(model: Model) -> Iterator[Finding]:
    span, name = Span(model.config_path), model.config_path.rpartition("/")[2]
    entry = None if model.variant else model.entry(name)
    if entry is not None and entry.kind == "dangling":
        return  # a link to nothing is told by the rule about links
    if model.unreadable == "a folder":
        yield RULE.finding(
            span,
            f"`{name}` is a folder; the whole server crashes when it reads it, and every other model goes down too",
            help="put the configuration there as a file, or delete the folder; where it is mounted into a container, "
            "make sure that the file exists on the host, for else a folder is made in its place",
        )
    elif model.unreadable == "a pipe":
        yield RULE.finding(
            span,
            f"`{name}` is a pipe; the server hangs at start until somebody writes into it, with all its models",
            help="put the configuration there as a file",
            refused=False,
        )
    elif model.unreadable == "not a regular file":
        yield RULE.finding(
            span,
            f"`{name}` is a socket or a device, so it was not read",
            help="put the configuration there as a file",
            confidence=Confidence.MEDIUM,
            refused=False,
        )
    elif model.unreadable.endswith("is no model configuration"):
        yield RULE.finding(
            span,
            f"`{name}` was not read: {model.unreadable}",
            help="a configuration has a few kilobytes; check what this file is",
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
            refused=False,
        )
    else:
        yield RULE.finding(
            span,
            f"`{name}` cannot be read here: {model.unreadable}; if the server cannot read it either, "
            "Triton refuses the model",
            help="give the user that the server runs as, and the one that runs this check, the right to read it",
            confidence=Confidence.MEDIUM,
            refused=False,
        )
