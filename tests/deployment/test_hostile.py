"""Texts that are made to take long: every reader is through with them soon, and never fails."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tritoncheck.deployment.dockerfile import read_dockerfile
from tritoncheck.deployment.kubernetes import read_kubernetes
from tritoncheck.deployment.script import read_makefile, read_manual, read_script
from tritoncheck.deployment.values import read_values
from tritoncheck.deployment.variable_files import MOST_CHARACTERS, read_dotenv, read_plain

SIZE = 250_000  # what is above this is not read at all
RUN = "docker run --gpus all -p 8000:8000 -v $PWD/m:/m x/tritonserver:24.05-py3 tritonserver --id=$X\n"
POD = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: x/tritonserver:24.05-py3\n    args: [tritonserver]\n"
FROM = "FROM x/tritonserver:1\n"
# What stands before, and what is repeated until the size is reached.
TEXTS = {
    "servers": ("", RUN),
    "recipes": ("", "\t" + RUN),
    "fences": ("", f"```\n{RUN}```\n"),
    "quotes": ("triton", "'\""),
    "brackets": ("triton", "$("),
    "here-documents": ("triton", "<<"),
    "parameters": ("triton", "$a"),
    "backquotes": ("triton", "`"),
    "doubling": ("A=triton\n", "A=$A$A\n"),
    "long value": ("A=" + "x" * 4000 + "triton\n", "$A"),
    "growing array": ("A=(triton)\n", 'A+=("${A[@]}")\n'),
    "blocks": ("triton\n", "if X=1; then "),
    "flags": ("docker run x/tritonserver:1 tritonserver", " --id=a"),
    "scripts in scripts": ("tritonserver\n", "bash -c '"),
    "continued": ("FROM x/tritonserver:1 \\\n", "\\\n"),
    "stages": (FROM, "FROM x AS y\n"),
    "doubling variable": (FROM + "ENV A=b\n", "ENV A=$A$A\n"),
    "variables": (FROM + "ENV", " A=b"),
    "copies": (FROM, "COPY a /b\n"),
    "open quotes": ("", "A='\nB=\"\n"),
    "open braces": ("A=", "${A:-"),
    "documents": ("", f"{POD}---\n"),
    "containers": (POD, "  - image: x/tritonserver:1\n"),
    "variables of a pod": (f"{POD}    env:\n", "    - {name: A, value: $(A)$(A)$(A)}\n"),
    "arguments": (POD.replace("[tritonserver]\n", "\n    - tritonserver\n"), "    - --id=a\n"),
    "templates": ("triton\n", "{{ a }}"),
    "dashes": ("triton: ", "- "),
    "list": (FROM + "CMD [", '"tritonserver",'),
}
READERS: list[Callable[[str, str], object]] = [
    *(read_script, read_makefile, read_manual, read_dockerfile, read_kubernetes, read_values),
]
# These are given no more than this.
SMALL: list[Callable[[str, str], object]] = [read_dotenv, read_plain]


@pytest.mark.parametrize("read", [*READERS, *SMALL], ids=lambda one: one.__name__)
@pytest.mark.parametrize("name", TEXTS)
def test_soon(name: str, read: Callable[[str, str], object]) -> None:
    """Within seconds on any machine; without its limits a reader would take minutes, or all memory."""
    before, again = TEXTS[name]
    most = MOST_CHARACTERS if read in SMALL else 5 * SIZE
    text = before + again * (SIZE // len(again))
    started = time.process_time()
    read(text[:most], "f")
    read((text * 5)[:most], "f")
    assert time.process_time() - started < 5  # not a measurement
