"""What a recording is made of: steps, memory, places where meaning was lost; and its documented JSON form.

``docs/trace-format.md`` says what the keys mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from refrelax.errors import Outcome, Returned, Span
from refrelax.judge.outcomes import cores
from refrelax.version import SPEC_EDITION, __version__
from refrelax.views.shown import shown

FORMAT = 2
"""The version of the trace format; it grows when a reader of the old form would go wrong."""


Place = list[Any]
"""Where a tensor is: its memory, the bit there where its first element begins, and, unless they are row-major, the
strides of its axes, in elements."""


@dataclass(slots=True)
class RecordedStep:
    """One thing that happened.

    ``kind``: ``call`` (a function of the module), ``bind``, ``match`` (a match_cast), ``allocate``, ``loop`` (a loop
    variable takes a value; ``tag``: the thread that it stands for), ``read`` and ``write`` (an element of a buffer),
    ``block`` (threads that wait for each other start), ``thread`` (one of them goes on), ``front`` (threads met),
    ``effect``. ``parent``: the step that it is part of, by number. ``end``: the first step after it.
    """

    number: int
    kind: str
    path: str
    name: str
    parent: int | None
    span: Span | None = None
    end: int = 0
    value: Any = None
    symbols: dict[str, Any] | None = None
    rules: tuple[str, ...] = ()
    memory: int | None = None
    index: list[int] | None = None
    bit: int | None = None
    """Of an access: the first bit of the element in the memory; nothing if it is outside of it."""
    dtype: str = ""
    """Of an access: the dtype of the element, where it is not that of the memory."""
    tag: str = ""
    stored: list[dict[str, Any]] = field(default_factory=list)
    """Of a call, or a binding that calls a library function: the arguments that are others after it."""
    fresh: list[int] = field(default_factory=list)
    """Of a block of threads: the memory that it shares, in which no element is written yet."""
    parameters: list[str] = field(default_factory=list)
    places: list[Place | None] = field(default_factory=list)
    """Of a call: where each argument is; of a binding: where what is bound is."""
    equations: dict[str, str] = field(default_factory=dict)
    """Of a call or a match_cast: the symbols that it binds, and from where."""

    def json(self) -> dict[str, Any]:
        """The step, absent fields left out."""
        found: dict[str, Any] = {"kind": self.kind, "name": self.name, "path": self.path, "end": self.end}
        optional = {
            "parent": self.parent, "value": self.value, "symbols": self.symbols, "rules": list(self.rules) or None,
            "memory": self.memory, "index": self.index, "bit": self.bit, "dtype": self.dtype or None,
            "tag": self.tag or None, "fresh": self.fresh or None, "stored": self.stored or None,
            "parameters": self.parameters or None,
            "places": self.places or None, "equations": self.equations or None,
            "span": None if self.span is None else [self.span.line, self.span.column],
        }  # fmt: skip
        return found | {key: each for key, each in optional.items() if each is not None}


@dataclass(slots=True)
class Memory:
    """One run of bytes: its own, or a part of a planned storage (``inside``, from byte ``offset``). ``born`` and
    ``died``: steps; ``names``: the variables that named it, in order."""

    number: int
    bytes: int
    scope: str
    born: int
    name: str = ""
    names: list[str] = field(default_factory=list)
    inside: int | None = None
    offset: int = 0
    died: int | None = None
    dtype: str = ""
    shape: tuple[int, ...] = ()
    own: bool = False
    """Whether it was allocated inside a loop-level function, and dies with its call."""

    def json(self) -> dict[str, Any]:
        """The memory, absent fields left out."""
        found: dict[str, Any] = {
            "bytes": self.bytes, "scope": self.scope, "name": self.name, "names": self.names, "born": self.born,
            "died": self.died,
        }  # fmt: skip
        if self.inside is not None:
            found |= {"inside": self.inside, "offset": self.offset}
        return found if not self.dtype else {**found, "dtype": self.dtype, "shape": list(self.shape)}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where elements without meaning first appeared: the step, the rule, what was said, and how many."""

    step: int
    rule: str
    why: str
    count: int


@dataclass(slots=True)
class Recording:
    """A recorded run. ``types``: the deduced type of each binding, by function; ``truncated``: steps were not kept."""

    text: str
    file: str
    entry: str
    numerics: str
    steps: list[RecordedStep]
    memory: list[Memory]
    origins: list[Origin]
    outcome: Outcome
    types: Mapping[str, Mapping[str, str]]
    arguments: list[Any]
    truncated: bool = False

    def __repr__(self) -> str:
        return f"<Recording of {self.entry}: {len(self.steps)} steps, {type(self.outcome).__name__}>"

    def _repr_html_(self) -> str:
        from refrelax.views.stepper import page

        style = "width:100%;height:620px;border:1px solid #ccc"
        return f'<iframe style="{style}" sandbox="allow-scripts" srcdoc="{escape(page(self.json()))}"></iframe>'

    def json(self) -> dict[str, Any]:
        """The documented trace format."""
        ended: dict[str, Any] = {"kind": type(self.outcome).__name__}
        for name in ("rule", "message", "what", "binding"):
            if getattr(self.outcome, name, ""):
                ended[name] = getattr(self.outcome, name)
        if isinstance(self.outcome, Returned):
            ended["value"] = shown(cores(self.outcome.value))
            ended["arguments"] = [shown(cores(each)) for each in self.outcome.arguments]
        return {
            "format": FORMAT, "edition": SPEC_EDITION, "version": __version__, "file": self.file, "text": self.text,
            "entry": self.entry, "numerics": self.numerics, "arguments": self.arguments,
            "types": {name: dict(each) for name, each in self.types.items()},
            "steps": [each.json() for each in self.steps], "truncated": self.truncated,
            "memory": [each.json() for each in self.memory],
            "poison": [{"step": o.step, "rule": o.rule, "why": o.why, "count": o.count} for o in self.origins],
            "outcome": ended,
        }  # fmt: skip
