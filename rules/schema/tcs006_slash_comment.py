"""# TCS006 slash-comment

## What it finds
A comment that begins with `//` or stands in `/* */`. Lines of such comments that follow one another are one
finding.

## Why it matters
Text format knows only `#` comments, unlike the `.proto` files, C++ or JSON with comments that the text often
comes from. Triton refuses the file for its first `/`.

## Bad
```
# resnet/config.pbtxt
// ResNet-50, exported with opset 17
backend: "onnxruntime"
max_batch_size: 8  // fits into 8 GB
```

## Good
```
# resnet/config.pbtxt
# ResNet-50, exported with opset 17; see https://example.com/resnet
backend: "onnxruntime"
max_batch_size: 8  # fits into 8 GB
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 1:1: Expected identifier, got: /»

## Evidence
protobuf `tokenizer.cc`, comment style SH, which text format sets; measured on six servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Edit, Finding, Fix, Model, Rule, Severity, Span

RULE = Rule(
    code="TCS006",
    name="slash-comment",
    title="A comment with // or /* */, where only # begins one",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "protobuf tokenizer.cc, comment style SH, measured on six servers, 22.11-24.10",
        "core src/filesystem/api.cc ReadTextProto, 20.01-26.06",
    ),
    on_broken=True,
)


def check(model: Model) -> Iterator[Finding]:
    """One finding for each run of comment lines, with `#` for all of them as the fix."""
    run: list[Span] = []
    first = None
    for fault in model.problems_of("slash-comment"):
        if run and model.text[run[-1].end : fault.span.start].strip(" \t\r") != "\n":
            assert first is not None
            yield RULE.finding(run[0], first.message + _more(run), help=first.help, fix=_fix(model, run))
            run = []
        if not run:
            first = fault
        run.append(fault.span)
    if first is not None:
        yield RULE.finding(run[0], first.message + _more(run), help=first.help, fix=_fix(model, run))


def _more(run: list[Span]) -> str:
    """How many comments follow on the next lines."""
    if len(run) < 2:
        return ""
    return " (nor on the next line)" if len(run) == 2 else f" (nor on the next {len(run) - 1} lines)"


def _fix(model: Model, run: list[Span]) -> Fix | None:
    """`#` for each comment; none where text stands behind a `*/`."""
    edits = []
    for span in run:
        comment = model.text[span.start : span.end]
        if comment.startswith("//"):
            edits.append(Edit(span.path, span.start, span.start + 2, "#"))
            continue
        if model.text[span.end :].split("\n", 1)[0].strip():
            return None
        inner = comment.removeprefix("/*").removesuffix("*/").split("\n")
        lines = ["#" + (line if line[:1] in ("", " ", "\r") else f" {line.strip()}") for line in inner]
        text = "\n".join(lines).rstrip(" ")
        edits.append(Edit(span.path, span.start, span.end, text.encode("latin-1").decode("utf-8", "replace")))
    return Fix("begin the comment with `#`", tuple(edits), safe=True)
