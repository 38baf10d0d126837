"""# TCZ007 repository-agent

## What it finds
A model that asks for a repository agent.

## Why it matters
An agent is a library of the server that may change or fetch the files of a model; it is run before Triton checks
anything in the configuration. What is checked here is the folder as it lies there, not what an agent makes of it.

## Bad
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
model_repository_agents { agents { name: "checksum" } }
```

## Good
```
# resnet/1/model.onnx
(onnx: x FP32[n,3] -> y FP32[n,2])
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
«unable to find 'libtritonrepoagent_checksum.so' for repo agent 'checksum', searched: …» if the server does not have it.

## Evidence
core `model_repository_manager.cc` `InitializeModelInfo`, 21.03 to 26.06; measured on real servers 22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Model, Rule, Severity

RULE = Rule(
    code="TCZ007",
    name="repository-agent",
    title="An agent may change the model before it is checked",
    severity=Severity.INFO,
    reads=("model_repository_agents",),
    evidence=("core src/model_repository_manager.cc InitializeModelInfo, 21.03-26.06",),
    only_with=("model_repository_agents",),
)


def check(model: Model) -> Iterator[Finding]:
    """Name every agent."""
    for index, agent in enumerate(model.config.model_repository_agents.agents):
        if agent.name:
            yield RULE.finding(
                model.value_at("model_repository_agents", "agents", index, "name"),
                f"the agent `{agent.name}` is run before Triton checks the model, and may change its files",
                help=f"make sure that the server has `libtritonrepoagent_{agent.name}.so`, and that you trust it",
            )
