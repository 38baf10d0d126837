"""What NVIDIA driver and GPUs this machine has, for the facts of a run. Knows nothing of servers."""

from __future__ import annotations


def driver_and_gpus() -> tuple[str, str]:
    """The driver's version and the names of the GPUs; "" where there is none, or the package to ask is missing."""
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:  # without a driver it raises its own kinds
        return "", ""
    try:
        driver = _text(pynvml.nvmlSystemGetDriverVersion())
        handles = [pynvml.nvmlDeviceGetHandleByIndex(number) for number in range(pynvml.nvmlDeviceGetCount())]
        return driver, ", ".join(_text(pynvml.nvmlDeviceGetName(handle)) for handle in handles)
    except Exception:
        return "", ""
    finally:
        pynvml.nvmlShutdown()


def _text(value: object) -> str:
    """Older packages answer with bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
