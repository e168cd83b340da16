"""Groups of bindings at float16 and bfloat16: steps in float32, each rounded to the narrow format if it is not exact.

A block of an operand is widened once and what leaves the group is narrowed once, so that a chain converts as often as
it has ends rather than at every step; the results are those of the steps one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from refrelax.backends.numpy_.fast_groups import COMPARE, LOGIC, SEVERAL, Group, Memory, Writes, operator, used
from refrelax.backends.numpy_.liveness import same_shape
from refrelax.backends.numpy_.names import local
from refrelax.backends.numpy_.operands import NARROW
from refrelax.syntax import bits
from refrelax.syntax.graph import Binding, Call, Constant, Op, VarBinding
from refrelax.syntax.types import TensorType

EXACT = frozenset({"maximum", "minimum", "negative", "abs", "nn.relu"})
ROUNDED = frozenset(
    {
        "add", "subtract", "multiply", "divide", "sqrt", "square",
        "exp", "tanh", "log", "sin", "cos", "sigmoid", "rsqrt", "erf", "nn.silu", "nn.gelu", "nn.gelu_tanh",
    }
)  # fmt: skip
"""Steps that are rounded once: float32 rounds those of the first row innocuously, and errs less in the others than the
narrow format can tell. An activation is several steps, each rounded (``STEPS``)."""

STEPS: dict[str, tuple[str, ...]] = {
    "nn.silu": (
        "np.negative({a}, out={t})", "np.exp({t}, out={t})", "{t} += {one}", "np.divide({one}, {t}, out={t})", "~{t}",
        "np.multiply({a}, {t}, out={d})",
    ),
    "nn.gelu": (
        "np.multiply({a}, {root_half}, out={t})", "~{t}", "rt.erf({t}, {t})", "~{t}", "{t} *= {half}", "{t} += {half}",
        "~{t}", "np.multiply({a}, {t}, out={d})",
    ),
    "nn.gelu_tanh": (
        "np.multiply({a}, {a}, out={t})", "~{t}", "{t} *= {cubic}", "~{t}", "{t} += {one}", "~{t}",
        "np.multiply({a}, {root}, out={u})", "~{u}", "{t} *= {u}", "~{t}", "np.tanh({t}, out={t})", "~{t}",
        "{t} += {one}", "~{t}", "np.multiply({a}, {half}, out={u})", "np.multiply({u}, {t}, out={d})",
    ),
}  # fmt: skip
"""Activations as ``SEVERAL`` tells them, ``~`` a rounding, where a loop program says these roundings: it permits no
others. The operator permits 4 units of the exact result. What is not rounded is exact, or rounded as any result is."""

ALONE = ROUNDED - {"add", "subtract", "multiply", "divide", "sqrt", "square"}
"""Steps that are worth a group of their own."""

SUMS = ("add", "subtract")

QUIET = frozenset({*SUMS, "multiply", "square", "where", *EXACT, *COMPARE, *LOGIC})
"""Steps that seldom give what ``narrow.near`` does not round: others underflow in the usual course of things."""


@dataclass(slots=True)
class NarrowGroup(Group):
    """A group whose first result has a narrow dtype, which is that of all its floats."""

    def _is_step(self, call: Call, made: TensorType) -> bool:
        name = call.op.name.removeprefix("relax.") if isinstance(call.op, Op) else ""
        narrow, kinds = self.type.dtype, [self._kind(each) for each in call.args]
        if name in EXACT or name in ROUNDED:
            return made.dtype == narrow and set(kinds) == {narrow}
        if name in COMPARE:
            return made.dtype == "bool" and set(kinds) == {narrow}
        if name in LOGIC:
            return made.dtype == "bool" and set(kinds) == {"bool"}
        return name == "where" and made.dtype == narrow and kinds == ["bool", narrow, narrow]

    @property
    def caller(self) -> str:
        if not self._upper:
            return "rt.blocked"
        return "rt.blocked_told" if all(operator(each) in QUIET for each in self.bindings) else "rt.blocked_upper"

    @property
    def _upper(self) -> bool:
        return self.type.dtype == "bfloat16"

    def worth(self) -> bool:
        if len(self.bindings) == 1 and operator(self.bindings[0]) not in ALONE:
            return False
        return bool(self.operands) and (len(self.operands) > 1 or self._has_whole())

    def _dtype(self, name: str) -> str:
        """Of the register that a value lies in."""
        return "float32" if self._made(name) in NARROW else self._made(name)

    def _divisors(self, outside: list[str]) -> set[str]:
        return set()  # a sigmoid is rounded before it is multiplied by

    def _over(self, outside: list[str]) -> str:
        return ""

    def _inline(self, outside: list[str]) -> bool:
        return False

    def define(self, outside: list[str], over: str) -> tuple[str, list[str]]:
        narrow = [name for name in outside if self._made(name) in NARROW]
        places = {name: f"o{k}_" for k, name in enumerate(outside)}
        homes = places | {name: f"v{k}_" for k, name in enumerate(narrow)}
        known = {name: f"w{k}_" if self._made(name) in NARROW else local(name) for k, name in enumerate(self.operands)}
        wide = [n for n in self.operands if self._made(n) in NARROW]
        whole = {known[n]: "float32" for n in wide if same_shape(self.writer.type_of(n), self.type)}
        lines = [f"{known[n]} = rt.widened({local(n)}{f', {known[n]}' if known[n] in whole else ''})" for n in wide]
        memory, kind = Memory(homes, known, homes=dict(whole)), f"rt.kinds[{self.type.dtype!r}]"
        if (end := self.bindings[-1].name) in narrow:  # where the last result goes is scratch memory until then
            memory.spare["float32"], memory.homes[homes[end]] = [homes[end]], "float32"
        last: dict[str, int] = {}
        for k, each in enumerate(self.bindings):
            last |= dict.fromkeys(used(each), k)
        due: set[str] = set()
        sums: set[str] = set()
        done: set[str] = set()
        for k, each in enumerate(self.bindings):
            lines += self._step(memory, _in_float32(each), k, last)
            exact = operator(each) in EXACT
            waits = due.intersection(used(each)) if exact else set()
            if operator(each) in SUMS or (waits and waits <= sums):
                sums.add(each.name)
            if operator(each) not in ROUNDED and not waits:
                done.add(each.name)
                continue
            readers = [operator(other) for other in self.bindings if each.name in used(other)]
            if len(readers) == 1 and readers[0] in EXACT:
                due.add(each.name)  # (a rounding keeps the order, and both signs alike: it may as well come later)
            elif readers or each.name not in narrow:  # (what only leaves is rounded as it is narrowed)
                lines.append(self._rounding(memory.place(each.name), operator(each) in SUMS))
                done.add(each.name)
        if self._upper:
            rounds = {name: "None" if name in done else "near_" for name in narrow}
            lines += [f"rt.packed({homes[n]}, {places[n]}, {rounds[n]}, {n in sums})" for n in narrow]
        else:
            lines += [f"rt.narrowed({homes[name]}, {kind}, {places[name]})" for name in narrow]
        name = f"g{self.live.at[id(self.bindings[-1])]}_"
        scratch = memory.scratch | dict.fromkeys([homes[name] for name in narrow], "float32") | whole
        last_ = ["near_=rt.cut"] if self._upper else []
        self.writer.line(f"def {name}({', '.join([*map(local, self.operands), *places.values(), *scratch, *last_])}):")
        for line in lines:
            self.writer.line(f"    {line}")
        return name, list(scratch.values())

    def _several(self, name: str, call: Call) -> tuple[str, ...]:
        steps = SEVERAL.get(name, ()) if self.writer.plain else STEPS.get(name) or SEVERAL.get(name, ())
        return tuple(self._rounding(line[1:], False) if line.startswith("~") else line for line in steps)

    def _number(self, dtype: str, value: Fraction) -> str:
        """A number at float32, rounded to the narrow format before where the steps are."""
        assert self.type.dtype is not None
        if self.writer.plain:
            return self.writer.constant(Constant(dtype, (), (bits.encode(dtype, value),)))
        return self.writer.constant(_wide(Constant(self.type.dtype, (), (bits.encode(self.type.dtype, value),))))

    def _rounding(self, place: str, sum_: bool) -> str:
        """A rounding in place, of a sum or of something else."""
        return f"near_({place}, {sum_})" if self._upper else f"rt.rounded({place}, rt.kinds[{self.type.dtype!r}])"


def _in_float32(each: VarBinding) -> VarBinding:
    """The step with its constants at float32, which holds them."""
    assert isinstance(each.value, Call)
    return replace(each, value=replace(each.value, args=tuple(map(_wide, each.value.args))))


def _wide(node: Any) -> Any:
    if not isinstance(node, Constant) or node.dtype not in NARROW:
        return node
    return Constant("float32", (), (bits.encode("float32", bits.decode(node.dtype, node.data[0])),))


def group_at(writer: Writes, bindings: Sequence[Binding], first: int, end: int) -> Group | None:
    """The longest group of ``bindings[first:end]`` that begins with the first of them, if it is worth it."""
    type_ = writer.type_of(bindings[first].name)
    if (
        writer.live is None
        or not isinstance(type_, TensorType)
        or not isinstance(type_.shape, tuple)
        or not type_.shape
    ):
        return None
    group = (NarrowGroup if type_.dtype in NARROW else Group)(writer, writer.live, type_)
    for k in range(first, end):
        if not group.takes(bindings[k]):
            break
    return group if group.bindings and group.worth() else None
