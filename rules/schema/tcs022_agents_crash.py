"""# TCS022 agents-crash

## What it finds
`model_repository_agents` without an agent, and an agent without a name.

## Why it matters
An empty block crashes the whole server when it looks at the model, with all other models, also while it starts. An
agent without a name only has its model refused.

## Bad
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
model_repository_agents { }
```

## Good
```
# resnet/config.pbtxt
backend: "onnxruntime"
max_batch_size: 8
```

## What Triton says
Nothing, signal 11. Of an agent without a name «unable to find 'libtritonrepoagent_.so' for repo agent ''».

## Evidence
core `repo_agent.cc` and `model_repository_manager.cc` `InitializeModelInfo`, 21.03 to 26.06; loaded on real servers
22.11 to 24.10.
"""

from collections.abc import Iterator

from tritoncheck.rule import Finding, Fix, Model, Rule, Severity

RULE = Rule(
    code="TCS022",
    name="agents-crash",
    title="`model_repository_agents` without an agent crashes the server",
    severity=Severity.ERROR,
    reads=("model_repository_agents",),
    evidence=("core src/model_repository_manager/model_repository_manager.cc, 21.03-26.06", "measured on 22.11-24.10"),
    only_with=("model_repository_agents",),
)


def check(model: Model) -> Iterator[Finding]:
    """An empty block, or an agent that is none."""
    if not hasattr(model.config, "model_repository_agents") or not model.config.HasField("model_repository_agents"):
        return
    agents = model.config.model_repository_agents.agents
    if not agents:
        edits = model.deletion("model_repository_agents")
        yield RULE.finding(
            model.at("model_repository_agents"),
            "the whole server crashes when it looks at this model: `model_repository_agents` holds no agent",
            help="delete the block",
            fix=Fix("delete `model_repository_agents`", edits, safe=True) if edits else None,
        )
    for number, agent in enumerate(agents):
        if not agent.name:
            yield RULE.finding(
                model.at("model_repository_agents", "agents", number),
                "a repository agent without `name`: Triton refuses the model",
                help='write its `name`, such as "checksum", or delete it',
                refused=True,
            )
