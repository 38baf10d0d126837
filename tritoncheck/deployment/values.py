"""What the values of a Helm chart say of a Triton server, in the shapes that charts have in common.

How the chart's templates use them is not known here, so the flags of the server are not known either: what is read are
image, arguments, resources, variables and probes, wherever a mapping names Triton's image. Shapes: server
`deploy/k8s-onprem`, `deploy/gcp` and `deploy/aws`, 21.10 to 25.05, and `helm create` of Helm 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from tritoncheck.deployment.command_line import parse_words
from tritoncheck.deployment.container_words import Words
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.manifests import at_most
from tritoncheck.deployment.parts import Doubt, Gpus
from tritoncheck.deployment.pod_environment import Environment
from tritoncheck.deployment.pod_parts import cpus, gpus, memory, port_names, probes, text
from tritoncheck.deployment.pods import Called, commanded
from tritoncheck.deployment.quantities import whole
from tritoncheck.deployment.reading import Fault, Reading
from tritoncheck.deployment.serving import release_in, serves
from tritoncheck.deployment.yaml import Node, YamlError, read_documents
from tritoncheck.rule import Span

_DEPTH = 5
_ARGUMENTS = ("command", "args", "serverArgs", "extraArgs", "tritonArgs")
_NAMES = ("repository", "imageName", "name", "image")


def read_values(source: str, path: str) -> Reading:
    """The servers that the values of a chart speak of."""
    if "triton" not in source.lower():
        return Reading()
    lines = Lines(source, path)
    try:
        documents = read_documents(source, path, at_most(1))
    except YamlError as error:
        return Reading(faults=(Fault(f"no YAML that can be read: {error}", error.span),))
    found = [launch for one in documents for launch in _walk(one, "", lines, 0)]
    return Reading(tuple(found))


def _walk(node: Node, name: str, lines: Lines, depth: int) -> Iterator[Launch]:
    """The launch of a mapping that names an image, and those below it."""
    image = node.get("image") if node.get("image") is not None else node.get("imageName")
    named = _image(image) if image is not None else ""
    if image is not None and serves(named):
        yield _launch(node, image, named, name, lines)
    elif depth < _DEPTH:
        for key, one in node.items.items():
            yield from _walk(one, key, lines, depth + 1)


def _image(image: Node) -> str:
    """`repository: …` with `tag: …` and `registry: …`, or the whole reference in one."""
    if image.is_scalar:
        return image.text
    name = next((text(image.get(key)) for key in _NAMES if text(image.get(key))), "")
    registry, tag = text(image.get("registry")), text(image.get("tag")) or text(image.get("version"))
    return (f"{registry}/" if registry and name else "") + name + (f":{tag}" if tag and name else "")


def _launch(node: Node, image: Node, named: str, name: str, lines: Lines) -> Launch:
    environment = Environment(node)
    place = node.place("image") if node.get("image") is not None else node.place("imageName")
    key = next((key for key in ("tag", "version", *_NAMES) if image.get(key) is not None), "")
    limit, memory_place = memory(node)
    cores, cpus_place = cpus(node)
    given, gpus_place = _gpus(node, image)
    asked, probe_places = probes(node, port_names(node))
    origins = {"service": place, "image": image.place(key) if key else place, **probe_places}
    places = {"memory": memory_place, "cpus": cpus_place, "gpus": gpus_place}
    origins |= {key: span for key, span in places.items() if span is not None}
    origins |= {f"environment:{one}": span for one, span in environment.places.items()}
    doubts = list(environment.doubts)
    if release_in(named) is None:
        doubts.append(Doubt("image", "these values name no tag", origins["image"]))
    launch = Launch(
        release=release_in(named),
        image=named,
        environment=tuple(environment.values.items()),
        memory=limit,
        cpus=cores,
        gpus=given,
        probes=asked,
        service=name,
        source=lines.path,
        origins=origins,
        doubts=tuple(doubts),
    )
    words = Words(lambda path: lines)
    for one in _ARGUMENTS:
        listed = node.get(one)
        if listed is not None and listed.entries:
            words.add(listed, environment.fill)
    if words.words:
        launch = commanded(launch, Called(words, parse_words(words.words, environment.values), environment), place)
    doubt = Doubt("command", "the templates of the chart decide how its values are used", place)
    known = tuple(one for one in launch.doubts if one.key != "command")
    return launch._replace(flags_known=False, doubts=(*known, doubt))


def _gpus(node: Node, image: Node) -> tuple[Gpus | None, Span | None]:
    """The GPUs that the resources or `numGpus` ask for; where none are, the templates may still ask."""
    found, place = gpus(node, node, {})
    if place is not None:
        return found, place
    for one in (image, node):
        count = whole(text(one.get("numGpus")))
        if count is not None:
            return Gpus(count), one.place("numGpus")
    return None, None
