"""What an instrumented module showed, as the frames of its bindings."""

from __future__ import annotations

from collections import Counter
from typing import Any

from refrelax.backends.executable import Frame
from refrelax.interop.tvm.instrument import Instrumented, Site, used
from refrelax.semantics.values import Opaque
from refrelax.syntax.graph import Binding
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.write.lines import nodes


class Frames:
    """The frames of a run, in order: ``take`` is told each call as it happens.

    A scope stands for each call of a function that has not been left; a value is the one shown last.
    """

    def __init__(self, shown: Instrumented) -> None:
        self.shown = shown
        self.frames: list[Frame] = []
        self.why: Counter[str] = Counter(dict(shown.unobserved))
        self.scopes: list[dict[str, Any]] = []
        self.closures: dict[str, list[dict[str, Any]]] = {}
        """Where each local function was made."""
        self.seen: set[int] = set()

    def take(self, number: int, values: list[Any] | None) -> None:
        """One call of a site; ``None``: too much was shown already."""
        site = self.shown.sites[number]
        self.seen.add(number)
        match site.kind:
            case "enter":
                self.scopes.append(self.captured(site.path))
            case "made" if site.binding is not None:
                self.closures.setdefault(f"{site.path}/{site.binding.name}", []).append(self.scopes[-1])
                return
            case "leave":
                self.scopes.pop()
                return
            case _:
                pass
        if values is None:
            self.why["more than can be kept"] += site.kind == "after"
            return
        scope = self.scopes[-1]
        before = {name: value for name, value in scope.items() if site.kind == "after"}
        for name, value in zip(site.shown, values, strict=False):
            scope[name] = value
        if site.symbols:
            scope.update(zip(site.symbols, values[-1].dims, strict=True))
        if site.binding is not None and (site.path, site.binding.name) not in self.shown.composite:
            self.bound(site, site.binding, before, scope[site.binding.name])

    def captured(self, path: str) -> dict[str, Any]:
        """What a function finds in scope: nothing, or what its one maker had. One that was made several times cannot be
        told from its kin, and finds nothing."""
        made = self.closures.get(path, [])
        return dict(made[0]) if len(made) == 1 else {}

    def bound(self, site: Site, binding: Binding, before: dict[str, Any], value: Any) -> None:
        """The value of one binding."""
        inputs = set(used(binding)) - {binding.name}
        symbols = {each.name for each in nodes(binding) if isinstance(each, SymVar)}
        if any(name not in before or _opaque(before[name]) for name in inputs):
            self.why["an input that cannot be shown"] += 1
        elif _opaque(value):
            self.why["an object"] += 1
        else:
            names = {name: before[name] for name in sorted(inputs | symbols) if name in before}
            self.frames.append(Frame(site.path, binding.name, names, value, done=True))

    def ended(self, why: str) -> None:
        """The run went no further than what was taken: what it did not come to is not observed."""
        left = [k for k, site in enumerate(self.shown.sites) if site.binding is not None and k not in self.seen]
        self.why[why] += len(left)

    def unobserved(self) -> tuple[tuple[str, int], ...]:
        """How many bindings have no frame, by the reason."""
        return tuple((why, count) for why, count in sorted(self.why.items()) if count)


def _opaque(value: Any) -> bool:
    """Whether the value, or a part of it, is an object that only TVM can hold."""
    if isinstance(value, tuple):
        return any(map(_opaque, value))
    return isinstance(value, Opaque)
