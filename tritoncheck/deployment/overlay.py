"""Puts what the user says of a launch on top of what a file says: an option wins, value by value."""

from __future__ import annotations

from tritoncheck.deployment.launch import Launch

_PLAIN = ("driver", "gpu", "shm_size", "memory", "cpus", "gpus", "compute_capability")


def overlay(found: Launch, said: Launch) -> Launch:
    """A launch from a file with options on top. What an option gives was not written in the file."""
    changes = {name: getattr(said, name) for name in _PLAIN if getattr(said, name)}
    if said.image or said.release:
        changes |= {"image": said.image, "release": said.release}
    gone = set(changes)
    if said.words or said.flags_known:
        changes |= {"flags": said.flags, "flags_known": said.flags_known, "words": said.words, "copies": said.copies}
        gone |= {"command"}
    environment = dict(found.environment) | dict(said.environment)
    gone |= {f"environment:{name}" for name, _ in said.environment}
    replaced = "flags" in changes
    return found._replace(
        **changes,
        options=frozenset(changes),
        environment=tuple(environment.items()),
        origins={
            key: span
            for key, span in found.origins.items()
            if key not in gone and not (replaced and key.startswith(("flag:", "word:")))
        },
        doubts=tuple(
            one for one in found.doubts if one.key not in gone and not (replaced and one.key.startswith("flag:"))
        ),
    )
