"""# TCG001 graph-load-race

## What it finds
A TensorRT model with `optimization { cuda { graphs: true } }`, and beside it, on the same GPU, a second model that
TensorRT, ONNX Runtime or PyTorch serves: its own graphs may be off. The server loads them at once, as it does by
default (four load threads), or nothing is known of its flags. Two versions of one such model count as two.

It is silent where there is nothing to collide: the flags load one model at a time, the GPUs named are different, or the
others run in processes of their own or on the CPU (python, vllm, openvino, `KIND_CPU`). Before 23.04 the core
did not load two models at once. A neighbour with another backend on the GPU (fil, dali, or your own with `KIND_GPU`)
gives a warning at low confidence, and so does one whose GPUs are hidden behind a placeholder. Several repositories
are taken together where the command line names them all.

## Why it matters
The start becomes a lottery. The model captures its graphs while it loads, on a blocking stream. As long as a
capture runs, no other thread of the server may use the legacy stream of that GPU, and loading uses it: TensorRT clears
its input buffers there, ONNX Runtime and PyTorch copy their weights. That call fails with CUDA error 906, and its
model does not load; by default the server then exits. The capture ends with 901, and the capturing model comes up
READY without that graph. So the log blames the wrong model: the line that names a graph names the culprit, the failed
load names the victim.

What was measured, in starts that failed (one H200, Triton 24.10 core, a stand-in backend that copies weights and
captures as an engine backend does; your rate will differ):

| set-up | failed starts |
|---|---|
| one graph model alone | 0 of 20 |
| one graph model beside one, two, three without | 10, 25, 24 of 40 |
| two graph models | 17 of 20 |
| three graph models; with one without beside them | 19; 20 of 20 |
| two graph models with 1, 3, 9, 27, 54 captures each | 19, 22, 27, 23, 20 of 40 |
| four models, none with graphs | 0 of 20 |
| three and one, `--model-load-thread-count=2` | 20 of 20 |
| three and one, `--model-load-thread-count=1` | 0 of 20 |
| three and one, loaded one by one in explicit mode | 0 of 20 |
| two graph models on one GPU; on two GPUs | 18; 0 of 20 |

## Bad
```
# pose_main/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
optimization { cuda { graphs: true } }
# vlm_main/config.pbtxt
backend: "onnxruntime"
```

## Good
```
# --launch "tritonserver --model-repository=/models --model-load-thread-count=1"
# pose_main/config.pbtxt
backend: "tensorrt"
max_batch_size: 8
optimization { cuda { graphs: true } }
# vlm_main/config.pbtxt
backend: "onnxruntime"
```

## What Triton says
The model that was hit: «operation would make the legacy stream depend on a capturing blocking stream» or «CUDA failure
906». The model that captured: «unable to finish CUDA graph for», «unable to record CUDA graph for».

## Evidence
tensorrt_backend `instance_state.cc`, `BuildCudaGraph` and `InitializeExecuteInputBinding`, 22.04 to 26.08; core commit
c269d67, which removed the mutex around loading in 23.04; 20 or 40 real starts a set-up on an H200, driver 580.159.04,
24.10 core; ONNX Runtime 1.31.1 and PyTorch 2.11 loading beside a capture on the same machine.
"""

from collections.abc import Iterator
from itertools import islice

from tritoncheck.rule import (
    Confidence,
    Finding,
    Launch,
    Model,
    Race,
    Related,
    Repository,
    Rule,
    Severity,
    Span,
    listing,
)

RULE = Rule(
    code="TCG001",
    name="graph-load-race",
    title="A model captures CUDA graphs while others load on the same GPU",
    severity=Severity.ERROR,
    scope="repository",
    needs=("config", "repository", "launch"),
    reads=("optimization.cuda.graphs", "backend", "platform", "instance_group"),
    since=(23, 4),
    evidence=(
        "tensorrt_backend src/instance_state.cc BuildCudaGraph, 22.04-26.08",
        "core c269d67, 23.04: loads no longer serialised",
        "measured: 10 set-ups of 20 or 40 starts, H200, 24.10 core, stand-in backend",
    ),
)

RELATED = 8
FIRST_SURE_BUILD = (24, 6)  # images before it may have graph support compiled out
WORDS = ("none", "one", "two", "three")
USES = {
    "tensorrt": "TensorRT clears its input buffers on the legacy stream",
    "onnxruntime": "ONNX Runtime copies its weights over the legacy stream",
    "pytorch": "PyTorch copies its weights over the legacy stream",
}
CURE = (
    "start the server with `--model-load-thread-count=1` (22.07 and later; measured: 0 of 20 starts failed). Or load "
    "the models one by one in explicit mode, without `--load-model` (0 of 20); or give each graph model a GPU of its "
    "own (two of them: 0 of 20 against 18 of 20 on one GPU) or a server of its own; or turn graphs off in all models "
    "(0 of 20).\n"
    "What does not help: fewer captures by `graph_spec` (with one capture each 19 of 40 starts failed, with 54 each "
    "20 of 40), and graphs off in all models but one (beside one, two, three without: 10, 25, 24 of 40)."
)


def check(repository: Repository) -> Iterator[Finding]:
    """One finding for each model that captures."""
    if not repository.start_races:
        return
    places: dict[str, Span] = {}
    for race in repository.start_races:
        yield _sure(repository.launch, race, places) if race.sure else _possible(repository.launch, race, places)


def _sure(launch: Launch, race: Race, places: dict[str, Span]) -> Finding:
    capturer, company = race.capturer.model, race.company
    whom = [listing((one.model.name for one in islice(race.victims, min(race.hit, 4))), race.hit)] if race.hit else []
    if race.versions > 1:
        whom.append("its own other version" if race.versions == 2 else "its own other versions")
    news = f"`{capturer.name}` captures CUDA graphs while it loads; that can make {' and '.join(whom)} fail to load"
    news += ", at random (CUDA error 906)"
    if not launch.parallel:
        news += ", if the server loads them at once, as it does by default"
    why = (
        "While a capture runs, on a blocking stream, no other thread of the server may use the legacy stream of that "
        "GPU, and loading a model uses it. Who is hit reports error 906; who captures comes up without its graph."
    )
    built = launch.release is None or launch.release >= FIRST_SURE_BUILD
    if not built:
        why += " (Some images up to 24.05 were built without graphs; such a server captures nothing.)"
    known = launch.parallel and company.placed and built and (race.hit > 0 or len(capturer.versions) > 1)
    return RULE.finding(
        _place(capturer, ("optimization", "cuda", "graphs"), places),
        f"{news}.\n{why}\n{_numbers(race)}",
        help=CURE,
        model=capturer.name,
        related=(*_related(race, places), *_started(launch)),
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
    )


def _numbers(race: Race) -> str:
    """What was measured of one graph model alone, of two, and of the set-up nearest to this one."""
    near = race.measured
    rates = {(2, 0): "17 of 20 with two graph models"}
    if near.captures > 1 or near.plain:
        models = "graph model" if near.captures == 1 else "graph models"
        beside = f" beside {WORDS[near.plain]} without" if near.plain else ""
        rates[near[:2]] = f"{near.failed} of {near.starts} with {WORDS[near.captures]} {models}{beside}"
    first, *others = (rates[which] for which in sorted(rates))
    return (
        "Measured on an H200 (Triton 24.10 core, a stand-in backend that captures and copies weights as an engine "
        f"backend does): {', '.join((first.replace(' with', ' starts failed with', 1), *others))}, "
        "0 of 20 with one alone; your rate will differ."
    )


def _possible(launch: Launch, race: Race, places: dict[str, Span]) -> Finding:
    """Nobody is known to be hit; some may be."""
    capturer, parties = race.capturer.model, tuple(race.victims)
    others = [one.model for one in parties]
    backends = sorted({one.backend.name for one in others})
    if race.company.placed:
        reserve = "That needs a backend that uses the GPU's legacy stream at load; whether "
        reserve += f"{listing(backends)} {'does' if len(backends) == 1 else 'do'} was not measured."
    else:
        reserve = "That needs a GPU in common; which GPUs they use is hidden behind a placeholder or a fault."
    return RULE.finding(
        _place(capturer, ("optimization", "cuda", "graphs"), places),
        f"`{capturer.name}` captures CUDA graphs while it loads; {listing(one.name for one in others)} "
        f"{'loads' if len(others) == 1 else 'load'} beside it and may then fail, at random (CUDA error 906).\n"
        f"{reserve}",
        help="start the server with `--model-load-thread-count=1` (22.07 and later): then nothing can collide",
        model=capturer.name,
        related=(*_related(race, places), *_started(launch)),
        severity=Severity.WARNING,
        confidence=Confidence.LOW,
    )


def _related(race: Race, places: dict[str, Span]) -> Iterator[Related]:
    """Whom it can hit, in the order of the company."""
    more = len(race.company.parties) - 1 - RELATED
    for number, one in enumerate(islice(race.victims, RELATED), 1):
        model, backend = one.model, one.model.backend.name
        if one.captures:
            place = _place(model, ("optimization", "cuda", "graphs"), places)
            said = "captures too, and can be hit" if one.placed else "captures too, on GPUs not known"
            yield Related(said + (f" (and {more} more models)" if number == RELATED and more > 0 else ""), place)
            continue
        place = _place(model, ("backend",) if model.config.backend else ("platform",), places)
        if not one.placed:
            yield Related("may be hit too; its GPUs are not known", place)
        elif one.sure:
            yield Related(f"graphs off, can still be hit: {USES[backend]}", place)
        else:
            yield Related(f"may be hit too; not measured for backend `{backend}`", place)


def _started(launch: Launch) -> Iterator[Related]:
    """The command that lets models load at once, where a file holds it."""
    place = launch.place("flag:model-load-thread-count")
    if place is None or not launch.flags_known:
        return
    count = launch.last("model-load-thread-count")
    what = f"`--model-load-thread-count={count}`" if count else "no `--model-load-thread-count`"
    yield Related(f"starts the server with {what}, so that several models load at once", place)


def _place(model: Model, path: tuple[str, ...], places: dict[str, Span]) -> Span:
    """A place in a model's text; looked up once a model, since the text is read again for it."""
    if model.config_path not in places:
        places[model.config_path] = model.at(*path)
        model.rest()
    return places[model.config_path]
