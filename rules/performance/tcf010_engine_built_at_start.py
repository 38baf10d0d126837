"""# TCF010 engine-built-at-start

## What it finds
An ONNX model with the `tensorrt` accelerator and without `trt_engine_cache_enable`.

## Why it matters
ONNX Runtime then builds the TensorRT engine anew after each start of the server: while the model loads, or, where
shapes vary, at the first request of a shape. With large models that takes minutes, and sessions are made one after the
other, so the times of several models add up. A warm-up moves it into the load for the shapes that it sends, and for no
others: requests with another batch size wait all the same. Probes and clients must allow for that. In a public report
(server#7296) a warm-up through TensorRT failed at some starts and not at others; `tritoncheck stress` measures that.

## Bad
```
# detector/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
optimization { execution_accelerators { gpu_execution_accelerator { name: "tensorrt" } } }
```

## Good
```
# detector/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
optimization { execution_accelerators { gpu_execution_accelerator {
  name: "tensorrt"
  parameters { key: "trt_engine_cache_enable" value: "true" }
  parameters { key: "trt_engine_cache_path" value: "/cache/detector" }
} } }
```

## What Triton says
Nothing.

## Evidence
onnxruntime_backend `src/onnxruntime.cc`, read in the branch of 26.03: the parameter; `OnnxLoader::LoadSession`, 23.04
to 26.03: one session at a time. Not measured. Reports server#5907 (ten minutes until seven models were ready),
server#4583 (a load takes longer than the client waits), server#5326 (a warm-up for one batch size).
"""

from collections.abc import Iterator

from tritoncheck.rule import Confidence, Finding, Model, Related, Rule, Severity

RULE = Rule(
    code="TCF010",
    name="engine-built-at-start",
    title="A TensorRT engine is built anew after each start",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    reads=("optimization.execution_accelerators", "backend", "platform", "default_model_filename"),
    evidence=("onnxruntime_backend src/onnxruntime.cc, 26.03", "server#5907, server#4583, server#5326"),
    only_with=("optimization",),
    backends=("onnxruntime",),
)

_PLACE = ("optimization", "execution_accelerators", "gpu_execution_accelerator")
_ON = ("1", "true")


def check(model: Model) -> Iterator[Finding]:
    """The accelerator without a cache."""
    config = model.config
    for index, one in enumerate(config.optimization.execution_accelerators.gpu_execution_accelerator):
        keys = one.parameters
        cached = "trt_engine_cache_enable" in keys and keys["trt_engine_cache_enable"].lower() in _ON
        if one.name != "tensorrt" or cached or "trt_ep_context_file_path" in keys:
            continue
        warm = any(sample.batch_size > 0 for sample in config.model_warmup)
        when = "while the model loads, by its warm-up" if warm else "while the model loads, or at the first requests"
        yield RULE.finding(
            model.at(*_PLACE, index, "name"),
            f"the TensorRT engine of `{model.name}` is built anew after each start, {when}",
            help="add the parameters `trt_engine_cache_enable` and `trt_engine_cache_path`, with a path of its own that"
            " outlives the container; give probes and clients the time that a build takes"
            + (
                "; a warm-up of this kind was reported to fail now and then: measure with `tritoncheck stress`"
                if warm
                else ""
            ),
            related=[Related("the warm-up, for the shapes that it sends", model.at("model_warmup"))] if warm else [],
        )
