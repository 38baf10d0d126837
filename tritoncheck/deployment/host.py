"""What is known of the machine that runs the server: driver, GPUs, container toolkit. Records only, of any origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tritoncheck.deployment.gpus import Gpu
from tritoncheck.deployment.requirement import HostValues
from tritoncheck.deployment.tables import native_cuda
from tritoncheck.deployment.versions import Version, parse_version

# The first container toolkit that can put an image's compatibility library before the host's own. Source:
# NVIDIA/nvidia-container-toolkit, `enable-cuda-compat` hook, 1.18.0.
COMPAT_TOOLKIT = (1, 18)


class Host(NamedTuple):
    """A machine; "" or None where unknown.

    driver: its NVIDIA driver; under WSL that of Windows. cuda: the newest CUDA that the driver says it has.
    platform: `linux`, `wsl` or `jetson`. toolkit: version of the NVIDIA container toolkit; compat_mode: its setting
    `cuda-compat-mode`, or `disabled`. l4t: the release of a Jetson's system (36 is JetPack 6, 38 is JetPack 7).
    cores: CPUs that are switched on, hyper-threads counted; 0 where unknown.
    origins: where each of these was read, for people.
    """

    driver: str = ""
    cuda: str = ""
    gpus: tuple[Gpu, ...] = ()
    platform: str = ""
    toolkit: str = ""
    compat_mode: str = ""
    l4t: str = ""
    cores: int = 0
    origins: Mapping[str, str] = {}

    @property
    def version(self) -> Version | None:
        """The driver's version."""
        return parse_version(self.driver)

    @property
    def native_cuda(self) -> Version | None:
        """The newest CUDA that the driver has: as it says, else as the table says for Linux."""
        told = parse_version(self.cuda)
        version = self.version
        if told or version is None or self.platform in ("wsl", "jetson"):
            return told
        return native_cuda(version)

    @property
    def is_jetson(self) -> bool:
        """Whether it is a Jetson board."""
        return self.platform == "jetson" or any(gpu.kind == "jetson" for gpu in self.gpus)

    @property
    def forward(self) -> bool | None:
        """Whether a compatibility library works here: on every GPU, on none, or unknown (also for Jetson)."""
        if self.platform == "wsl":
            return False
        answers = {gpu.forward for gpu in self.gpus} or {None}
        return answers.pop() if len(answers) == 1 else None

    @property
    def weakest(self) -> Gpu | None:
        """The GPU with the lowest compute capability; None where none is known."""
        known = [gpu for gpu in self.gpus if gpu.capability]
        return min(known, key=lambda gpu: gpu.capability or (0, 0), default=None)

    @property
    def newest(self) -> Gpu | None:
        """The GPU with the highest compute capability; None where none is known."""
        known = [gpu for gpu in self.gpus if gpu.capability]
        return max(known, key=lambda gpu: gpu.capability or (0, 0), default=None)

    @property
    def compat_first(self) -> bool | None:
        """Whether its container toolkit puts the image's compatibility library first; None where unknown.

        From 1.18 on it does so by default, without a look at the GPU's kind.
        """
        version = parse_version(self.toolkit)
        if version is None:
            return None
        return version >= COMPAT_TOOLKIT and self.compat_mode != "disabled"

    @property
    def values(self) -> HostValues:
        """What a launch condition may ask."""
        gpu = self.gpus[0] if len({(one.capability, one.brand) for one in self.gpus}) == 1 else None
        return HostValues(self.native_cuda, self.version, gpu.capability if gpu else None, gpu.brand if gpu else "")
