"""What a log tells of one start, model by model: folds events into a history, without judging it.

The lines that place an event are those of core `model_lifecycle.cc`, `model_repository_manager.cc`,
`backend_model.cc` and `server.cc`, 22.11 to 26.08; they are measured on 2.28.0 to 2.51.0. Knows the signatures only to
keep lines that match one; which of them is a cause is for `classify` to say.
"""

from __future__ import annotations

import re

from tritoncheck.stress.logs import Event
from tritoncheck.stress.owners import Owners
from tritoncheck.stress.signatures import Match, find, loss
from tritoncheck.stress.tables import MODELS
from tritoncheck.stress.trail import Failure, Hit, ModelHistory

_LOADING = re.compile(r"loading: (?P<model>.+):(?P<version>-?\d+)")
_LOADED = re.compile(r"successfully loaded '(?P<model>[^']+)'(?: version (?P<version>-?\d+))?")
_FAILED = re.compile(r"failed to load '(?P<model>[^']+)' version (?P<version>-?\d+): (?P<why>.*)", re.DOTALL)
_GIVEN_UP = re.compile(r"failed to load '(?P<model>[^']+)'\s*\Z")
_REFUSED = re.compile(
    r"(?:Poll failed for model directory|failed to poll model|failed to load model) '(?P<model>[^']+)': (?P<why>.*)",
    re.DOTALL,
)
_ENSEMBLE = re.compile(
    r"(?:[A-Z][a-z ]{0,20}: )?(?P<why>(?:circular dependency between ensembles: |(?:in )?ensemble )"
    r"'?(?P<model>[^\s',:]+)'?.*)",
    re.DOTALL,
)
_NEEDS = re.compile(r"depends on '(?P<one>[^']+)' which |not available or ambiguous: (?P<many>.*)")
_INSTANCE = "ERROR: Failed to create instance: "
_UNLOADED = re.compile(r"successfully unloaded '(?P<model>[^']+)'")
# Failed instances that wait for the line which names their model.
_WAITING = 256
_BEGINS = ("Pinned memory pool ", "Unable to allocate pinned system memory, pinned memory pool will not")
_SERVICE = re.compile(r"Started (GRPCInferenceService|HTTPService) at")
_BANNER = re.compile(r"Triton Server Version (?P<version>[\w.]{1,40})\s*\Z")
_STOP = re.compile(r"Signal \((?:2|15)\) received|Waiting for in-flight requests to complete")
_REFUSAL = re.compile(r"error: creating server: |failed to start \S+ service|Error: |error: ")


class History:
    """One start, event by event."""

    def __init__(self) -> None:
        self.models: dict[str, ModelHistory] = {}
        self.options: dict[str, str] = {}
        self.hits: list[Hit] = []
        self.server: list[tuple[Event, Match]] = []
        self.refusals: list[Event] = []
        self.orphans: list[Failure] = []
        self.levels: set[str] = set()
        self.banner = ""
        self.serving = 0
        self.stopping = 0
        self.table = 0
        self.first = self.last = 0
        self.order = 0
        self._open: set[str] = set()
        self._waiting: list[Failure] = []

    @property
    def begun(self) -> bool:
        """Whether anything was seen that a second start cannot be a part of."""
        return bool(self.models or self.options or self.serving or self.table or self.refusals)

    @property
    def recognised(self) -> bool:
        """Whether anything of it looks like the log of a Triton server."""
        return bool(self.levels - {""} or self.begun or self.server)

    @staticmethod
    def begins(event: Event) -> bool:
        """Whether a server starts here: the container's banner, or its first message (core
        `pinned_memory_manager.cc`, `Create`)."""
        if not event.source:
            return event.first.strip("= ") == "Triton Inference Server"
        return event.source.startswith("pinned_memory_manager.cc") and event.text.startswith(_BEGINS)

    def feed(self, event: Event) -> None:
        """Take in the next event."""
        self.order += 1
        self.first = self.first or event.line
        self.last = event.line
        if event.row is not None:
            self._row(event)
            return
        self.levels.add(event.level)
        if event.level == "I" or event.level == "":
            if self._told(event):
                return
        elif self._failed(event):
            return
        self._other(event)

    def model(self, name: str) -> ModelHistory:
        """The history of a model, a new one if need be."""
        return self.models.setdefault(name, ModelHistory(name))

    def _told(self, event: Event) -> bool:
        """Lines that are no errors."""
        first = event.first
        if first.startswith("loading: ") and (found := _LOADING.match(first)):
            self._began(self.model(found["model"]), int(found["version"]), event)
        elif first.startswith("successfully loaded ") and (found := _LOADED.match(first)):
            self._loaded(self.model(found["model"]), found["version"], event)
        elif first.startswith("failed to load '") and (found := _GIVEN_UP.match(first)):
            model = self.model(found["model"])
            model.given_up = True
            model.ended, model.ended_order = event.line, self.order
            self._open.discard(model.name)
        elif found := _SERVICE.match(first):
            self.serving = self.serving or event.line
        elif not event.level and (found := _BANNER.match(first)):
            self.banner = found["version"]
        elif _STOP.match(first):
            self.stopping = self.stopping or event.line
        elif not (event.level == "I" and _UNLOADED.match(first)):
            return False
        return True

    def _began(self, model: ModelHistory, version: int, event: Event) -> None:
        late = [one.time for one in model.failures if one.time and event.time and one.time >= event.time]
        if late and not model.began:
            # The other stream was faster: this load has failed already.
            model.began, model.began_order = event.line, 1
            return
        if not model.loading:
            fresh = ModelHistory(model.name, event.line, began_order=self.order, loads=model.loads + 1)
            fresh.rows = model.rows
            self.models[model.name] = model = fresh
        model.versions[version] = "loading"
        self._open.add(model.name)

    def _loaded(self, model: ModelHistory, version: str | None, event: Event) -> None:
        """To 23.04 each version says so, from 23.05 on the model does once all its versions are there."""
        if version is not None:
            model.versions[int(version)] = "ready"
            if "failed" in model.versions.values() or "loading" in model.versions.values():
                return
        model.ready = model.ended = event.line
        model.ended_order = self.order
        self._open.discard(model.name)
        model.versions = dict.fromkeys(model.versions, "ready")
        model.retried += model.failures
        model.failures = []

    def _failed(self, event: Event) -> bool:
        """Errors and warnings that say of a model that it failed."""
        text = event.text
        if text.startswith(_INSTANCE):
            self._waiting.append(Failure(event.line, self.order, text[len(_INSTANCE) :], text))
            if len(self._waiting) > _WAITING:
                self.orphans.append(self._waiting.pop(0))
        elif text.startswith("failed to load '") and (found := _FAILED.match(text)):
            model = self.model(found["model"])
            failure = Failure(event.line, self.order, found["why"], text, int(found["version"]), event.time)
            model.versions[int(found["version"])] = "failed"
            model.failures.append(failure)
            model.ready, model.ended, model.ended_order = 0, event.line, self.order
            self._take_instances(model, failure)
        elif found := _REFUSED.match(text):
            self._refuse(found["model"], Failure(event.line, self.order, found["why"], text))
        elif event.source.startswith("model_repository_manager.cc") and (found := _ENSEMBLE.match(text)):
            model = self._refuse(found["model"], Failure(event.line, self.order, found["why"], text))
            if needs := _NEEDS.search(event.first):
                names = [needs["one"]] if needs["one"] else needs["many"].replace(",", " ").split()
                model.needs = tuple(names)
        else:
            return False
        return True

    def _refuse(self, name: str, failure: Failure) -> ModelHistory:
        fresh = ModelHistory(
            name, refused=failure, ended=failure.line, ended_order=failure.order, rows=self.model(name).rows
        )
        self.models[name] = fresh
        return fresh

    def _take_instances(self, model: ModelHistory, failure: Failure) -> None:
        """The failed instances of a model are told just before it, without its name; others may stand in between."""
        owners = Owners(self.models)
        left: list[Failure] = []
        following = failure.order
        for one in reversed(self._waiting):
            owner = owners.of(one.why)
            next_to = one.order == following - 1 or one.why.strip() in failure.why
            if owner == model.name or (next_to and not owner):
                model.instances.append(one)
                following = one.order
            else:
                left.append(one)
        model.instances.sort(key=lambda one: one.order)
        self._waiting = left[::-1]

    def _row(self, event: Event) -> None:
        assert event.row is not None
        head, cells = event.row.head, event.row.cells
        if head == MODELS and len(cells) == 3 and cells[0]:
            self.table = self.table or event.line
            self.model(cells[0]).rows[cells[1]] = (event.line, cells[2])
        elif head == ("Option", "Value") and len(cells) == 2:
            self.options[cells[0]] = cells[1]

    def _other(self, event: Event) -> None:
        """A line that may tell a cause, a loss, or what happened to the whole server."""
        stub = event.level == "I" and event.source.startswith("pb_stub.cc")
        if event.level == "I" and not stub:
            return
        # Once requests are served and nothing loads, errors are those of requests.
        if self._open or not self.serving:
            match, lost = find(event.text, "line"), loss(event.text)
            if match is not None or lost is not None:
                self.hits.append(Hit(event, self.order, match, lost))
        if stub:
            return
        if (found := find(event.first, "server")) is not None:
            self.server.append((event, found))
        if _REFUSAL.match(event.first):
            self.refusals.append(event)

    @property
    def unclaimed(self) -> list[Failure]:
        """Failed instances whose model has not told its end."""
        return [*self.orphans, *self._waiting]
