"""Files of variables: `.env` and `env_file` of Compose, `--env-file` of the engine, each variable with its place.

Both grammars are those of the programs: Compose takes quotes, comments behind values and other variables, the engine
takes what stands behind the `=` letter by letter. Source: compose-go `dotenv/parser.go`, 2.0 to 2.9; docker/cli
`opts/envfile.go` and `pkg/kvfile/kvfile.go`, 20.10 to 29.0; what the engine refuses was tried with docker 20.10.24 and
28.2.2. Opens nothing and never fails: a line of no variable is left out and said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tritoncheck.deployment.files import FileError, Files
from tritoncheck.deployment.interpolate import Filled, fill
from tritoncheck.deployment.lines import Lines
from tritoncheck.deployment.reading import Fault
from tritoncheck.rule import Span

# White space within a line, to compose-go's parser.
_SPACE = r"[ \t\v\f\r\x85\xa0]"
_GAP = re.compile(r"\s*(?:#[^\n]*\s*)*")
_KEY = re.compile(rf"(?:export[ \t]+)?([\w.\-\[\]]+){_SPACE}*(?:([=:]){_SPACE}*|(?=\n|\Z))")
_QUOTED = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_COMMENT = re.compile(r"\s+#")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# `\$` is a dollar that begins no variable, which `$$` is for whoever puts variables in.
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "$": "$$"}
# No start of a server hangs on a longer value, nor on a file of more: a variable could be doubled in each line.
_LONGEST = 1024
_MOST_FAULTS = 20  # that are told one by one
MOST_CHARACTERS = 64 * 1024


class Setting(NamedTuple):
    """One variable. value: None where it is not known: a name alone has the value of the surroundings, a long value is
    not kept. missing: the variables that it hangs on and that nothing sets."""

    value: str | None
    span: Span = Span("")
    missing: tuple[str, ...] = ()


class Settings(NamedTuple):
    """The variables of a file, by name, and what is wrong with other lines."""

    values: dict[str, Setting]
    faults: tuple[Fault, ...] = ()


def known_values(settings: Settings) -> dict[str, str]:
    """The values that are known, by name."""
    return {name: one.value for name, one in settings.values.items() if one.value is not None}


Read = Callable[[str, str], Settings]


def read_settings(path: str, files: Files, read: Read) -> Settings:
    """The variables of a file, by one of the readers below. FileError where it cannot be read."""
    text = files.read(path)
    if len(text) > MOST_CHARACTERS:
        raise FileError(f"{len(text)} characters, too large for a file of variables")
    return read(text, path)


def read_dotenv(text: str, path: str, known: Mapping[str, str] | None = None) -> Settings:
    """A file as Compose reads it. Variables that are known, and those before, can be used by those behind."""
    lines, values = Lines(text, path), dict(known or {})
    found: dict[str, Setting] = {}
    faults = _Faults(lines)
    at = 0
    while (at := _past_gap(text, at)) < len(text):
        key, stop = _KEY.match(text, at), _line_end(text, at)
        value, end = _value(text, key, values) if key is not None else ("no NAME=value", stop)
        if key is None or isinstance(value, str):
            faults.add(at, stop, str(value))
            at = stop
            continue
        name = key.group(1)
        found[name] = value._replace(span=lines.span(at, end))
        values.pop(name, None)
        if value.value is not None:
            values[name] = value.value
        at = _line_end(text, end)  # what stands behind a closed quote is passed over
    return Settings(found, faults.told())


def _value(text: str, key: re.Match[str], values: Mapping[str, str]) -> tuple[Setting | str, int]:
    """The value behind a key, or what is wrong with it, and where it ends."""
    at, bare = key.end(), key.start() + len(key.group().rstrip())
    if key.group(2) is None:
        return setting_of(key.group(1), values), bare
    quoted = _QUOTED.match(text, at)
    if quoted is None and text[at : at + 1] in ("'", '"'):
        return "a quote that is not closed", at
    if quoted is not None:
        end, inner = quoted.end(), quoted.group(2)
        if inner is None:
            return _kept(Filled(quoted.group(1))), end
        raw = _ESCAPE.sub(lambda one: _ESCAPES.get(one[1], one[1]), inner)
    else:
        raw = _COMMENT.split(text[at : _line_end(text, at)], maxsplit=1)[0].rstrip()
        end = at + len(raw) if raw else bare
    return _kept(fill(raw, values, most=_LONGEST)), end


def setting_of(name: str, known: Mapping[str, str]) -> Setting:
    """A variable that is named and gets no value: that of the surroundings, as far as it is known."""
    return Setting(known.get(name), missing=() if name in known else (name,))


def _kept(filled: Filled) -> Setting:
    known = filled.known and len(filled.text) <= _LONGEST
    return Setting(filled.text if known else None, missing=filled.missing)


def read_plain(text: str, path: str) -> Settings:
    """A file as the engine reads `--env-file`, and Compose one of `format: raw`: no quotes, nothing put in."""
    lines = Lines(text, path)
    found: dict[str, Setting] = {}
    faults = _Faults(lines)
    for start in lines.starts:
        line = text[start : _line_end(text, start)].removesuffix("\r")
        bare = (line.removeprefix("\ufeff") if start == 0 else line).lstrip(" \t")
        if not bare.strip() or bare.startswith("#"):
            continue
        name, equals, value = bare.partition("=")
        first, end = start + len(line) - len(bare), start + len(line.rstrip())
        if not name or " " in name or "\t" in name:
            why = f"the name `{name}` holds a space" if name else "no name before the `=`"
            faults.add(first, end, why)
        else:
            kept = value if equals and len(value) <= _LONGEST else None
            found[name] = Setting(kept, lines.span(first, end), () if equals else (name,))
    return Settings(found, faults.told())


def _past_gap(text: str, at: int) -> int:
    """Behind white space and comments."""
    found = _GAP.match(text, at)
    return found.end() if found else at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


class _Faults:
    """The faults of a file: the first ones with their places, the others as a number."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._found: list[tuple[int, int, str]] = []
        self._more = 0

    def add(self, start: int, end: int, what: str) -> None:
        """One more line of which no variable can be read; `end` may lie behind white space."""
        if len(self._found) < _MOST_FAULTS:
            self._found.append((start, end, what))
        else:
            self._more += 1

    def told(self) -> tuple[Fault, ...]:
        """What is to be said of them."""
        return tuple(self._fault(*one, last=one is self._found[-1]) for one in self._found)

    def _fault(self, start: int, end: int, what: str, last: bool) -> Fault:
        stop = start + len(self._lines.text[start:end].rstrip())
        more = f", and {self._more} more such lines" if last and self._more else ""
        span = self._lines.span(start, stop)
        return Fault(f"no variable can be read from this line: {what}{more}", span, "write NAME=value")
