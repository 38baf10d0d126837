"""What Triton's own reader of its command line makes of the words it gets: what it refuses, and what it half reads.

The server reads its flags with `getopt_long`: an unambiguous beginning of a name is enough, a flag that takes a value
takes the next word whatever that is, words that belong to no flag are refused. Flags with the forms of their values are
those that `tritonserver --help` of 22.11, 23.04, 23.07, 23.10, 24.03 and 24.10 prints; what is refused was measured on
these six. Later flags: server `src/command_line_parser.cc`, 25.06 and 26.04.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

Release = tuple[int, ...]

_BY_FORM = {
    "": ("help", "disable-auto-complete-config"),
    "true or false": (
        *("log-info", "log-warning", "log-error", "exit-on-error", "strict-model-config", "strict-readiness"),
        *("allow-http", "reuse-http-port", "allow-grpc", "reuse-grpc-port", "grpc-use-ssl", "grpc-use-ssl-mutual"),
        *("grpc-keepalive-permit-without-calls", "allow-sagemaker", "allow-vertex-ai", "allow-metrics"),
        *("allow-gpu-metrics", "allow-cpu-metrics", "model-namespacing", "enable-peer-access", "allow-client-shm"),
    ),
    "a whole number": (
        *("log-verbose", "http-port", "http-thread-count", "grpc-port", "grpc-infer-allocation-pool-size"),
        *("grpc-keepalive-time", "grpc-keepalive-timeout", "grpc-http2-max-pings-without-data"),
        *("grpc-http2-min-recv-ping-interval-without-data", "grpc-http2-max-ping-strikes", "grpc-max-connection-age"),
        *("grpc-max-connection-age-grace", "sagemaker-port", "sagemaker-thread-count", "vertex-ai-port"),
        *("vertex-ai-thread-count", "metrics-port", "trace-rate", "trace-count", "trace-log-frequency"),
        *("repository-poll-secs", "pinned-memory-pool-byte-size", "response-cache-byte-size", "exit-timeout-secs"),
        *("buffer-manager-thread-count", "model-load-thread-count", "model-load-retry-count", "http-max-input-size"),
    ),
    "a number": ("metrics-interval-ms", "min-supported-compute-capability"),
    "`<GPU>:<bytes>`": ("cuda-memory-pool-byte-size", "cuda-virtual-address-size"),
    "`<GPU>:<fraction>`": ("model-load-gpu-limit",),
    "`<resource>:<count>` or `<resource>:<count>:<GPU>`": ("rate-limit-resource",),
    "`<backend>,<key>=<value>` or `<key>=<value>`": ("backend-config",),
    "`<mode>,<key>=<value>` or `<key>=<value>`": ("trace-config",),
    "`<policy>,<key>=<value>`": ("host-policy",),
    "`<cache>,<key>=<value>`": ("cache-config",),
    "`<key>=<value>`": ("metrics-config",),
    "`<APIs>:<header>=<value>`": ("http-restricted-api", "grpc-restricted-protocol"),
    "none, poll or explicit": ("model-control-mode",),
    "off or execution_count": ("rate-limit",),
    "default or ISO8601": ("log-format",),
    "none, low, medium or high": ("grpc-infer-response-compression-level",),
    "a text": (
        *("log-file", "id", "model-store", "model-repository", "http-address", "grpc-address", "grpc-server-cert"),
        *("grpc-server-key", "grpc-root-cert", "vertex-ai-default-model", "trace-file", "trace-level", "load-model"),
        *("backend-directory", "repoagent-directory", "http-header-forward-pattern", "grpc-header-forward-pattern"),
        *("cache-directory", "metrics-address", "model-config-name", "sagemaker-safe-port-range"),
    ),
}
FORMS = {name: form for form, names in _BY_FORM.items() for name in names}
_INTEGER = r"\s*[+-]?\d+"
_SHAPES = {
    "true or false": r"(?i:true|false|1|0|on|off)",
    "a whole number": _INTEGER,
    "a number": r"\s*[+-]?(?:\d+\.?\d*|\.\d+|inf|nan)",
    "`<GPU>:<bytes>`": rf"{_INTEGER}[^:]*:{_INTEGER}",
    "`<GPU>:<fraction>`": rf"{_INTEGER}[^:]*:\s*[+-]?(?:\d|\.\d)",
    "`<resource>:<count>` or `<resource>:<count>:<GPU>`": rf"[^:]*:{_INTEGER}",
    "`<backend>,<key>=<value>` or `<key>=<value>`": r"(?:[^,=]+(?:,[^=]*)?)=",
    "`<mode>,<key>=<value>` or `<key>=<value>`": r"[^=]*=",
    "`<policy>,<key>=<value>`": r"[^,]+,[^=]*=",
    "`<cache>,<key>=<value>`": r"[^,]+,",
    "`<key>=<value>`": r"[^=]+=",
    "`<APIs>:<header>=<value>`": r"[^:]+:[^=]*=",
    "none, poll or explicit": r"(?i:none|poll|explicit)$",
    "off or execution_count": r"(?i:off|execution_count)$",
    "default or ISO8601": r"(?:default|ISO8601)$",
    "none, low, medium or high": r"(?i:none|low|medium|high)$",
}
_PATTERNS = {form: re.compile(shape) for form, shape in _SHAPES.items()}
_WHOLE = frozenset(("true or false",))
# May be given several times, each counting.
REPEATED = frozenset(
    (
        *("model-repository", "model-store", "load-model", "backend-config", "host-policy", "cache-config"),
        *("metrics-config", "trace-config", "trace-level", "rate-limit-resource", "cuda-memory-pool-byte-size"),
        *("cuda-virtual-address-size", "model-load-gpu-limit", "http-restricted-api", "grpc-restricted-protocol"),
    )
)
# The last release that is known not to have a flag, and the first that is known to have it. From its documentation, or
# measured where both are far apart.
SINCE: dict[str, tuple[Release, Release]] = {
    "log-format": ((22, 5), (22, 6)),
    "model-load-thread-count": ((22, 6), (22, 7)),
    "disable-auto-complete-config": ((22, 6), (22, 7)),
    "model-load-gpu-limit": ((22, 7), (22, 8)),
    "log-file": ((22, 8), (22, 9)),
    "cache-config": ((23, 2), (23, 3)),
    "cache-directory": ((23, 2), (23, 3)),
    "model-namespacing": ((23, 2), (23, 3)),
    "grpc-restricted-protocol": ((22, 11), (23, 4)),
    "grpc-header-forward-pattern": ((22, 11), (23, 4)),
    "http-header-forward-pattern": ((22, 11), (23, 4)),
    "metrics-config": ((22, 11), (23, 4)),
    "trace-config": ((22, 11), (23, 4)),
    "metrics-address": ((23, 4), (23, 7)),
    "http-restricted-api": ((23, 10), (23, 11)),
    "cuda-virtual-address-size": ((23, 10), (23, 11)),
    "grpc-max-connection-age": ((23, 10), (24, 3)),
    "grpc-max-connection-age-grace": ((23, 10), (24, 3)),
    "model-load-retry-count": ((23, 12), (24, 1)),
    "model-config-name": ((24, 4), (24, 5)),
    "enable-peer-access": ((24, 5), (24, 6)),
    "http-max-input-size": ((25, 5), (25, 6)),
    "allow-client-shm": ((26, 3), (26, 4)),
}
# Of the releases between these two every flag is known.
FIRST_LISTED, LAST_LISTED = (22, 11), (24, 10)
# Dashes that a word processor or a web page puts in place of `-` and `--`.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_OPEN = re.compile(r"\$|\{\{|`|<[A-Za-z]|%[({]")


class Complaint(NamedTuple):
    """A word, or a flag with its value, that the server does not take as it stands.

    kind: `unknown`, `ambiguous`, `dash` (a single one), `typeset` (a dash that is none of ASCII), `joined` (a flag and
    its value in one word, with a space between), `too-new`, `no-value` (it lacks one), `takes-none`,
    `bad-value`, `half-read` (a number with more behind it) or `stray` (a word of no flag). flag: the name as written,
    without dashes. form: what its value should be, what was read of it, or the release that brought the flag. names:
    those that may be meant.
    """

    kind: str
    flag: str
    value: str = ""
    form: str = ""
    names: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The name, or the word, for a message: a line break in it as an escape."""
        return _escaped(self.flag)

    @property
    def shown_value(self) -> str:
        """The value, the same."""
        return _escaped(self.value)


def _escaped(text: str) -> str:
    return text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def meant(name: str) -> tuple[str, ...]:
    """The flags that a name means to `getopt_long`: itself, or all that begin with it."""
    return (name,) if name in FORMS else tuple(sorted(one for one in FORMS if name and one.startswith(name)))


@cache
def complaints(words: tuple[str, ...], release: Release | None) -> tuple[Complaint, ...]:
    """What the server does not take of its arguments, in their order. A word that holds something to be filled in is
    not judged."""
    found: list[Complaint] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            found += [Complaint("stray", one) for one in words[at:] if not _OPEN.search(one)]
            break
        typeset = word.lstrip("-" + _DASHES)
        if typeset and any(dash in word[: len(word) - len(typeset)] for dash in _DASHES):
            found.append(Complaint("typeset", typeset.partition("=")[0], names=meant(typeset.partition("=")[0])))
            if "=" not in typeset and at < len(words) and words[at][:1] not in ("-", *_DASHES):
                at += 1
            continue
        if not word.startswith("-") or word == "-":
            if word and not _OPEN.search(word):
                found.append(Complaint("stray", word))
            continue
        name, equals, value = word[2:].partition("=") if word.startswith("--") else (word[1:].partition("="))
        if _OPEN.search(name):
            continue
        if not word.startswith("--"):
            found.append(Complaint("dash", name, names=meant(name)))
            if not equals and at < len(words) and not words[at].startswith("-"):
                at += 1
            continue
        names = meant(name)
        head, _, rest = word[2:].partition(" ")
        if " " in name and len(meant(head)) == 1 and not _OPEN.search(rest):
            found.append(Complaint("joined", meant(head)[0], rest.strip().removeprefix("=").strip()))
            continue
        if len(names) != 1:
            found.append(Complaint("ambiguous" if names else "unknown", name, names=names or _near(name)))
            if not equals and not names and at < len(words) and not words[at].startswith("-"):
                at += 1
            continue
        full = names[0]
        if release is not None and full in SINCE and release[:2] <= SINCE[full][0]:
            found.append(Complaint("too-new", full, form="{:02}.{:02}".format(*SINCE[full][1])))
        if not FORMS[full]:
            found += [Complaint("takes-none", full, value)] if equals else []
            continue
        if not equals:
            if at >= len(words):
                found.append(Complaint("no-value", full, form=FORMS[full]))
                continue
            value = words[at]
            at += 1
            if value.startswith("--") and FORMS[full] != "a text":
                found.append(Complaint("no-value", full, value, FORMS[full]))
                continue
        found += _judged(full, value)
    return tuple(found)


def _judged(name: str, value: str) -> list[Complaint]:
    form = FORMS[name]
    if _OPEN.search(value) or (name == "log-verbose" and value == "true"):
        return []
    pattern = _PATTERNS.get(form)
    if pattern is None:
        return [Complaint("bad-value", name, value, "a name")] if name == "model-config-name" and not value else []
    match = pattern.fullmatch(value) if form in _WHOLE else pattern.match(value)
    if match is None:
        return [Complaint("bad-value", name, value, form)]
    if form in ("a whole number", "a number", "`<GPU>:<bytes>`", "`<GPU>:<fraction>`"):
        rest = value[match.end() :]
        if form == "`<GPU>:<fraction>`":
            return _fraction(name, value)
        if rest.strip() and not (form == "a number" and re.fullmatch(r"e[+-]?\d+", rest, re.IGNORECASE)):
            return [Complaint("half-read", name, value, match[0].strip())]
    return []


def _fraction(name: str, value: str) -> list[Complaint]:
    """The limit of GPU memory must lie between 0 and 1 (core `tritonserver.cc`)."""
    try:
        inside = 0.0 <= float(value.partition(":")[2]) <= 1.0
    except ValueError:
        return []
    return [] if inside else [Complaint("bad-value", name, value, "`<GPU>:<fraction>` with a fraction from 0 to 1")]


def _near(name: str) -> tuple[str, ...]:
    """The flag that an unknown name may stand for."""
    from tritoncheck.schema.advice import nearest

    dashed = name.lower().replace("_", "-")
    if dashed in FORMS:
        return (dashed,)
    near = nearest(dashed, (one.replace("-", "_") for one in FORMS))
    return (near.replace("_", "-"),) if near else ()


def as_words(flags: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Flags that were read before, as words."""
    return tuple(f"--{name}={value}" if value else f"--{name}" for name, value in flags)
