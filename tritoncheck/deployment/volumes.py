"""What is mounted into a container: the short form of `-v` and the pairs of `--mount`.

Source: docker/cli `cli/compose/loader/volume.go` and `opts/mount.go`, 20.10 to 29.0.
"""

from __future__ import annotations

import csv
import os
import re

from tritoncheck.deployment.parts import Mount

_HERE = re.compile(r"(?:\$PWD|\$\{(?:PWD|CURDIR)\}|\$\((?:shell )?pwd\)|`pwd`|\.)(?=/|$)")
_COLONS = re.compile(r":(?![-?+=])(?!\\|//)")


def read_volume(text: str, folder: str) -> Mount | None:
    """`source:target:options`; folder: the one that `.` and `$PWD` mean. None for what is none."""
    parts = _COLONS.split(text)
    if not text or len(parts) > 3:
        return None
    if len(parts) == 1:
        return Mount(parts[0], kind="volume") if parts[0].startswith("/") else None
    options = parts[2].split(",") if len(parts) > 2 else []
    return _mount(parts[0], parts[1], folder, "ro" in options or "readonly" in options)


def _mount(source: str, target: str, folder: str, read_only: bool) -> Mount:
    kind = "bind" if re.match(r"[/.~$`]", source) else "volume"
    return Mount(target, on_host(source, folder) if kind == "bind" else source, read_only, kind)


def on_host(source: str, folder: str) -> str:
    """The absolute path of a source; "" where a part of it is not known."""
    here = _HERE.match(source)
    if here:
        source = folder + source[here.end() :]
    elif source.startswith("../") or source == "..":
        source = f"{folder}/{source}"
    if not source.startswith("/") or "$" in source or "`" in source:
        return ""
    return os.path.normpath(source).replace(os.sep, "/")


def read_mount(text: str, folder: str) -> tuple[Mount, str] | None:
    """`type=bind,source=…,target=…,readonly`, and the size of a `tmpfs` as written. None without a target."""
    try:
        fields = next(csv.reader([text]), [])
    except csv.Error:
        return None
    pairs = dict(field.partition("=")[::2] for field in fields)
    target = pairs.get("target") or pairs.get("dst") or pairs.get("destination") or ""
    source = pairs.get("source") or pairs.get("src") or ""
    read_only = any(pairs.get(key, "false") in ("", "true", "1") for key in ("readonly", "ro"))
    if not target:
        return None
    if pairs.get("type") == "tmpfs":
        return Mount(target, kind="memory"), pairs.get("tmpfs-size", "")
    if pairs.get("type") == "bind":
        return Mount(target, on_host(source, folder), read_only), ""
    return Mount(target, source, read_only, "volume"), ""
