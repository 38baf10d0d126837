"""What does not fit the schema, as problems: which place is hurt, at which token libprotobuf sees it, what it prints.

Knows the document and the release; the walk over the tree is `bind`'s, the words for people are `wording`'s.
"""

from __future__ import annotations

from tritoncheck.schema import wording
from tritoncheck.schema.advice import exact_value, is_slip, meant_name
from tritoncheck.schema.descriptors import FieldInfo, MessageInfo, Release, lives
from tritoncheck.schema.values import Fault, expectation
from tritoncheck.textproto import Document, Field, Kind, List, Message, Missing, Node, Problem, Scalar
from tritoncheck.textproto.problem import Faults
from tritoncheck.textproto.strings import decode

Path = tuple[str | int, ...]

_HOLE, _IDENTIFIER = int(Kind.HOLE), int(Kind.IDENTIFIER)
_MOST_UNKNOWN = 1_000  # paths kept; a text with more wrong fields is no model configuration


class Misfits:
    """Collects the problems and the unknown paths of one binding."""

    def __init__(self, document: Document, release: Release) -> None:
        self.document = document
        self.release = release
        self.faults = Faults(document.lenient)
        self.unknown: list[Path] = []
        self._wrong_tokens = _wrong_tokens(document) if document.lenient else set[int]()

    def hide(self, path: Path) -> None:
        """Remember that what stands at a path is not known."""
        if len(self.unknown) < _MOST_UNKNOWN:
            self.unknown.append(path)
        elif len(self.unknown) == _MOST_UNKNOWN:
            self.unknown.append(())

    def no_field(self, node: Message, number: int, info: MessageInfo, path: Path) -> tuple[int, Field | None]:
        """A name that the message lacks.

        The number of the next entry that is not part of the same mistake; and the entry with its right name, if a
        person will read of it and it is plain which name was meant.
        """
        entry, after = node.fields[number], number + 1
        follower = node.fields[after] if after < len(node.fields) else None
        last, meant, guess, room = entry.token, "", None, "unknown-field"
        if follower is not None and self._is_bare(entry) and f"{entry.name}_{follower.name}" in info.fields:
            last, meant, after = follower.token, f"{entry.name}_{follower.name}", after + 1
            guess = Field(meant, follower.token, follower.colon, follower.value)
        elif self._is_bare(entry):
            after, last = self._bare_words(node, number, info)
            room = "words"
        start, end = self._span(entry.token, last)
        end = max(end, start + len(entry.name))  # the lenient reading joins `max-batch-size`
        if self.faults.room(room, start, end):
            here = ".".join(step for step in path if isinstance(step, str))
            known = [name for name, spec in info.fields.items() if lives(spec.since, spec.until, self.release)]
            message = f"`{self._cut(start, end)}`: no such field in `{info.name}`"
            if not meant:
                meant = meant_name(entry.name, known, here) or ""
                message += f"; did you mean `{meant}`?" if meant else ""
                if meant and is_slip(entry.name, meant) and _fits(entry.value, info.fields[meant]):
                    guess = Field(meant, entry.token, entry.colon, entry.value)
            advice = f"write `{meant}`" if meant else wording.homes_of(entry.name, here, known)
            server = f'Message type "inference.{info.name}" has no field named "{entry.name}".'
            hurt = (*path, meant or entry.name)
            self._keep("unknown-field", start, end, message, advice, entry.token + 1, server, hurt)
        self.hide((*path, meant or entry.name))
        return after, guess if self.document.lenient else None

    def _is_bare(self, entry: Field) -> bool:
        """Whether a name has no value, or one without a `:` between them: words, rather than a field."""
        return type(entry.value) is Missing or type(entry.value) is Scalar and not entry.colon

    def _bare_words(self, node: Message, number: int, info: MessageInfo) -> tuple[int, int]:
        """The entry behind the bare words of a line, which are one mistake, and the last token of these."""
        entries, text = node.fields, self.document.text
        start = self.document.tokens.starts[entries[number].token]
        line_end = text.find("\n", start)
        after = number + 1
        while after < len(entries) and entries[after].name not in info.fields and self._is_bare(entries[after]):
            if 0 <= line_end < self.document.tokens.starts[entries[after].token]:
                break
            after += 1
        last = entries[after - 1]
        return after, max(last.token, last.value.last)

    def not_in_release(self, entry: Field, spec: FieldInfo, info: MessageInfo, path: Path) -> None:
        """A field that the release does not have yet, or no more."""
        kind, said = wording.other_age(f"`{spec.name}`", spec.since, spec.until, self.release)
        server = f'Message type "inference.{info.name}" has no field named "{entry.name}".'
        self._add(kind, entry.token, entry.token, said, entry.token + 1, server, (*path, spec.name))

    def value_not_in_release(self, value: Scalar, name: str, spec: FieldInfo, path: Path) -> None:
        """An enum value that the release does not have yet, or no more."""
        assert spec.enum is not None
        kind, said = wording.other_age(f"`{name}`", spec.enum.since[name], spec.enum.until[name], self.release)
        server = f'Unknown enumeration value of "{name}" for field "{spec.name}".'
        self._add(kind, value.first, value.last, said, value.first + 1, server, (*path, spec.name))

    def given_twice(self, node: Message, entry: Field, path: Path) -> None:
        """A second value of a field that takes one."""
        name = entry.name
        said = f"`{name}` is given a second time; Triton does not merge the two", "keep one of the two"
        server = f'Non-repeated field "{name}" is specified multiple times.'
        self._second("duplicate-field", node, entry, name, said, server, path)

    def exclusive(self, node: Message, entry: Field, other: str, oneof: str, path: Path) -> None:
        """A second member of a oneof."""
        name = entry.name
        said = f"`{name}` and `{other}` exclude each other", "keep one of the two"
        server = f'Field "{name}" is specified along with field "{other}", another member of oneof "{oneof}".'
        self._second("second-oneof", node, entry, other, said, server, path)

    def _second(
        self, kind: str, node: Message, entry: Field, other: str, said: wording.Said, server: str, path: Path
    ) -> None:
        self.hide((*path, entry.name))
        if self.document.tokens.gaps:  # branches of a template: only one of them will be there
            self.hide((*path, other))
            return
        if self._add(kind, entry.token, entry.token, said, entry.token + 1, server, (*path, other)):
            # Without one by this name, the first was read out of a misspelt one.
            first = next((one.token for one in node.fields if one.name == other), None)
            if first is not None:
                self.faults.kept[-1].related = ((*self._span(first, first), "first given here"),)

    def no_colon(self, entry: Field, spec: FieldInfo, path: Path) -> None:
        """A scalar field, or a list of scalars, without `:`."""
        at = entry.token + 1
        said = f"`:` is missing behind `{entry.name}`", f"write `{entry.name}:`"
        if type(entry.value) is Missing:
            said = wording.missing_value(spec, False)
        server = f'Expected ":", found "{self.document.token(at)}".'
        self._add("syntax", entry.token, entry.token, said, at, server, (*path, spec.name))

    def no_block(self, entry: Field, value: Node, spec: FieldInfo, path: Path) -> None:
        """Something other than `{ … }` where a message is due."""
        at, hurt = value.first, (*path, spec.name)
        server = f'Expected "{{", found "{self.document.token(at)}".'
        if type(value) is Missing:
            said = wording.missing_value(spec, False)
            self._add("syntax", entry.token, entry.token, said, at, server, hurt)
        elif type(value) is not Scalar:
            self._add("wrong-type", at, at, wording.wrong_shape(spec, "a list"), at, server, hurt)
        elif not self._hole(value, spec, hurt):
            said = wording.wrong_shape(spec, f"`{self._shown(value)}`")
            self._add("wrong-type", at, value.last, said, at, server, hurt)

    def no_scalar(self, entry: Field, value: Node, spec: FieldInfo, path: Path) -> None:
        """A list, a block or nothing where a scalar is due."""
        at, hurt = value.first, (*path, spec.name)
        server = f"{expectation(spec)}, got: {self.document.token(at)}"
        if type(value) is Missing:
            token = max(value.last, entry.token)
            self._add("syntax", token, token, wording.missing_value(spec, True), at, server, hurt)
        elif type(value) is Message and self._is_word_in_braces(value):
            said = wording.not_filled_in(self._shown(value), spec)
            self._add("placeholder", at, value.last, said, at, server, hurt)
        else:
            said = wording.wrong_shape(spec, "a list" if type(value) is List else "a block")
            self._add("wrong-type", at, at, said, at, server, hurt)

    def _is_word_in_braces(self, value: Message) -> bool:
        """Whether a block is a placeholder of Python's `str.format`: `{name}`."""
        fields = value.fields
        touching = self.document.tokens.ends[value.first] == self.document.tokens.starts[value.first + 1]
        return len(fields) == 1 and touching and type(fields[0].value) is Missing and not fields[0].colon

    def wrong_scalar(self, fault: Fault, value: Scalar, spec: FieldInfo, path: Path) -> None:
        """A scalar of another type, or out of range."""
        hurt = (*path, spec.name)
        if self._hole(value, spec, hurt):
            return
        values = []
        if spec.enum is not None:
            lives_in = zip(spec.enum.since.values(), spec.enum.until.values(), strict=True)
            values = [name for name, life in zip(spec.enum.values, lives_in, strict=True) if lives(*life, self.release)]
        said = wording.wrong_scalar(self._shown(value), fault.reason, spec, values)
        kind = "enum-value" if spec.enum is not None and fault.reason == "name" else "wrong-type"
        if self._add(kind, value.first, value.last, said, fault.token, fault.server, hurt) and kind == "enum-value":
            self.faults.kept[-1].instead = exact_value(self._shown(value), values)

    def _hole(self, value: Scalar, spec: FieldInfo, hurt: Path) -> bool:
        """Report a placeholder in place of a value; False where the value is none.

        A bare word in capitals (`dims: [ TOPK ]`) is one, too, where a number is due.
        """
        kind, text = self.document.tokens.kinds[value.first], self.document.token(value.first)
        if kind != _HOLE:
            is_number = spec.kind not in ("string", "bool", "enum", "message")
            is_word = kind == _IDENTIFIER and value.first == value.last and len(text) > 1 and text.isupper()
            if not (self.document.lenient and is_number and is_word):
                return False
        said = wording.not_filled_in(self._shown(value), spec)
        self._add("placeholder", value.first, value.last, said, -1, "", hurt)
        return True

    def _shown(self, value: Node) -> str:
        return self._cut(*self._span(value.first, value.last))

    def _cut(self, start: int, end: int) -> str:
        """The text of a span, at most so much as fits a line."""
        shown = " ".join(decode(self.document.text[start : min(end, start + 200)]).split())
        return shown if len(shown) <= 60 else shown[:60] + "…"

    def _span(self, first: int, last: int) -> tuple[int, int]:
        return self.document.tokens.starts[first], self.document.tokens.ends[max(first, last)]

    def _add(self, kind: str, first: int, last: int, said: wording.Said, token: int, server: str, path: Path) -> bool:
        """Hide the path, and keep a problem of the tokens `first` to `last`; whether it was kept."""
        self.hide(path)
        start, end = self._span(first, last)
        if self._wrong_tokens and not self._wrong_tokens.isdisjoint(range(first, max(first, last) + 1)):
            return False
        if not self.faults.room(kind, start, end):
            return False
        self._keep(kind, start, end, *said, token, server, path)
        return True

    def _keep(
        self, kind: str, start: int, end: int, message: str, advice: str, token: int, server: str, path: Path
    ) -> None:
        self.faults.kept.append(
            Problem(kind, start, end, message, advice, token, server_text=server, layer=1, path=path)
        )


def _wrong_tokens(document: Document) -> set[int]:
    """The tokens that are wrong in themselves, of which the lexer has told."""
    starts = document.tokens.starts
    return {one.token for one in document.problems if one.layer == 0 and one.start == starts[one.token]}


def _fits(value: Node, field: FieldInfo) -> bool:
    """Whether a value has the shape of a field's: a block, a scalar, or a list of these."""
    items = value.items if isinstance(value, List) else [value]
    return all(isinstance(item, Scalar if field.message is None else Message) for item in items)
