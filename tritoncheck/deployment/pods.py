"""One container of a pod as a launch."""

from __future__ import annotations

from typing import NamedTuple

from tritoncheck.deployment.command_line import parse_words
from tritoncheck.deployment.container_words import Words
from tritoncheck.deployment.gpu_request import seen
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.parts import Doubt, Port
from tritoncheck.deployment.pod_environment import Environment
from tritoncheck.deployment.pod_parts import cpus, gpus, host_ports, memory, mounts, port_names, probes, shm_size
from tritoncheck.deployment.ports import with_host_network
from tritoncheck.deployment.server_flags import CommandLine, names_repository
from tritoncheck.deployment.serving import release_in, serves
from tritoncheck.deployment.yaml import Node
from tritoncheck.rule import Span


class Pod(NamedTuple):
    """What the containers of a pod share. name: of what runs it, which names the launch; place: where it stands. spec:
    of the pod. ports: those that Services publish. restart: its policy, "" for none. rolls: whether it is known that a
    new pod replaces it when something is changed."""

    name: str
    place: Span
    spec: Node
    lines: Lines
    ports: dict[Port, Span]
    restart: str = "Always"
    rolls: bool = False


class Called(NamedTuple):
    """A container's command. line: what in it starts the server, None if nothing does."""

    words: Words
    line: CommandLine | None
    environment: Environment

    @property
    def names_server(self) -> bool:
        """Whether it calls the server by its name."""
        return self.line is not None and self.line.program is not None


def read_container(container: Node, pod: Pod, is_first: bool = False) -> Launch | None:
    """The launch of a container; None where it starts no Triton server. is_first: whether it has to end before the
    others begin, as a server does not."""
    image = container.get("image")
    named = image.text if image is not None else ""
    called = read_called(container, pod.lines)
    if not called.names_server:
        may = not called.words.words or called.words.may_start or called.line is not None
        told = called.line is not None and names_repository(called.line.words)
        if is_first or not may or not (told or serves(named)):
            return None
    launch = around(container, pod, called.environment)
    if image is not None:
        origins = {**launch.origins, "image": container.place("image")}
        launch = launch._replace(image=named, release=release_in(named), origins=origins)
        if "{{" in named or "$" in named:
            doubt = Doubt("image", f"`{named}` is filled in elsewhere", image.span)
            launch = launch._replace(doubts=(*launch.doubts, doubt))
    return _on_host(commanded(launch, called, container.place("image")), pod.spec)


def read_called(container: Node, lines: Lines) -> Called:
    """The command of a container: `command`, then `args`."""
    environment = Environment(container)
    words = Words(lambda path: lines)
    for key in ("command", "args"):
        node = container.get(key)
        if node is not None and node.entries:
            words.add(node, environment.fill)
    return Called(words, parse_words(words.words, environment.values), environment)


def commanded(launch: Launch, called: Called, place: Span) -> Launch:
    """A launch with the flags that its command gives. place: where to say that none is known."""
    words = called.words
    if called.line is None or not words.words:
        why = "what the command runs is not known" if words.words else "the image's own command is not known"
        span = words.place(0, len(words.words)) if words.words else place
        return launch._replace(doubts=(*launch.doubts, Doubt("command", why, span)))
    return words.started(launch, called.line)


def _on_host(launch: Launch, spec: Node) -> Launch:
    """A launch with the node's network, where the pod shares that."""
    shares = spec.get("hostNetwork")
    if shares is None or not shares.boolean:
        return launch
    return with_host_network(launch, spec.place("hostNetwork"), launch.ports)


def around(container: Node, pod: Pod, environment: Environment) -> Launch:
    """All that pod and container say besides image and command."""
    values = environment.values
    mounted, shm_volume = mounts(container, pod.spec)
    limit, memory_place = memory(container)
    size, shm_place = shm_size(pod.spec, shm_volume, limit)
    given, gpus_place = gpus(container, pod.spec, values)
    asked, probe_places = probes(container, port_names(container))
    ports = {**pod.ports, **host_ports(container)}
    cores, cpus_place = cpus(container)
    shares = pod.spec.get("hostIPC")
    places = {"gpus": gpus_place, "shm_size": shm_place, "memory": memory_place, "cpus": cpus_place}
    if shm_volume is not None and shm_volume[2]:
        places["shm_read_only"] = shm_volume[1]
    origins = {key: place for key, place in places.items() if place is not None}
    origins |= {f"environment:{name}": place for name, place in environment.places.items()}
    origins |= {f"mount:{mount.target}": place for mount, place in mounted.items()}
    origins |= {f"port:{port.container}": place for port, place in ports.items()}
    origins |= probe_places
    if pod.spec.get("restartPolicy") is not None:
        origins["restart"] = pod.spec.place("restartPolicy")
    return Launch(
        environment=tuple(values.items()),
        shm_size=size,
        memory=limit,
        cpus=cores,
        ipc="host" if shares is not None and shares.boolean else "",
        drains=container.get("lifecycle", "preStop") is not None if pod.rolls else None,
        shm_read_only=shm_volume is not None and shm_volume[2],
        gpus=seen(given, values),
        ports=tuple(ports),
        restart=pod.restart,
        probes=asked,
        mounts=tuple(mounted),
        service=pod.name,
        source=pod.lines.path,
        origins={"service": pod.place, **origins},
        doubts=tuple(environment.doubts),
    )
