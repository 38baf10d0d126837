"""One record of how the server is started, as far as it is known. Knows nothing of models or of files.

Flag names, defaults and meanings: server `src/command_line_parser.cc`, releases 20.01 to 26.09. A flag that was not
given has its default only if the command line is known at all: `flags_known`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from tritoncheck.deployment.image import release_of_image
from tritoncheck.deployment.parts import Clash, Doubt, Gpus, Mount, Port, Probe
from tritoncheck.deployment.tables import ReleaseFacts, facts_of
from tritoncheck.deployment.versions import parse_version
from tritoncheck.rule import Span

if TYPE_CHECKING:
    from tritoncheck.deployment.flags import Complaint
    from tritoncheck.deployment.host import Host

Release = tuple[int, ...]


class LaunchError(ValueError):
    """An option that cannot be understood; the text says which and what would be."""


# Where a value would stand that was not written.
_AROUND = {
    "flag": ("command", "image", "service"),
    "word": ("command", "image", "service"),
    "command": ("image", "service"),
    "driver": ("image", "service"),
    "gpu": ("gpus", "image", "service"),
    "gpus": ("image", "service"),
    "environment": ("environment", "service"),
}


class Launch(NamedTuple):
    """How the server is started.

    release: Triton release such as (24, 1); None where unknown.
    image: the image as given, "" where unknown. flags_known: whether the server's command line is known.
    flags: its flags in order, as (name without dashes, value; "" without one).
    driver, gpu: the host's NVIDIA driver and GPU as given, "" where unknown.
    environment: variables set for the server, as far as known.
    shm_size, memory: bytes of `/dev/shm` and the memory limit; None where unknown, or where there is no limit.
    cpus: how many CPUs the container may use, the same. ipc: whose shared memory it has, where not its own: `host`,
    `container:…`, `service:…`. shm_read_only: whether what is mounted at `/dev/shm` cannot be written. copies: how many
    servers `mpirun` starts from these very words. built: whether a Dockerfile adds to the image; packages: what `pip`
    installs in it, as (name, exact version or ""); backends: those copied from other images, as (name, image). Their
    places have the keys `package:NAME` and `backend:NAME`. streams: where a shell puts the server's stdout and stderr:
    `file`, `pipe`, `null`, "" for where they go by themselves. drains: whether something is done before the container
    gets its SIGTERM (`preStop`), None where that is not known. shm_clients: services of the same file that ask the
    server to use shared memory of theirs, each with its place.
    gpus: what the server sees, None where unknown. compute_capability: of the GPU, such as (8, 6).
    host: the machine, where it was asked; image_environment: the image's own, where it was read.
    ports, probes, mounts: see `parts`. restart: the policy as the file writes it (`always`, `on-failure:3`), "" where
    there is none. service: the name of the service or container; source: the file it was read from; both "" for
    options. origins: where a value was written, by key: the name of a field, `flag:NAME`, `word:TEXT` (one of no
    flag), `environment:NAME`, `probe:KIND`, `mount:TARGET`, `port:CONTAINER`, `command` (all flags). doubts: what a
    file leaves open.
    words: the server's arguments as written, from which `flags` were read. clashes: see `Clash`. options: the names of
    the fields that an option gave in place of the file.
    """

    release: Release | None = None
    image: str = ""
    flags_known: bool = False
    flags: tuple[tuple[str, str], ...] = ()
    driver: str = ""
    gpu: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    shm_size: int | None = None
    memory: int | None = None
    cpus: float | None = None
    ipc: str = ""
    shm_read_only: bool = False
    copies: int = 1
    built: bool = False
    packages: tuple[tuple[str, str], ...] = ()
    backends: tuple[tuple[str, str], ...] = ()
    streams: tuple[str, str] = ("", "")
    drains: bool | None = None
    shm_clients: tuple[tuple[str, Span], ...] = ()
    gpus: Gpus | None = None
    compute_capability: tuple[int, int] | None = None
    ports: tuple[Port, ...] = ()
    restart: str = ""
    probes: tuple[Probe, ...] = ()
    mounts: tuple[Mount, ...] = ()
    host: Host | None = None
    image_environment: Mapping[str, str] | None = None
    service: str = ""
    source: str = ""
    origins: Mapping[str, Span] = {}
    doubts: tuple[Doubt, ...] = ()
    words: tuple[str, ...] = ()
    clashes: tuple[Clash, ...] = ()
    options: frozenset[str] = frozenset()

    @property
    def is_blank(self) -> bool:
        """Whether nothing at all is known of it."""
        return self == Launch()

    @property
    def host_known(self) -> bool:
        """Whether anything is known of the machine that the server runs on."""
        return bool(self.driver or self.gpu or self.compute_capability or self.host)

    def origin(self, key: str) -> Span | None:
        """Where a value was written; None where it was not, or was given by an option."""
        return self.origins.get(key)

    def place(self, *keys: str) -> Span | None:
        """Where to speak of a value: where it was written, or else where it would be; None where no file is known.

        The first of several keys that has a place counts. Rules take `repository.place(key)`, which has one always.
        """
        if not self.source:
            return None
        for key in keys:
            for one in (key, *_AROUND.get(key.partition(":")[0], ("service",))):
                if one in self.origins:
                    return self.origins[one]
        return self.origins.get("service") or Span(self.source)

    def variable(self, name: str) -> str | None:
        """The value of an environment variable, None where it is not known to be set."""
        return dict(self.environment).get(name)

    def mount_of(self, path: str) -> Mount | None:
        """The mount that holds a path in the container, the innermost of several; None where none does. Of two at one
        target it is the first: what a service mounts stands before what its image has there."""
        below = (one for one in self.mounts if f"{path}/".startswith(f"{one.target.rstrip('/')}/"))
        return max(below, key=lambda one: len(one.target.rstrip("/")), default=None)

    def probe(self, kind: str) -> Probe | None:
        """The probe of a kind, None if there is none."""
        return next((one for one in self.probes if one.kind == kind), None)

    def all(self, name: str) -> list[str]:
        """Every value given for a flag, in order."""
        return [value for flag, value in self.flags if flag == name]

    def last(self, name: str, default: str = "") -> str:
        """The value that counts for a flag that may be given once: the last one."""
        values = self.all(name)
        return values[-1] if values else default

    def number(self, name: str, default: int) -> int:
        """The value of a numeric flag; the default where it is absent or no number."""
        try:
            return int(self.last(name, str(default)))
        except ValueError:
            return default

    def switch(self, name: str, default: bool) -> bool:
        """The value of a boolean flag; a flag without value is true."""
        if not self.all(name):
            return default
        return self.last(name).lower() in ("", "true", "1", "on")

    def release_of(self, image: str) -> Release | None:
        """The release of another image than its own; None where its tag names none."""
        return release_of_image(image)

    @property
    def facts(self) -> ReleaseFacts | None:
        """What is known of the image of its release; None where the release is unknown. The TensorRT that the image
        itself names comes before the table's."""
        known = (facts_of(self.release) or facts_of(self.release[:2])) if self.release else None
        tensorrt = (self.image_environment or {}).get("TRT_VERSION", "")
        if known is None or parse_version(tensorrt) is None:
            return known
        return known._replace(tensorrt=tensorrt, tensorrt_between=())

    @property
    def complaints(self) -> tuple[Complaint, ...]:
        """What the server does not take of its command line."""
        if not (self.words or self.flags):
            return ()
        from tritoncheck.deployment.flags import as_words, complaints

        return complaints(self.words or as_words(self.flags), self.release)

    @property
    def single_flags(self) -> list[str]:
        """The names of the flags given that count once, however often they are given."""
        if not self.flags:
            return []
        from tritoncheck.deployment.flags import FORMS, REPEATED

        return [name for name, _ in self.flags if name in FORMS and name not in REPEATED]

    @property
    def load_threads(self) -> int | None:
        """Size of the load pool; None where the release decides and is unknown.

        0 counts as 1 (core `model_lifecycle.h`); a negative number is read as unsigned and becomes absurdly many.
        Default 4 since 23.05, before that twice the cores, at least 2; before 22.07 one thread per model version.
        """
        value = self.last("model-load-thread-count")
        if value:
            try:
                count = int(value)
            except ValueError:
                return None
            return max(1, count) if count >= 0 else 2**32 + count
        return 4 if self.flags_known and (self.release is None or self.release >= (23, 5)) else None

    @property
    def control_mode(self) -> str:
        """`none`, `poll` or `explicit`."""
        return self.last("model-control-mode", "none").lower()

    @property
    def load_models(self) -> list[str]:
        """Models named by `--load-model`."""
        return self.all("load-model")

    @property
    def autocomplete(self) -> bool | None:
        """Whether the server completes configurations; None where the command line is unknown (default: it does).

        The default is on since 22.07; `--strict-model-config` is the older spelling of the opposite.
        """
        if self.all("disable-auto-complete-config"):
            return not self.switch("disable-auto-complete-config", False)
        if self.all("strict-model-config"):
            return not self.switch("strict-model-config", False)
        if self.release is not None and self.release < (22, 7):
            return False if self.flags_known else None
        return True if self.flags_known else None

    @property
    def one_by_one(self) -> bool:
        """Whether nothing is loaded at the start, so that models come one by one over the API."""
        return self.control_mode == "explicit" and not self.load_models

    @property
    def serial(self) -> bool:
        """Whether the flags make the server load one model after the other."""
        return self.load_threads == 1 or self.one_by_one

    @property
    def parallel(self) -> bool:
        """Whether it is known that the server loads several models at once."""
        unread = self.load_threads is None and bool(self.all("model-load-thread-count"))
        return self.flags_known and not self.serial and not unread
