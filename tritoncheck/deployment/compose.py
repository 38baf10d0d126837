"""How the services of a Compose project start a Triton server.

A variable that is set nowhere leaves its value unknown, which is said. A service that is built has what its Dockerfile
says below what the Compose file says; a script that a volume brings into the container is read.
"""

from __future__ import annotations

import os
from functools import cached_property

from tritoncheck.deployment import compose_gpus, compose_shm
from tritoncheck.deployment import compose_parts as parts
from tritoncheck.deployment.carried import started_by_script
from tritoncheck.deployment.compose_beside import Beside
from tritoncheck.deployment.compose_clashes import clashes, published
from tritoncheck.deployment.compose_environment import Environment, read_environment, unset
from tritoncheck.deployment.compose_health import probe
from tritoncheck.deployment.compose_merge import pairs
from tritoncheck.deployment.compose_project import read_project
from tritoncheck.deployment.compose_reader import Reader
from tritoncheck.deployment.container_words import Words
from tritoncheck.deployment.dockerfile import read_dockerfile
from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.gpu_request import seen
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.parts import Doubt
from tritoncheck.deployment.ports import with_host_network
from tritoncheck.deployment.reading import MOST_LAUNCHES, Reading
from tritoncheck.deployment.server_flags import names_repository
from tritoncheck.deployment.serving import release_in, serves
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span


def read_compose(path: str, files: Files) -> Reading:
    """The services of a project that start a Triton server, each as a launch, and what is wrong in its files."""
    project = read_project(path, files)
    reader = Reader(project, files)
    beside = Beside(reader)
    found: list[Launch] = []
    by_port, with_shm = published(reader), list(compose_shm.shm_clients(reader))
    for name, node in project.services.items():
        if len(found) == MOST_LAUNCHES:
            break
        launch = _Service(name, node, reader, beside).launch(path)
        if launch is not None:
            others = clashes(launch, parts.profiles(node, reader), by_port)
            clients = tuple(one for one in with_shm if one[0] != name)
            found.append(launch._replace(clashes=others, shm_clients=clients))
    return Reading(tuple(found), tuple(project.faults))


class _Service:
    """One service on its way to a launch."""

    def __init__(self, name: str, node: Node, reader: Reader, beside: Beside) -> None:
        self.name = name
        self.node = node
        self.reader = reader
        self.beside = beside
        self.origins: dict[str, Span] = {"service": reader.project.names[name]}
        self.doubts: list[Doubt] = []

    @cached_property
    def environment(self) -> Environment:
        """The variables of the container; read only where it may be a Triton server's."""
        return read_environment(self.node, self.reader)

    def launch(self, path: str) -> Launch | None:
        """The launch; None where the service starts no Triton server."""
        built = self.built()
        image = self.image()
        words = Words(self.reader.lines)
        for key in ("entrypoint", "command"):
            words.add(self.node.get(key), self.reader.fill)
        holds_triton = built is not None or serves(image)
        told = not holds_triton and names_repository(one.text for one in words.words)
        if not holds_triton and not words.name_server and not told:
            return None
        command = words.command(self.environment.over(dict(built.environment if built else ())))
        called = command is not None and command.program is not None
        if (
            not called
            and not (told and command is not None)
            and not (holds_triton and (command is not None or not words.words or words.may_start))
        ):
            return None
        base = self.below(built, image)._replace(service=self.name, source=path)
        launch = self.around(base)
        if command is not None and words.words:
            launch = words.started(launch, command)
        elif words.words:
            launch = self.scripted(launch._replace(flags=(), flags_known=False, words=()), words)
        elif not launch.flags_known and built is None:
            self.doubts.append(Doubt("command", "the image's own command is not known", self.node.place("image")))
        if self.reader.text(self.node.get("network_mode")) == "host":
            launch = with_host_network(launch, self.node.place("network_mode"))
        for one in (*self.environment.faults, *compose_gpus.device_faults(self.node, self.reader)):
            self.reader.project.fault(one.message, one.span, one.help)
        for path, why in self.reader.project.unread.items():
            self.doubts.append(Doubt(".env", f"what it sets is not known: {why}", Span(path)))
        return launch._replace(doubts=(*self.doubts, *self.environment.doubts, *launch.doubts))

    def below(self, built: Launch | None, image: str) -> Launch:
        """What the image itself says."""
        if built is None:
            return Launch(release_in(image) if serves(image) else None, image)
        self.origins = {**built.origins, **self.origins}
        image_place = built.origin("image")
        if image_place:
            self.origins["image"] = image_place
        return built

    def image(self) -> str:
        """The image, as far as its variables are known."""
        node = self.node.get("image")
        if node is None:
            return ""
        filled = self.reader.fill(node)
        self.origins["image"] = self.node.place("image")
        self.doubts += unset("image", filled.missing, self.origins["image"])
        return filled.text

    def built(self) -> Launch | None:
        """What the Dockerfile of a service that is built says; None where there is none that starts a server."""
        build = self.node.get("build")
        if build is None:
            return None
        context = self.reader.text(build.get("context") if build.items else build) or "."
        name = self.reader.text(build.get("dockerfile")) or "Dockerfile"
        folder = os.path.join(os.path.dirname(build.span.path), context)
        path = os.path.normpath(os.path.join(folder, name))
        if not self.reader.files.exists(path):
            return None
        given = {key: self.reader.text(value) for key, (value, _) in pairs(build.get("args")).items()}
        arguments = {key: value for key, value in given.items() if value}
        try:
            text = self.reader.files.read(path)
        except FileError as error:
            self.reader.project.fault(f"`{path}` cannot be read: {error}", self.node.place("build"))
            return None
        found = read_dockerfile(text, path, self.reader.text(build.get("target")), arguments, self.reader.files)
        return found.launches[-1] if found.launches else None

    def around(self, launch: Launch) -> Launch:
        """The launch with all that the service says besides image and command."""
        node, reader = self.node, self.reader
        merged = self.environment.over(dict(launch.environment))
        gpus, gpus_key = compose_gpus.gpus(node, reader, self.environment.values)
        if gpus is not None and gpus.none and not gpus_key:
            beside = self.beside.gpus(self.origins["service"].path, self.name)
            if beside:
                why = f"`{beside}` gives it some, if it is laid over this file with `-f`"
                self.doubts.append(Doubt("gpus", why, self.origins["service"]))
                gpus = None
        shm, shm_key = compose_shm.shm_size(node, reader)
        memory, memory_key = parts.memory(node, reader)
        cpus, cpus_key = parts.cpus(node, reader)
        policy, policy_key = parts.restart(node, reader)
        keys = {"gpus": gpus_key, "shm_size": shm_key, "memory": memory_key, "cpus": cpus_key, "restart": policy_key}
        self.origins |= {key: node.place(*path.split(".")) for key, path in keys.items() if path}
        ports, mounts, check = parts.ports(node, reader), parts.mounts(node, reader), probe(node, reader)
        self.origins |= {f"port:{one.container}": span for one, span in ports.items()}
        self.origins |= {f"mount:{one.target}": span for one, span in mounts.items()}
        if check is not None:
            self.origins["probe:healthcheck"] = node.place("healthcheck")
        targets = {one.target for one in mounts}
        return launch._replace(
            environment=tuple(merged.items()),
            gpus=seen(gpus, merged),
            shm_size=shm,
            memory=memory,
            cpus=cpus,
            ipc=compose_shm.ipc(node, reader),
            shm_read_only=compose_shm.shm_read_only(node, reader),
            ports=tuple(ports),
            restart=policy,
            probes=(check,) if check is not None else launch.probes if node.get("healthcheck") is None else (),
            mounts=(*mounts, *(one for one in launch.mounts if one.target not in targets)),
            origins={**self.origins, **self.environment.origins},
        )

    def scripted(self, launch: Launch, words: Words) -> Launch:
        """The launch with the flags that a script gives which a volume brings into the container."""
        span = words.place(0, len(words.words))
        launch = launch._replace(origins={**launch.origins, "command": span})
        paths = (word.text for word in words.words if word.text.startswith("/"))
        found = started_by_script(launch, paths, self.reader.files)
        if found is None:
            self.doubts.append(Doubt("command", "what the command runs is not known", span))
        return found or launch
