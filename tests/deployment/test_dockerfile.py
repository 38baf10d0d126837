"""Dockerfiles: those of fixtures/deployments/dockerfile, and any text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deployment.expected import check
from tritoncheck.deployment.dockerfile import read_dockerfile
from tritoncheck.deployment.files import Files

FILES = sorted((Path(__file__).parents[2] / "fixtures" / "deployments" / "dockerfile").glob("*/Dockerfile"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_fixture(file: Path) -> None:
    """A Dockerfile is read as the table beside it says."""
    check(read_dockerfile(file.read_text(), str(file), files=Files()), file)


def test_target_and_arguments() -> None:
    """A stage and build arguments may be chosen, as Compose does."""
    text = "ARG T\nFROM x/tritonserver:$T AS a\nCMD tritonserver --id=a\nFROM a AS b\nCMD tritonserver --id=b\n"
    (launch,) = read_dockerfile(text, "Dockerfile", "a", {"T": "24.05-py3"}).launches
    assert (launch.release, launch.flags) == ((24, 5), (("id", "a"),))


LINES = [
    *("FROM x/tritonserver:24.05-py3 AS a", "FROM a", "FROM $X", "FROM", "ARG X=a", "ARG X", "ENV A=b C=$A", "ENV A b"),
    *("ENV", 'CMD ["tritonserver"]', "CMD tritonserver \\", "CMD", 'ENTRYPOINT ["tritonserver", "', "ENTRYPOINT x"),
    *("HEALTHCHECK NONE", "HEALTHCHECK --interval=x CMD y", "COPY a b", 'COPY ["a", "/b"]', "COPY --from=9 a b"),
    *("COPY <<E /x", "E", "# c", "\\", "", "  --flag", "RUN <<E", "\ufeff", "ADD http://x /y", "# escape=`", "`"),
]


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=20)).map("\n".join))
def test_any_text_is_read(text: str) -> None:
    """No text is refused, and every place lies in it."""
    reading = read_dockerfile(text, "Dockerfile")
    size = len(text.encode("utf-8", "surrogatepass"))
    spans = [span for launch in reading.launches for span in launch.origins.values()]
    spans += [one.span for one in reading.faults] + [one.span for launch in reading.launches for one in launch.doubts]
    assert all(0 <= span.start <= span.end <= size for span in spans)
