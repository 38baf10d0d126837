"""A launch's image and the machine it runs on, brought together: what rules on drivers and images ask.

What an option or a deployment file says comes before what was read from the machine.
"""

from __future__ import annotations

from typing import NamedTuple

from tritoncheck.deployment.compat import ImageFacts, Verdict, image_facts, judge
from tritoncheck.deployment.gpus import Gpu, gpu_named, is_newer
from tritoncheck.deployment.host import Host
from tritoncheck.deployment.image import ImageName, image_fault, parse_image
from tritoncheck.deployment.launch import Launch
from tritoncheck.deployment.requirement import requirements
from tritoncheck.deployment.tables import (
    branch_end,
    facts_of,
    first_for_capability,
    newest,
    newest_for_capability,
    newest_for_driver,
    tag_of,
)
from tritoncheck.deployment.versions import Version, short_driver


class Fit(NamedTuple):
    """An image on a host. name: the image's reference in parts, None where it is none or not known.

    text: how to call the image: its reference, or the release where only that is known. fault: why the reference can be
    none of an image, "" if it may be one.
    """

    name: ImageName | None
    text: str
    image: ImageFacts
    host: Host
    verdict: Verdict
    fault: str = ""

    @property
    def variant(self) -> str:
        """The variant of the image, as its tag says."""
        return self.name.variant if self.name else ""

    @property
    def certain(self) -> bool:
        """Whether the image's CUDA and driver are known of this very image: of NVIDIA's own tag, or read from it."""
        return bool(self.image.environment) or self.variant not in ("custom", "")

    @property
    def built_for(self) -> str:
        """The driver that the image was built for, as NVIDIA's banner names it; else the branch."""
        if self.image.driver:
            return short_driver(self.image.driver)
        return str(self.image.branches[1]) if self.image.branches else ""

    @property
    def cuda(self) -> str:
        """The image's CUDA, major and minor."""
        return ".".join(self.image.cuda.split(".")[:2])

    @property
    def native_cuda(self) -> str:
        """The CUDA that the host's driver has, "" where unknown."""
        return ".".join(str(part) for part in self.host.native_cuda or ())

    @property
    def gpu(self) -> str:
        """How to call the GPU: its name, "" where unknown."""
        return self.host.gpus[0].name if self.host.gpus else ""

    @property
    def newest(self) -> str:
        """The tag of the newest image that the host's driver runs without a compatibility library, "" if none."""
        return self._tag(False)

    @property
    def newest_native(self) -> str:
        """The tag of the newest image whose CUDA the host's driver has itself, "" if none."""
        return self._tag(True)

    @property
    def newest_for_gpu(self) -> str:
        """The tag of the newest image for the host's GPU, and its driver if that is known; "" if none."""
        driver = self.host.version
        if driver:
            return self._tag(False)
        capability = self.capability
        release = newest_for_capability(capability) if capability else None
        return f"{tag_of(release)}-py3" if release else ""

    @property
    def newer_gpu(self) -> Gpu | None:
        """The GPU that came after the image's CUDA, which then cannot have code compiled for it; None if none did."""
        gpu = self.host.newest
        newer = gpu is not None and gpu.capability is not None and is_newer(gpu.capability, self.image.latest_cuda)
        return gpu if newer and not self.host.is_jetson else None

    @property
    def first_for_gpu(self) -> str:
        """The tag of the first image whose CUDA knows the newest GPU of the host, "" if none is known."""
        gpu = self.host.newest
        release = first_for_capability(gpu.capability) if gpu and gpu.capability else None
        return f"{tag_of(release)}-py3" if release else ""

    def _tag(self, native: bool) -> str:
        driver = self.host.version
        release = newest_for_driver(driver, self.capability, native=native) if driver else None
        facts, gpu = facts_of(release) if release else None, self.host.newest
        if facts is None or (gpu and gpu.capability and not facts.knows(gpu.capability)):
            return ""  # it would do for the oldest GPU, and not for the newest
        return f"{tag_of(facts.release)}-py3"

    @property
    def driver_ended(self) -> str:
        """The month in which the support of the driver's branch ended, if it had when the newest release known came
        out; "" otherwise. The months are those of data-center drivers: "" on a GeForce and on Windows."""
        driver = self.host.version
        if driver is None or self.host.platform in ("wsl", "jetson") or self.host.forward is False:
            return ""
        end = branch_end(driver)
        year, month = newest()[:2]
        return end if end and end <= f"20{year:02}-{month:02}" else ""

    @property
    def capability(self) -> Version | None:
        """The lowest compute capability, None where unknown."""
        weakest = self.host.weakest
        return weakest.capability if weakest else None

    def other(self, tag: str) -> str:
        """Another image of this kind, by its tag."""
        return self.name.with_tag(tag) if self.name and self.name.registry == "nvcr.io" else f"tritonserver:{tag}"


def fit(launch: Launch) -> Fit:
    """Bring together what a launch says of image and host."""
    name = parse_image(launch.image)
    environment = launch.image_environment or {}
    image = image_facts(launch.release, name.variant if name else "", environment)
    own = {key: value for key, value in launch.environment if key.startswith("NVIDIA_")}
    image = image._replace(conditions=requirements({**environment, **own}))
    text = launch.image or (f"Triton {image.table.tag}" if image.table else "")
    host = host_of(launch)
    return Fit(name, text, image, host, judge(image, host), image_fault(launch.image) if launch.image else "")


def host_of(launch: Launch) -> Host:
    """The machine of a launch: as the user says, else as it was read."""
    host = launch.host or Host()
    gpus = _visible(launch, host.gpus)
    if launch.gpu or launch.compute_capability:
        gpus = (gpu_named(launch.gpu, launch.compute_capability),)
    return host._replace(driver=launch.driver or host.driver, gpus=gpus)


def _visible(launch: Launch, gpus: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """The GPUs of a machine that the container sees, where it names them by number."""
    ids = launch.gpus.ids if launch.gpus else ()
    if not ids or not all(one.isdigit() and int(one) < len(gpus) for one in ids):
        return gpus
    return tuple(gpus[int(one)] for one in ids)
