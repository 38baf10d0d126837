"""Which launch is for which repository: options, files given, files found; and what lint makes of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from tests.cases import TODAY
from tests.test_cli import REPORT
from tritoncheck.command import launch_of
from tritoncheck.config import Settings
from tritoncheck.deployment.belonging import Fit, fit, host_path, launches_for
from tritoncheck.deployment.finding import Finder, near
from tritoncheck.deployment.kinds import kind_of
from tritoncheck.deployment.launch import Launch, LaunchError
from tritoncheck.deployment.overlay import overlay
from tritoncheck.deployment.parts import Gpus, Mount
from tritoncheck.deployments import make_plan
from tritoncheck.outcome import Report
from tritoncheck.registry import own_rules
from tritoncheck.rule import Span
from tritoncheck.run import Run
from tritoncheck.several import lint_planned

NV12 = Path(__file__).parents[2] / "fixtures" / "repositories" / "nv12"
MODEL = 'backend: "onnxruntime"\n'
COMPOSE = """services:
  triton:
    image: nvcr.io/nvidia/tritonserver:26.06-py3
    command: tritonserver --model-repository=/models
    volumes:
      - ./models:/models
"""


def make(folder: Path, **files: str) -> Path:
    """Files by name, `__` for `/` and `_` for `.` where a name has none; the folder."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("compose_yaml", "compose.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def model(folder: Path) -> Path:
    """A repository of one model."""
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "config.pbtxt").write_text(MODEL)
    return folder


def check(*repositories: Path, **settings: object) -> Report:
    """Lint as the command does."""
    options = Settings()._replace(**settings)  # type: ignore[arg-type]
    trees = {str(path): str(path) for path in repositories}
    launch = launch_of(options)
    plan = make_plan(trees, options, launch)
    return lint_planned(plan, Run(options, launch, own_rules(), TODAY), trees, [])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("docker-compose.yml", "compose"), ("compose.yaml", "compose"), ("docker-compose.gpu.yml", "compose")),
        *(("compose.prod.yaml", "compose"), ("docker-compose-dev.yaml", "compose"), ("Dockerfile", "dockerfile")),
        *(("Dockerfile.triton", "dockerfile"), ("triton.Dockerfile", "dockerfile"), ("x.dockerfile", "dockerfile")),
        *(("decompose.yaml", "yaml"), ("composer.json", ""), ("config.pbtxt", ""), ("composed.yaml", "yaml")),
        *(("values.yaml", "values"), ("values-prod.yml", "values"), ("run.sh", "script"), ("Makefile", "makefile")),
        *(("triton.mk", "makefile"), ("README.md", "manual"), ("deployment.yml", "yaml"), ("sh", "")),
        *(("Containerfile", "dockerfile"), ("start.bash", "script"), ("Makefile.am", ""), ("GNUmakefile", "makefile")),
    ],
)
def test_kinds(name: str, kind: str) -> None:
    """Names decide what is looked at."""
    assert kind_of(name) == kind


def test_near(tmp_path: Path) -> None:
    """Up to the root of version control, subfolders for deployment included, other folders last; what does not speak of
    Triton is left."""
    root = make(
        tmp_path,
        compose_yaml=COMPOSE,
        Dockerfile="FROM python:3.11\n",
        deploy__Dockerfile="FROM nvcr.io/nvidia/tritonserver:24.05-py3\n",
        src__other__compose_yaml=COMPOSE,
        src__compose_yaml=COMPOSE,
    )
    repository = model(root / "src" / "models")
    assert [Path(one).relative_to(root).as_posix() for one in near(str(repository))] == ["src/compose.yaml"]
    (root / ".git").mkdir()
    found = [Path(one).relative_to(root).as_posix() for one in near(str(repository))]
    assert found == ["src/compose.yaml", "compose.yaml", "deploy/Dockerfile", "src/other/compose.yaml"]


VALUES = "image:\n  repository: nvcr.io/nvidia/tritonserver\n  tag: 24.05-py3\n"


def test_charts(tmp_path: Path) -> None:
    """Values of charts are found four levels down in folders for deployment, and nowhere else."""
    repository = model(tmp_path / "src" / "models")
    (tmp_path / ".git").mkdir()
    for name in ("deploy/helm/triton", "deploy/a/b/deep", "deploy/a/b/deep/deeper", "src/charts/t", "other/some"):
        make(tmp_path, **{f"{name}/Chart.yaml": "name: t\n", f"{name}/values.yaml": VALUES})
    make(tmp_path, **{"deploy/helm/values-none.yaml": "a: 1\n", "deploy/plain/values.yaml": VALUES})
    make(tmp_path, **{"deploy/helm/triton/templates/d.yaml": VALUES})
    found = [Path(one).relative_to(tmp_path).as_posix() for one in near(str(repository))]
    wanted = ["deploy/plain", "deploy/helm/triton", "deploy/a/b/deep"]
    assert found == ["src/charts/t/values.yaml", *(f"{one}/values.yaml" for one in wanted)]


IMAGE = "nvcr.io/nvidia/tritonserver:24.05-py3"
SERVE = "#!/bin/bash\nset -e\nexec tritonserver --model-repository=models --model-load-thread-count=1\n"
LAYOUTS = {
    "deploy/k8s/triton.yaml": "MANIFEST",
    "deploy/kubernetes/triton/deployment.yaml": "MANIFEST",
    "k8s/base/deployment.yaml": "MANIFEST",
    "infra/k8s/triton.yml": "MANIFEST",
    "ops/triton.yaml": "MANIFEST",
    "scripts/start.sh": SERVE,
    "bin/serve": SERVE,
    "chart/values.yaml": f"image:\n  imageName: {IMAGE}\nserverArgs:\n  - --model-repository=s3://bucket/models\n",
    "charts/triton/values.yaml": VALUES,
    "deploy/helm/triton/values.yaml": VALUES,
    "chart/templates/deployment.yaml": "MANIFEST",
    "deploy/docker/docker-compose.yml": COMPOSE.replace("./models", "../../models"),
    "vision/serving/docker-compose.yml": COMPOSE.replace("./models", "../../models"),
    "vision/serving/Dockerfile": f"FROM {IMAGE}\nCOPY models /models\nCMD tritonserver --model-repository=/models\n",
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str, tmp_path: Path) -> None:
    """Where operators keep what starts a server; one file in a tree is found and used."""
    (tmp_path / ".git").mkdir()
    repository = model(tmp_path / "models")
    text = MANIFEST if LAYOUTS[name] == "MANIFEST" else LAYOUTS[name]
    make(tmp_path, **{name: text, "chart/Chart.yaml": "name: t\n"})
    report = check(repository)
    assert [Path(one.launch.source).relative_to(tmp_path).as_posix() for one in report.deployments] == [name]


def test_where_nobody_looks(tmp_path: Path) -> None:
    """Hidden folders, what others have filled, models, other projects, repositories, and what lies too deep."""
    (tmp_path / ".git").mkdir()
    repository = model(tmp_path / "models")
    other = model(tmp_path / "other" / "models")
    compose = COMPOSE.replace("./models", str(repository))
    folders = (".cache", "node_modules/x", "venv", "x/env", "models/a", "project", "py", "a/b/c/d/e", "other/models/x")
    for name in folders:
        make(tmp_path, **{f"{name}/compose.yaml": compose})
    make(tmp_path, **{"project/.git/HEAD": "", "py/pyvenv.cfg": ""})
    assert not Finder((str(repository), str(other))).near(str(repository))
    make(tmp_path, **{"a/b/c/d/compose.yaml": compose})
    assert len(Finder((str(repository), str(other))).near(str(repository))) == 1


@pytest.mark.parametrize("name", ["tests", "Fixtures", "deploy/testdata"])
def test_what_tests_are_fed_with(name: str, tmp_path: Path) -> None:
    """It starts a server for a test only; a repository among it is started by what lies right beside it or above."""
    (tmp_path / ".git").mkdir()
    repository = model(tmp_path / "models")
    make(tmp_path, **{f"{name}/cases/compose.yaml": COMPOSE.replace("./models", str(repository))})
    assert not near(str(repository))
    inside = model(tmp_path / name / "repositories" / "models")
    assert not near(str(inside))
    make(tmp_path, **{f"{name}/compose.yaml": COMPOSE.replace("./models", "./repositories/models")})
    assert near(str(inside)) == (str(tmp_path / name / "compose.yaml"),)


def test_a_search_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many repositories and folders there are, each folder is listed once, and only so many are."""
    (tmp_path / ".git").mkdir()
    repositories = [model(tmp_path / f"s{number}" / "models") for number in range(20)]
    for number in range(1500):
        (tmp_path / "data" / f"{number // 40}" / f"{number}").mkdir(parents=True)
    listed: list[str] = []
    scandir = os.scandir

    def counted(path: str) -> object:
        listed.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    make_plan(map(str, repositories), Settings(), Launch())
    assert len(listed) == len(set(listed))
    assert 1000 <= len(listed) <= 1000 + 2 * len(repositories) + 1


def test_a_chart_is_used_where_it_is_the_only_one(tmp_path: Path) -> None:
    """The chart beside a repository says the image; findings name it."""
    (tmp_path / ".git").mkdir()
    repository = model(tmp_path / "models")
    make(tmp_path, **{"deploy/helm/triton/Chart.yaml": "name: t\n", "deploy/helm/triton/values.yaml": VALUES})
    (one,) = make_plan([str(repository)], Settings(), Launch()).deployments
    assert one.launch.image == "nvcr.io/nvidia/tritonserver:24.05-py3"
    assert one.launch.source.endswith("deploy/helm/triton/values.yaml")
    far = model(tmp_path / "src" / "models")
    (none,) = make_plan([str(far)], Settings(), Launch()).deployments
    assert not none.launch.image


def test_many_folders_below(tmp_path: Path) -> None:
    """Only so many are looked at."""
    (tmp_path / ".git").mkdir()
    repository = model(tmp_path / "models")
    for number in range(60):
        folder = f"deploy/{number:02}"
        make(tmp_path, **{f"{folder}/Chart.yaml": "name: t\n", f"{folder}/values.yaml": VALUES})
        (tmp_path / folder / "x" / "y").mkdir(parents=True)
    assert len(near(str(repository))) == 20


def test_near_has_no_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path climbs as one, and a link does not lead astray."""
    make(tmp_path, compose_yaml=COMPOSE)
    model(tmp_path / "models")
    monkeypatch.chdir(tmp_path / "models")
    assert near(".") == ("../compose.yaml",)


def launch(*mounts: Mount, path: str = "/models", source: str = "/x/compose.yaml") -> Launch:
    """A launch of a container with these mounts."""
    return Launch(flags_known=True, flags=(("model-repository", path),), mounts=mounts, source=source)


def test_fit(tmp_path: Path) -> None:
    """Mounts lead to a repository, away from it, or nowhere that is known."""
    repository = model(tmp_path / "models")
    other = model(tmp_path / "others")
    source = str(tmp_path / "compose.yaml")
    here = Mount("/models", str(repository))
    cases = [
        (launch(here, source=source), Fit.SURE),
        (launch(Mount("/srv", str(tmp_path)), path="/srv/models", source=source), Fit.SURE),
        (launch(Mount("/srv", str(tmp_path)), here, path="/models/", source=source), Fit.SURE),
        (launch(Mount("/models", str(other)), source=source), Fit.NO),
        (launch(Mount("/models", str(tmp_path / "nowhere")), source=source), Fit.NO),
        (launch(Mount("/models", "/data/models"), source=source), Fit.LIKELY),
        (launch(Mount("/models", "/data/v2"), source=source), Fit.OPEN),
        (launch(Mount("/models", "volume", kind="volume"), source=source), Fit.LIKELY),
        (launch(Mount("/repo", "volume", kind="volume"), path="/repo", source=source), Fit.OPEN),
        (launch(path="s3://bucket/models", source=source), Fit.LIKELY),
        (launch(path="s3://bucket/other", source=source), Fit.OPEN),
        (launch(here, path="$WHERE", source=source), Fit.OPEN),
        (launch(path="models", source=source), Fit.SURE),
        (launch(here, source=source)._replace(flags=()), Fit.SURE),
        (launch(Mount("/x", str(tmp_path)), source=source)._replace(flags=()), Fit.LIKELY),
    ]
    assert [fit(one, str(repository)) for one, _ in cases] == [wanted for _, wanted in cases]


def test_host_path() -> None:
    """The innermost mount counts; a prefix of a name is no folder."""
    mounts = (Mount("/", "/all"), Mount("/models", "/a"), Mount("/models/x", "/b"), Mount("/vol", "v", kind="volume"))
    paths = {"/models/m": "/a/m", "/models/x": "/b", "/modelsx": "/all/modelsx", "/vol/m": "", "/models": "/a"}
    launch = Launch(mounts=mounts)
    assert {path: host_path(path, launch) for path in paths} == paths


def test_host_path_of_a_target_that_is_there_twice() -> None:
    """A service's mount covers what its image has there, however the slash behind it is written."""
    launch = Launch(mounts=(Mount("/models/", "/of/service"), Mount("/models", "/of/image", kind="copy")))
    assert host_path("/models/a", launch) == "/of/service/a"


def test_choice(tmp_path: Path) -> None:
    """What is mounted wins; alone, what nothing speaks against; never one of several that are open."""
    repository = model(tmp_path / "models")
    source = str(tmp_path / "compose.yaml")
    sure = launch(Mount("/models", str(repository)), source=source)
    elsewhere = launch(Mount("/models", str(tmp_path)), source=source)
    open_ones = launch(path="/repo", source=source)
    far = launch(path="/repo", source="/elsewhere/deep/compose.yaml")
    assert launches_for(str(repository), [sure, elsewhere, open_ones]) == [sure]
    assert launches_for(str(repository), [sure, sure._replace(service="b")]) == [sure, sure._replace(service="b")]
    assert launches_for(str(repository), [elsewhere]) == []
    assert launches_for(str(repository), [open_ones]) == [open_ones]
    assert launches_for(str(repository), [far]) == []
    assert launches_for(str(repository), [open_ones, elsewhere]) == []


def test_overlay() -> None:
    """An option wins over a file, value by value; what it replaces has no place in the file."""
    span = Span("c.yml", 1)
    origins = dict.fromkeys(("image", "flag:http-port", "command", "gpus", "environment:A"), span)
    found = Launch((24, 5), "a:24.05", True, (("http-port", "1"),), environment=(("A", "1"), ("B", "2")), gpus=Gpus(1))
    found = found._replace(origins=origins, source="c.yml")
    same = overlay(found, Launch())
    assert same == found
    put = overlay(found, Launch((26, 6), "b:26.06", driver="580.1", environment=(("A", "3"),)))
    assert (put.image, put.release, put.driver, put.flags) == ("b:26.06", (26, 6), "580.1", found.flags)
    assert dict(put.environment) == {"A": "3", "B": "2"}
    assert set(put.origins) == {"flag:http-port", "command", "gpus"}
    put = overlay(found, Launch(flags_known=True, flags=(("x", ""),), words=("--x",)))
    assert put.flags == (("x", ""),)
    assert set(put.origins) == {"image", "gpus", "environment:A"}
    assert put.place("flag:x") == span


def test_found_and_said(tmp_path: Path) -> None:
    """A file beside the repository is used and named, unless the options say otherwise."""
    make(tmp_path, compose_yaml=COMPOSE)
    repository = model(tmp_path / "models")
    report = check(repository)
    assert [one.launch.service for one in report.deployments] == ["triton"]
    assert report.launch.release == (26, 6)
    assert "your Triton release" not in [one.what for one in report.unchecked]
    assert not check(repository, no_deployment=True).deployments
    assert check(repository, image="x/tritonserver:24.05-py3").launch.release == (24, 5)
    assert check(repository, triton="23.04").launch.release == (23, 4)


def test_a_command_over_a_file(tmp_path: Path) -> None:
    """`--launch` gives the command, and the file found what else is known; unless the command says all of it, or
    several servers are started and whose command it is stays open."""
    make(tmp_path, compose_yaml=COMPOSE + "    shm_size: 2gb\n")
    repository = model(tmp_path / "models")
    command = "tritonserver --model-repository=/models --model-load-thread-count=1"
    (one,) = check(repository, launch=command).deployments
    assert (one.launch.release, one.launch.shm_size, one.launch.load_threads) == ((26, 6), 2 * 2**30, 1)
    assert one.launch.place("flag:model-load-thread-count") is not None
    (given,) = check(repository, launch=command, deployment=(str(tmp_path / "compose.yaml"),)).deployments
    assert given.launch == one.launch
    assert not check(repository, launch=f"docker run x/tritonserver:24.05-py3 {command}").deployments
    assert not check(repository, launch=command, no_deployment=True).deployments
    make(tmp_path, **{"docker-compose.dev.yaml": COMPOSE})
    report = check(repository, launch=command)
    assert not report.deployments
    assert report.launch.load_threads == 1
    assert [one.what for one in report.unchecked if "compose" in one.enable] == ["how the server is started"]


def asked(repository: Path, **settings: object) -> list[str]:
    """What a report says of files that it did not take."""
    files = (".yaml", ".yml", ".sh")
    return [one.why for one in check(repository, **settings).unchecked if any(end in one.why for end in files)]


CLAIMED = """apiVersion: v1
kind: Pod
metadata: {name: triton}
spec:
  volumes: [{name: store, persistentVolumeClaim: {claimName: store}}]
  containers:
    - name: server
      image: nvcr.io/nvidia/tritonserver:24.05-py3
      args: [tritonserver, --model-repository=/models]
      volumeMounts: [{name: store, mountPath: /models}]
"""


def test_what_is_not_taken_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line for files that start a server and are not taken: which is meant, what is mounted instead."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    repository = model(tmp_path / "models")
    assert asked(repository) == []
    cases: list[tuple[dict[str, str], list[str]]] = [
        (
            {"k8s/dev.yaml": CLAIMED, "k8s/prod.yaml": CLAIMED},
            ["2 files start a server (k8s/dev.yaml, k8s/prod.yaml); which is meant is not known"],
        ),
        (
            {"compose.yaml": COMPOSE.replace("./models:", "./model:")},
            ["compose.yaml mounts model, which is not there"],
        ),
        (
            {"compose.yaml": COMPOSE.replace("./models:", "./others:"), "others/x": ""},
            ["compose.yaml starts a server that reads others, not these models"],
        ),
        (
            {"k8s/a.yaml": CLAIMED.replace("/models", "/data")},
            [],
        ),
        (
            {"vision/a.yaml": CLAIMED, "vision/b.yaml": CLAIMED},
            [],
        ),
    ]
    for files, wanted in cases:
        make(tmp_path, **files)
        assert asked(repository) == wanted
        for name in files:
            (tmp_path / name).unlink()
    make(tmp_path, **{"k8s/a.yaml": CLAIMED.replace("/models", "/data")})
    far = model(tmp_path / "src" / "deep" / "models")
    assert asked(far) == ["k8s/a.yaml starts a server; that it serves these models is not known"]


def test_the_other_repository_of_a_run_needs_no_word(tmp_path: Path) -> None:
    """A file that serves another repository which is linted too is no riddle."""
    make(tmp_path, compose_yaml=COMPOSE)
    repositories = [model(tmp_path / name) for name in ("models", "others")]
    assert not [one for one in check(*repositories).unchecked if "compose" in one.why]


def test_given(tmp_path: Path) -> None:
    """A file that the user names is used wherever it lies; one that starts nothing is refused."""
    make(tmp_path, elsewhere__compose_yaml=COMPOSE, none__compose_yaml="services: {web: {image: nginx}}\n")
    repository = model(tmp_path / "models")
    assert not check(repository).deployments
    assert check(repository, deployment=(str(tmp_path / "elsewhere/compose.yaml"),)).deployments
    os.mkfifo(tmp_path / "pipe.yaml")
    for name, words in (
        ("none/compose.yaml", "nothing in it starts"),
        ("missing.yaml", "no such file"),
        ("none", "not a regular file"),
        ("pipe.yaml", "not a regular file"),
    ):
        with pytest.raises(LaunchError, match=words):
            check(repository, deployment=(str(tmp_path / name),))


RUN = "x/tritonserver:24.05-py3 tritonserver --model-repository=/models"
MANIFEST = """apiVersion: apps/v1
kind: Deployment
metadata: { name: triton }
spec:
  template:
    spec:
      containers:
        - name: server
          image: nvcr.io/nvidia/tritonserver:24.05-py3
          args: [tritonserver, --model-repository=s3://bucket/models]
          livenessProbe: { httpGet: { path: /v2/health/live, port: 8000 } }
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("k8s__deployment.yaml", MANIFEST),
        ("run.sh", f"docker run -v $PWD/models:/models {RUN}\n"),
        ("Makefile", f"run:\n\tdocker run -v $(PWD)/models:/models {RUN}\n"),
        ("deploy__Dockerfile", f"FROM {RUN.split()[0]}\nCOPY models /models\nCMD {RUN.partition(' ')[2]}\n"),
        ("helm__values.yaml", "image: { repository: nvcr.io/nvidia/tritonserver, tag: 24.05-py3 }\n"),
    ],
)
def test_other_files(name: str, text: str, tmp_path: Path) -> None:
    """Files of every kind are found and used."""
    make(tmp_path, **{name: text})
    (tmp_path / ".git").mkdir()
    report = check(model(tmp_path / "models"))
    assert [Path(one.launch.source).name for one in report.deployments] == [name.rpartition("__")[2]]
    assert report.launch.release == (24, 5)


def test_what_is_not_looked_for(tmp_path: Path) -> None:
    """A manual shows how a server may be started; a manifest of something else is not read."""
    run = "docker run -v $PWD/models:/models x/tritonserver:24.05-py3 tritonserver --model-repository=/models"
    make(
        tmp_path,
        **{"README.md": f"```sh\n{run}\n```\n", "k8s__other.yaml": "triton: [\n", "deploy__x.yaml": "a: triton"},
    )
    repository = model(tmp_path / "models")
    assert not near(str(repository))
    assert check(repository, deployment=(str(tmp_path / "README.md"),)).launch.release == (24, 5)


def test_two_launches(tmp_path: Path) -> None:
    """A repository that two services serve is linted with both: what both bring is said once, the rest with a name."""
    text = (
        COMPOSE
        + """  slow:
    image: nvcr.io/nvidia/tritonserver:26.06-py3
    command: tritonserver --model-repository=/models --model-load-thread-count=1
    volumes: ["./models:/models"]
"""
    )
    make(tmp_path, compose_yaml=text)
    repository = tmp_path / "models"
    for name in ("pose_main", "vlm_main"):
        (repository / name).mkdir(parents=True)
        (repository / name / "config.pbtxt").write_text((NV12 / name / "config.pbtxt").read_text())
    report = check(repository)
    assert [one.launch.service for one in report.deployments] == ["triton", "slow"]
    assert (report.repositories, report.models, report.files) == (1, 2, 2)
    races = [one for one in report.findings if one.rule.code == "TCG001"]
    assert len(races) == 1
    assert races[0].message.endswith("/compose.yaml")
    assert "This holds as started by `triton` in " in races[0].message
    others = [one for one in report.findings if one.rule.code == "TCR006"]
    assert len(others) == 1
    assert "This holds" not in others[0].message


def test_repositories_apart(tmp_path: Path) -> None:
    """Each repository has the launch that mounts it; one that nothing mounts has none."""
    text = (
        COMPOSE
        + """  other:
    image: nvcr.io/nvidia/tritonserver:24.05-py3
    command: tritonserver --model-repository=/models
    volumes: ["./others:/models"]
"""
    )
    make(tmp_path, compose_yaml=text)
    repositories = [model(tmp_path / name) for name in ("models", "others", "third")]
    report = check(*repositories)
    found = {one.launch.service: [Path(path).name for path in one.repositories] for one in report.deployments}
    assert found == {"triton": ["models"], "other": ["others"]}
    assert (report.repositories, report.models) == (3, 3)


def test_race_points_into_the_file(
    tmp_path: Path, tritoncheck: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The case of record with a Compose file beside it: the race, with the command that allows it; and its cure."""
    for path in NV12.glob("*/config.pbtxt"):
        make(tmp_path, **{f"models__{path.parent.name}__config.pbtxt": path.read_text()})
    make(tmp_path, compose_yaml=COMPOSE)
    ran = tritoncheck("lint", str(tmp_path), "--format", "json")
    report = json.loads(ran.stdout)
    jsonschema.validate(report, REPORT)
    races = [one for one in report["findings"] if one["code"] == "TCG001"]
    assert len(races) == 3
    assert all(one["confidence"] == "high" for one in races)
    places = {(Path(one["path"]).name, one["line"]) for race in races for one in race["related"]}
    assert ("compose.yaml", 4) in places
    assert [one["service"] for one in report["deployments"]] == ["triton"]
    make(tmp_path, compose_yaml=COMPOSE.replace("=/models", "=/models --model-load-thread-count=1"))
    ran = tritoncheck("lint", str(tmp_path))
    assert "TCG001" not in ran.stdout
    assert "Started as service `triton` in" in ran.stdout
    assert ran.returncode == 0


def test_what_stops_the_server_comes_first(
    tmp_path: Path, tritoncheck: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """For people, before long errors on models; for machines, by path."""
    for path in NV12.glob("*/config.pbtxt"):
        make(tmp_path, **{f"models__{path.parent.name}__config.pbtxt": path.read_text()})
    command = COMPOSE.replace("./models", "../models").replace("=/models", "=/models --bogus").replace("26.06", "24.05")
    make(tmp_path, **{"ops/compose.yaml": command})
    ran = tritoncheck("lint", str(tmp_path / "models"))
    assert "error: TCV013" in ran.stdout.split("\n")[0]
    assert "Triton does not start" in "\n".join(ran.stdout.split("\n")[:12])
    ran = tritoncheck("lint", str(tmp_path / "models"), "--format", "json")
    errors = [one["code"] for one in json.loads(ran.stdout)["findings"] if one["severity"] == "error"]
    assert errors == ["TCG001"] * 3 + ["TCV013"]


def test_same_facts_same_findings(tmp_path: Path) -> None:
    """What options say and what a file says give the same findings; those on the start lie in the file."""
    for path in NV12.glob("*/config.pbtxt"):
        make(tmp_path, **{f"models__{path.parent.name}__config.pbtxt": path.read_text()})
    host = {"driver": "580.173.02", "gpu": "NVIDIA GeForce RTX 3070 Laptop GPU"}
    image, command = "nvcr.io/nvidia/tritonserver:26.06-py3", "tritonserver --model-repository=/models"
    said = check(tmp_path / "models", image=image, launch=command, **host)
    make(tmp_path, compose_yaml=COMPOSE + "    gpus: all\n")
    read = check(tmp_path / "models", **host)
    assert [(one.rule.code, one.model) for one in read.findings if one.rule.code != "TCV030"] == [
        (one.rule.code, one.model) for one in said.findings if one.rule.code != "TCV030"
    ]
    (driver,) = (one for one in read.findings if one.rule.code == "TCV030")
    assert "610.43" in driver.message
    assert (Path(driver.span.path).name, driver.span.line) == ("compose.yaml", 3)


def test_hostile_files(tmp_path: Path, tritoncheck: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """A file of 50 MB beside the repository is told of and not read; the models are checked all the same."""
    repository = model(tmp_path / "models")
    with open(tmp_path / "docker-compose.yml", "wb") as file:
        file.truncate(50_000_000)
    make(tmp_path, compose_yaml="services: {triton: {image: 'tritonserver:24.05\x1b[31m', command: tritonserver}}\n")
    ran = tritoncheck("lint", str(repository), "--format", "json", "--fail-on", "warning")
    assert ran.returncode == 1
    found = [one for one in json.loads(ran.stdout)["findings"] if one["code"] == "TCV012"]
    assert [Path(one["path"]).name for one in found] == ["compose.yaml", "docker-compose.yml"]
    assert "control character" in found[0]["message"]
    assert "50000000 bytes, too large" in found[1]["message"]
    assert "\x1b" not in tritoncheck("lint", str(repository)).stdout


POD = """apiVersion: v1
kind: Pod
metadata: {name: triton}
spec:
  containers:
    - name: server
      image: nvcr.io/nvidia/tritonserver:24.05-py3
      args: [tritonserver, --model-repository=/models]
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "run.sh",
            "docker run -v $PWD/models:/models x/tritonserver:24.05-py3 tritonserver --model-repository=/models\n",
        ),
        ("serve.sh", "tritonserver --model-repository=$(dirname $0)/models\n"),
        ("Makefile", "up:\n\tdocker run -v $(CURDIR)/models:/models x/tritonserver:24.05-py3\n"),
        ("k8s/triton.yaml", POD),
        ("deploy/values.yaml", "image: {repository: nvcr.io/nvidia/tritonserver, tag: 24.05-py3}\n"),
        (
            "Dockerfile",
            "FROM x/tritonserver:24.05-py3\nCOPY models /models\nCMD tritonserver --model-repository=/models\n",
        ),
    ],
)
def test_every_kind_is_found(name: str, text: str, tmp_path: Path) -> None:
    """A file of any kind beside the repository is read by its reader."""
    make(tmp_path, **{name.replace("/", "__"): text})
    report = check(model(tmp_path / "models"))
    assert [Path(one.launch.source).name for one in report.deployments] == [name.rpartition("/")[2]]


def test_a_manual_is_read_only_where_it_is_given(tmp_path: Path) -> None:
    """A manual tells of many servers."""
    manual = make(tmp_path) / "README.md"
    manual.write_text("```\ndocker run x/tritonserver:24.05-py3 tritonserver --model-repository=/models\n```\n")
    repository = model(tmp_path / "models")
    assert not check(repository).deployments
    assert check(repository, deployment=(str(manual),)).launch.release == (24, 5)


def test_templates_are_said_to_be_unread(tmp_path: Path) -> None:
    """A template of Helm is no fault, and is no launch either."""
    text = "kind: Pod\napiVersion: {{ .v }}\nmetadata: {name: triton}\nspec: {containers: []}\n"
    make(tmp_path, **{"helm__triton.yaml": text})
    report = check(model(tmp_path / "models"))
    assert not report.deployments
    (why,) = (one.why for one in report.unchecked if one.what == "templates")
    assert why.endswith("helm/triton.yaml is filled in by Helm")


def test_a_script_of_the_image_does_not_count_twice(tmp_path: Path) -> None:
    """What a Dockerfile's command calls is the command of its launch."""
    files = {
        "Dockerfile": 'FROM x/tritonserver:24.05-py3\nCOPY start.sh /\nCOPY models /models\nCMD ["/start.sh"]\n',
        "start.sh": "exec tritonserver --model-repository=/models --model-load-thread-count=1\n",
    }
    make(tmp_path, **files)
    report = check(model(tmp_path / "models"))
    assert [(Path(one.launch.source).name, one.launch.serial) for one in report.deployments] == [("Dockerfile", True)]


def test_single_file(tmp_path: Path, tritoncheck: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """A configuration in no repository has the release of the file given, too; a file that is missing is refused."""
    make(tmp_path, compose_yaml=COMPOSE.replace("26.06", "20.08"))
    single = tmp_path / "template.pbtxt"
    single.write_text(MODEL + "optimization { gather_kernel_buffer_threshold: 3 }\n")
    assert tritoncheck("lint", str(single)).returncode == 0
    ran = tritoncheck("lint", str(single), "--deployment", str(tmp_path / "compose.yaml"))
    assert ran.returncode == 1
    assert "TCS003" in ran.stdout
    ran = tritoncheck("lint", str(single), "--deployment", str(tmp_path / "none.yaml"))
    assert (ran.returncode, ran.stdout) == (2, "")
