"""Mutations of what lies in a model's folder, and of how its configuration is spelt. Labels L as in the reference."""

from __future__ import annotations

from random import Random

from tests.conformance.mutation import on_part
from tests.conformance.sample import Part


def _drop(part: Part, folder: str) -> None:
    part.folders = [one for one in part.folders if one != folder]
    part.files = {file: content for file, content in part.files.items() if not file.startswith(f"{folder}/")}


def _versions(part: Part) -> list[str]:
    return [one for one in part.folders if one.isdigit() and len(one) < 10]


def _rename(part: Part, old: str, new: str) -> None:
    files = {
        file.replace(f"{old}/", f"{new}/", 1): content
        for file, content in part.files.items()
        if file.startswith(f"{old}/")
    }
    _drop(part, old)
    part.folders.append(new)
    part.files |= files


def _is_python(part: Part) -> bool:
    return bool(part.config.backend == "python")


@on_part("L8")
def other_name(random: Random, part: Part) -> None:
    part.config.name = random.choice(("other", "Resnet", "m "))


@on_part("L6")
def no_backend(random: Random, part: Part) -> None:
    part.config.ClearField("backend")
    part.config.ClearField("platform")
    part.config.ClearField("default_model_filename")
    for version in _versions(part):
        _rename(part, version, version)
        part.files = {file: data for file, data in part.files.items() if not file.startswith(f"{version}/model.")}


@on_part("L6")
def no_backend_but_a_file(random: Random, part: Part) -> None:
    part.config.ClearField("backend")
    part.config.ClearField("platform")
    part.config.default_model_filename = random.choice(
        ("model.onnx", "model.pt", "weights.onnx", "net.plan", "model.xml", "model.savedmodel")
    )


@on_part("L10")
def folder_before_the_versions(random: Random, part: Part) -> None:
    part.folders.append(random.choice((".x", ".ipynb_checkpoints", "0", "-a", "assets")))


@on_part("L11")
def leading_zero(random: Random, part: Part) -> bool | None:
    versions = _versions(part)
    if not versions or _is_python(part):
        return False
    if random.random() < 0.5:
        part.folders.append(f"0{versions[0]}")
    else:
        _rename(part, versions[0], f"0{versions[0]}")
    return None


@on_part("L12")
def word_for_version(random: Random, part: Part) -> bool | None:
    versions = _versions(part)
    if not versions or _is_python(part):
        return False
    word = random.choice(("v1", "latest", "one", "x1"))
    if random.random() < 0.4:
        part.folders.append(word)
    else:
        _rename(part, versions[0], word)
    return None


@on_part("L13")
def suffix(random: Random, part: Part) -> bool | None:
    versions = _versions(part)
    if not versions or _is_python(part):
        return False
    name = f"{versions[-1]}{random.choice(('_old', '-backup', '.bak', ' '))}"
    if random.random() < 0.5:
        part.folders.append(name)
    else:
        _rename(part, versions[-1], name)
    return None


@on_part("L14", crashes=True)
def huge_version(random: Random, part: Part) -> None:
    part.folders.append(random.choice(("9223372036854775808", "99999999999999999999", "20240101120000000000")))


@on_part("L15")
def odd_version(random: Random, part: Part) -> bool | None:
    if _is_python(part):
        return False
    part.folders.append(random.choice(("0", "-1", "-2", "+1", " 1", "9223372036854775807")))
    return None


@on_part("L16")
def missing_version(random: Random, part: Part) -> None:
    policy = part.config.version_policy
    kept = [int(one) for one in _versions(part)] if random.random() < 0.5 else []
    policy.specific.versions[:] = [*kept, 99]


@on_part("L17")
def no_latest(random: Random, part: Part) -> None:
    part.config.version_policy.latest.num_versions = 0
    part.config.version_policy.latest.SetInParent()


@on_part("L17")
def no_specific(random: Random, part: Part) -> None:
    part.config.version_policy.specific.SetInParent()
    part.config.version_policy.specific.ClearField("versions")


@on_part("L17")
def no_version(random: Random, part: Part) -> None:
    for version in _versions(part):
        _drop(part, version)


@on_part("L3")
def dangling_link(random: Random, part: Part) -> None:
    place = random.choice(("link", "notes.txt", "2", f"{(_versions(part) or ['.'])[0]}/extra"))
    if place != "2" or "2" not in part.folders:
        part.links[place] = "/nowhere/at/all"


@on_part("L5")
def no_config(random: Random, part: Part) -> None:
    part.config = None


@on_part("L4")
def config_is_empty(random: Random, part: Part) -> None:
    part.text = random.choice((b"", b"# nothing\n"))


@on_part("L23")
def unknown_backend(random: Random, part: Part) -> None:
    part.config.ClearField("platform")
    part.config.backend = random.choice(
        ("my_backend", "onnx", "trt", "torch", "onnxruntime_onnx", "tensorrt_plan", "pytorch_libtorch")
    )


@on_part("L22")
def runtime(random: Random, part: Part) -> None:
    part.config.runtime = random.choice(("../../etc/x.so", "libtriton_none.so", "model.py"))


@on_part("L25")
def batch_strategy(random: Random, part: Part) -> None:
    place = random.choice(("batchstrategy.so", "/nowhere/x.so", "../x.so", "1/none.so"))
    part.config.parameters["TRITON_BATCH_STRATEGY_PATH"].string_value = place


@on_part("L4", crashes=True)
def config_is_a_folder(random: Random, part: Part) -> None:
    part.config = None
    part.folders.append("config.pbtxt")


@on_part("L4")
def spelling(random: Random, part: Part) -> None:
    """One of the mistakes of spelling that people make."""
    if part.config is None:
        return
    part.tail += random.choice(
        (
            "optimization { }\noptimization { }\n",
            "max_batch_size: 8\nmax_batch_size: 8\n",
            "// a comment\n",
            'default_model_name: "x"\n',
            "dynamic_batching { }\nsequence_batching { }\n",
            'input [ { name: "z" data_type: TYPE_FLOAT dims: [ 1 ] } ]\n',
            'input [ { name: "z" data_type: TYPE_FP32 dims: [ 1 ], } ]\n',
            'parameters { key: "a" value: "b" }\n',
            "instance_group [ { kind: KIND_CPU }, ]\n",
            "version_policy: { all { } }\nversion_policy { all { } }\n",
            "model_transaction_policy { decoupled: yes }\n",
            'model_metrics { metric_control { metric_identifier { family: "x" } } }\n',
            'parameters { key: "a" value: { string_value: "b" } }\n',
            "# {}\n",
            'backend: "x"\nbackend: "y"\n',
            'input { name: "z" dims: -1 data_type: TYPE_FP32 \n',
        )
    )
