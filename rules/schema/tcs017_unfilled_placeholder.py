"""# TCS017 unfilled-placeholder

## What it finds
A hole of a template that nobody filled: `${max_batch_size}`, `{{ gpu }}`, `<your_model>`, a lone word in
capitals where a number or text is due, a `{% … %}` line. One finding each, with the name of the hole and the
type of value that belongs there. A `${…}` inside a text in quotes is found as well; that is no fault to
Triton, so it is only an info, one for all that a file has.

## Why it matters
Triton fills in nothing. It refuses the file until every hole outside of quotes is filled, and its message
names only a place and a `$`. A hole in quotes is handed to the backend as it stands: `${engine_dir}` is then
the name of a folder that does not exist, though some backends take such a text for "not set".

## Bad
```
# tensorrt_llm/config.pbtxt
backend: "tensorrtllm"
max_batch_size: ${triton_max_batch_size}
parameters { key: "gpt_model_path" value { string_value: "${engine_dir}" } }
```

## Good
```
# tensorrt_llm/config.pbtxt
backend: "tensorrtllm"
max_batch_size: 8
parameters { key: "gpt_model_path" value { string_value: "/engines/llama" } }
```

## What Triton says
«Error parsing text-format inference.ModelConfig: 2:17: Expected integer, got: $». For a hole in quotes
nothing; the backend may say later that a file or value of that name does not exist.

## Evidence
protobuf `text_format.cc`, measured on six servers 22.11 to 24.10; the unfilled templates of TensorRT-LLM are
reported as failed loads in tensorrtllm_backend #207, #210, #250, #393 and #501 and server #6813.
"""

import re
from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity, listing

RULE = Rule(
    code="TCS017",
    name="unfilled-placeholder",
    title="A placeholder of a template is not filled in",
    severity=Severity.ERROR,
    refused=True,
    evidence=(
        "protobuf text_format.cc ConsumeFieldValue, measured on six servers, 22.11-24.10",
        "core src/filesystem/api.cc ReadTextProto, 20.01-26.06",
    ),
    on_broken=True,
)

_STRING = re.compile(r'#[^\n]*|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'")
_HOLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_.-]*\}")


def check(model: Model) -> Iterator[Finding]:
    """One finding for each hole that Triton stumbles over, and one for all in quotes."""
    for fault in model.problems_of("placeholder"):
        yield RULE.finding(fault.span, fault.message, help=fault.help, related=fault.related)
    if "${" in model.text:
        holes = list(_in_quotes(model.text))
        if holes:
            yield _quoted(model, holes)


def _in_quotes(text: str) -> Iterator[tuple[int, str]]:
    """Where a hole inside a text in quotes begins, and the hole."""
    for string in _STRING.finditer(text):
        if string.group()[0] != "#":
            for hole in _HOLE.finditer(string.group()):
                yield string.start() + hole.start(), hole.group()


def _quoted(model: Model, holes: list[tuple[int, str]]) -> Finding:
    """One finding for the holes in quotes, which are no fault to Triton."""
    first, name = holes[0]
    names = list(dict.fromkeys(hole for _, hole in holes))
    are = "are" if len(names) > 1 else "is"
    return RULE.finding(
        model.span(first, first + len(name)),
        f"{listing(names)} {are} not filled in: Triton takes text in quotes as it stands",
        help="render the template before use, or delete what the backend does without",
        severity=Severity.INFO,
        refused=False,
    )
