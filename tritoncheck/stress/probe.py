"""Asks a running server for its repository index over gRPC: the only module that imports tritonclient."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from tritoncheck.stress.host import MissingExtra, Row


def require_client() -> None:
    """Raises MissingExtra where tritonclient is not installed."""
    _client()


def ask_index(address: str, timeout: float) -> list[Row] | None:
    """The rows of the index; None where the server does not answer in this time, or cannot list its repository."""
    grpc = _client()
    until = time.monotonic() + timeout
    while True:
        left = until - time.monotonic()
        if left <= 0:
            return None
        client: Any = grpc.InferenceServerClient(address)
        try:
            answer = client.get_model_repository_index(client_timeout=max(0.1, left))
            return [Row(one.name, one.version, one.state, one.reason) for one in answer.models]
        except grpc.InferenceServerException as error:
            if "UNAVAILABLE" not in str(error.status()):
                return None
            time.sleep(0.02)
        finally:
            with contextlib.suppress(Exception):
                client.close()


def _client() -> Any:
    try:
        import tritonclient.grpc as grpc
    except ImportError as error:
        raise MissingExtra(f"stress needs tritonclient ({error}): pip install 'tritoncheck[stress]'") from None
    if not hasattr(grpc, "InferenceServerException"):
        from tritonclient.utils import InferenceServerException

        grpc.InferenceServerException = InferenceServerException
    return grpc
