"""Which CUDA graphs a model captures: batch sizes by scheduler, contexts by instance group, captures of each."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

from tritoncheck.deployment.launch import Launch
from tritoncheck.graphs import DOCUMENTED_SIZES, Graphs, completes, default_sizes, read_graphs
from tritoncheck.schema.descriptors import model_config_class

OFF = Launch(flags_known=True, flags=(("disable-auto-complete-config", ""),))


def _config(text: str, release: tuple[int, ...] | None = None) -> Any:
    return text_format.Parse(text, model_config_class(release)())


def _graphs(text: str, launch: Launch = OFF) -> Graphs:
    return read_graphs(_config(text, launch.release), launch)


@pytest.mark.parametrize(
    ("text", "completed", "sizes"),
    [
        ("max_batch_size: 0", False, (0,)),
        ("max_batch_size: 1", False, (1,)),
        ("max_batch_size: 7", False, (1, 2, 3, 4, 6, 7)),
        ("max_batch_size: 32", False, (*DOCUMENTED_SIZES, 32)),
        ("max_batch_size: 32", True, (1, 32)),
        ("max_batch_size: 32 dynamic_batching { }", False, (1, 32)),
        ("max_batch_size: 32 dynamic_batching { preferred_batch_size: [ 4, 8 ] }", True, (1, 4, 8, 32)),
        ("max_batch_size: 8 dynamic_batching { preferred_batch_size: 16 }", False, (1, 8)),
        ("max_batch_size: 4 sequence_batching { }", True, (1, 2, 3, 4)),
        ("max_batch_size: 4 sequence_batching { direct { } }", True, (1, 2, 3, 4)),
        ("max_batch_size: 4 sequence_batching { oldest { preferred_batch_size: 3 } }", True, (1, 3, 4)),
    ],
)
def test_default_sizes(text: str, completed: bool, sizes: tuple[int, ...]) -> None:
    """The batch sizes where no `graph_spec` is given."""
    assert default_sizes(_config(text), completed) == sizes


@pytest.mark.parametrize(
    ("text", "contexts", "everywhere"),
    [
        ("", 1, None),
        ("instance_group { count: 2 }", 2, None),
        ("instance_group { count: 2 gpus: [ 0, 1 ] }", 2, 4),
        ("instance_group { kind: KIND_GPU gpus: 0 } instance_group { count: 3 gpus: [ 0, 1 ] }", 4, 7),
        ("instance_group { gpus: 0 } instance_group { kind: KIND_GPU count: 2 }", 3, None),
        ('instance_group { count: 2 profile: [ "0", "1", "1" ] }', 4, None),
        ("instance_group { kind: KIND_CPU count: 4 }", 0, 0),
    ],
)
def test_contexts(text: str, contexts: int, everywhere: int | None) -> None:
    """Execution contexts on one GPU, and on all where the configuration names them."""
    graphs = _graphs(f"max_batch_size: 2 {text}")
    assert (graphs.contexts, graphs.all_contexts) == (contexts, everywhere)


def test_captures() -> None:
    """The example of two instances and nine sizes: 54 captures, and 36 before there were three sets of events."""
    text = "max_batch_size: 32 instance_group { count: 2 }"
    assert _graphs(text).captures == 54
    assert _graphs(text, Launch(release=(22, 5))).captures == 36
    spec = "optimization { cuda { graphs: true graph_spec { batch_size: 4 } graph_spec { batch_size: 8 } } }"
    assert _graphs(f"{text} {spec}").captures == 12


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        (Launch(), True),
        (OFF, False),
        (Launch(release=(22, 7)), True),
        (Launch(release=(22, 6)), False),
        (Launch(release=(22, 6), flags_known=True, flags=(("strict-model-config", "false"),)), True),
        (Launch(release=(22, 5), flags_known=True, flags=(("strict-model-config", "false"),)), False),
    ],
)
def test_completes(launch: Launch, expected: bool) -> None:
    """Whether auto-complete adds a batcher: by flag, else by the release's default."""
    assert completes(launch) is expected


def test_specs_of_old_releases() -> None:
    """Releases that lack fields are read all the same."""
    for release in ((20, 3), (20, 8), (20, 9), (21, 2)):
        graphs = _graphs("max_batch_size: 4 instance_group { count: 1 }", Launch(release=release))
        assert graphs.specs == ()
    spec = "optimization { cuda { graphs: true graph_spec { batch_size: 4 } } }"
    assert _graphs(f"max_batch_size: 4 {spec}", Launch(release=(20, 9))).specs[0].bound is None
