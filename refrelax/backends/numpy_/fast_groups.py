"""Runs of elementwise bindings of mode ``fast`` as one function over blocks that stay near.

``b = R.add(x, y); c = R.tanh(b); d = R.multiply(c, x)`` becomes a function of slices, called for as many elements at a
time as fit a cache; values that nothing else uses live in scratch memory. Every step is the step that the operator
alone would be, so the results are the same.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from math import frexp, isfinite, prod
from typing import Protocol

from refrelax.backends.numpy_.expressions import dtype_text
from refrelax.backends.numpy_.liveness import Liveness, same_shape
from refrelax.backends.numpy_.names import local
from refrelax.backends.numpy_.operators_network import ROOT_HALF, ROOT_TWO_OVER_PI
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Binding, Call, Constant, Expr, Op, PrimValue, Var, VarBinding
from refrelax.syntax.scalars import Literal, as_int
from refrelax.syntax.types import TensorType, Type

FLOATS = ("float32", "float64")

FEW = 1 << 12
"""Elements for which looking costs more than the work."""

LINES = 12
"""Lines of a group that is also written for few elements."""

STEP = re.compile(r"(np\.\w+\(.*), out=(\w+)\)")
"""A step that would give new memory by itself."""

FILLED = re.compile(r"rt\.filled\((\w+), \w+\)")

BINARY = {
    "add": "np.add", "subtract": "np.subtract", "multiply": "np.multiply", "divide": "np.divide",
    "maximum": "np.maximum", "minimum": "np.minimum", "power": "rt.power",
}  # fmt: skip
UNARY = {
    "negative": "np.negative", "exp": "np.exp", "log": "np.log", "sqrt": "np.sqrt", "tanh": "np.tanh",
    "sin": "np.sin", "cos": "np.cos", "abs": "np.abs", "square": "np.square", "floor": "np.floor", "ceil": "np.ceil",
    "trunc": "np.trunc", "round": "np.rint",
}  # fmt: skip
COMPARE = {
    "greater": "np.greater", "greater_equal": "np.greater_equal", "less": "np.less", "less_equal": "np.less_equal",
    "equal": "np.equal", "not_equal": "np.not_equal",
}  # fmt: skip

TESTS = {"isfinite": "np.isfinite", "isinf": "np.isinf", "isnan": "np.isnan"}

LOGIC = {"logical_and": "np.logical_and", "logical_or": "np.logical_or", "logical_not": "np.logical_not"}

SEVERAL: dict[str, tuple[str, ...]] = {
    "rsqrt": ("np.sqrt({a}, out={d})", "np.divide({one}, {d}, out={d})"),
    "sigmoid": ("np.negative({a}, out={d})", "np.exp({d}, out={d})", "{d} += {one}", "np.divide({one}, {d}, out={d})"),
    "nn.relu": ("np.maximum({a}, rt.filled({zero}, {a}), out={d})",),
    "nn.silu": (
        "np.negative({a}, out={t})", "np.exp({t}, out={t})", "{t} += {one}", "np.divide({a}, {t}, out={d})",
    ),
    "nn.gelu": (
        "rt.odds({a}, {t})", "np.exp({t}, out={t})", "{t} += {one}", "np.divide({a}, {t}, out={d})",
    ),
    "nn.gelu_tanh": (
        "np.multiply({a}, {a}, out={t})", "{t} *= {cubic}", "{t} += {one}", "{t} *= {a}", "{t} *= {turned}",
        "np.exp({t}, out={t})", "{t} += {one}", "np.divide({a}, {t}, out={d})",
    ),
    "erf": ("rt.erf({a}, {d})",),
}  # fmt: skip
"""Operators of several steps: ``a`` the operand, ``d`` the result, which may be the operand (``a`` is not read after
``d`` is written), ``t`` and ``u`` scratch memory. ``(1 + tanh(y)) / 2`` is ``1 / (1 + exp(-2 * y))``, where nothing
cancels."""

POWERS: dict[int, tuple[str, ...]] = {
    -1: ("np.divide({one}, {a}, out={d})",),
    2: ("np.square({a}, out={d})",),
    3: ("np.multiply({a}, {a}, out={t})", "np.multiply({t}, {a}, out={d})"),
    4: ("np.multiply({a}, {a}, out={t})", "np.multiply({t}, {t}, out={d})"),
}
"""Powers that are a product or two, each off by less than a unit (8 are permitted); what is beyond a format in between
is so in the end."""

DIVISIONS: dict[tuple[str, bool], tuple[str, ...]] = {
    ("floor_divide", False): ("np.floor_divide({a}, {by}, out={d})",),
    ("floor_divide", True): ("np.right_shift({a}, {places}, out={d})",),
    ("floor_mod", False): ("np.floor_divide({a}, {by}, out={t})", "{t} *= {by}", "np.subtract({a}, {t}, out={d})"),
    ("floor_mod", True): ("np.bitwise_and({a}, {less}, out={d})",),
}
"""Divisions of integers by a number above 0, and whether that is a power of two."""

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
BITS = {"bitwise_and": "np.bitwise_and", "bitwise_or": "np.bitwise_or", "bitwise_xor": "np.bitwise_xor"}
OF_INTEGERS = frozenset({"add", "subtract", "multiply", "maximum", "minimum", "negative", "abs", "square", *BITS})
"""What NumPy does to integers as the language does, wrapping."""
SHIFTS = {"left_shift": "np.left_shift", "right_shift": "np.right_shift"}
"""Steps if the count is a number that the dtype has so many bits for."""

UFUNCS = {**BINARY, **UNARY, **COMPARE, **TESTS, **LOGIC, **BITS, **SHIFTS}

WHOLE = frozenset({"floor_divide", "floor_mod"})
"""Divisions of integers that are steps if the divisor is a number above 0: NumPy divides by one number without
dividing, and finds what is left only by dividing."""

OF_FLOAT32 = frozenset({"nn.gelu", "erf"})

ALONE = frozenset({*SEVERAL, "maximum", "minimum", "where", "clip", "power", *WHOLE}) - {"nn.relu"}
"""Steps that are worth a group of their own."""

NUMBERS = {
    "zero": Fraction(0), "one": Fraction(1), "half": Fraction(1, 2), "root": ROOT_TWO_OVER_PI,
    "turned": -2 * ROOT_TWO_OVER_PI, "cubic": Fraction(44715, 1000000), "root_half": ROOT_HALF,
}  # fmt: skip


class Writes(Protocol):
    """What a group needs of the writer of source."""

    live: Liveness | None
    folded: dict[int, VarBinding]
    depth: int
    plain: bool

    def line(self, text: str) -> None: ...

    def type_of(self, name: str) -> Type | None: ...

    def constant(self, node: Constant) -> str: ...


@dataclass(slots=True)
class Group:
    """A run of bindings: the lines of its function, and what goes in and comes out."""

    writer: Writes
    live: Liveness
    type: TensorType
    """The type of the first result; all results have its shape."""
    bindings: list[VarBinding] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    """Variables of the program that go in, one of the group's shape first."""
    divisors: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    """The operands and the names of the bindings."""

    # --- what belongs to it -----------------------------------------------------------------------------------------

    def takes(self, each: Binding) -> bool:
        """Add a binding if it is a step of this group."""
        made = self.writer.type_of(each.name)
        if not isinstance(each, VarBinding) or not isinstance(each.value, Call) or not isinstance(made, TensorType):
            return False
        if id(each) in self.writer.folded:
            return False
        if not same_shape(made, self.type) or not self._is_step(each.value, made):
            return False
        for arg in each.value.args:
            if isinstance(arg, Var) and arg.name not in self.known:
                whole = same_shape(self.writer.type_of(arg.name), self.type)
                self.operands.insert(0 if whole else len(self.operands), arg.name)
                self.known.add(arg.name)
        self.bindings.append(each)
        self.known.add(each.name)
        return True

    def _is_step(self, call: Call, made: TensorType) -> bool:
        name = call.op.name.removeprefix("relax.") if isinstance(call.op, Op) else ""
        kinds = [self._kind(each) for each in call.args]
        result = made.dtype
        if name in OF_INTEGERS and result in INTEGERS:
            return set(kinds) == {result}
        if name in WHOLE or name in SHIFTS:
            return result in INTEGERS and kinds == [result, result] and self._count(name, call.args[1]) is not None
        if name in BINARY or name in UNARY or name in SEVERAL:
            return result in FLOATS and set(kinds) == {result} and (name not in OF_FLOAT32 or result == "float32")
        if name in COMPARE:
            return result == "bool" and len(set(kinds)) == 1 and kinds[0] in (*FLOATS, *INTEGERS)
        if name in TESTS:
            return result == "bool" and kinds[0] in FLOATS
        if name == "astype":
            return (
                kinds[0] in ("bool", *INTEGERS, *FLOATS)
                if result in FLOATS
                else (result in INTEGERS and kinds[0] in ("bool", *INTEGERS))
            )
        if name in LOGIC:
            return result == "bool" and set(kinds) == {"bool"}
        if name == "clip":
            return result in FLOATS and kinds[0] == result and _limits(call) is not None
        return name == "where" and result in (*FLOATS, *INTEGERS) and kinds == ["bool", result, result]

    def _count(self, name: str, node: Expr) -> int | None:
        """The number by which a step of integers divides or shifts, where it may be one."""
        if not isinstance(node, Constant) or node.shape != ():
            return None
        number = int(bits.decode(node.dtype, node.data[0]))
        fits = 0 <= number < dtypes.bits(node.dtype) if name in SHIFTS else number > 0
        return number if fits else None

    def _kind(self, expr: Expr) -> str | None:
        """The dtype of an operand that a step may have: a scalar constant, or a tensor whose extents are known."""
        match expr:
            case Var(name=name):
                type_ = self.writer.type_of(name)
                known = isinstance(type_, TensorType) and isinstance(type_.shape, tuple)
                return type_.dtype if known and isinstance(type_, TensorType) else None
            case Constant(dtype=dtype, shape=()):
                return dtype
            case _:
                return None

    @property
    def caller(self) -> str:
        """What calls the function, block by block."""
        return "rt.blocked"

    def worth(self) -> bool:
        """Whether the group is better than its bindings one by one."""
        if not self.operands or (len(self.operands) == 1 and not self._has_whole()):
            return False
        if len(self.bindings) > 1:
            return True
        if not self._has_whole():
            return False
        (only,) = self.bindings
        assert isinstance(only.value, Call) and isinstance(only.value.op, Op)
        return only.value.op.name.removeprefix("relax.") in ALONE

    def _has_whole(self) -> bool:
        """Whether an operand has the shape of the results; else all of them together have it."""
        return same_shape(self.writer.type_of(self.operands[0]), self.type)

    # --- its source -------------------------------------------------------------------------------------------------

    def write(self) -> list[str]:
        """The function, and the call of it; gives the names that it binds."""
        end = self.live.at[id(self.bindings[-1])]
        outside = [b.name for b in self.bindings if self.live.last.get(b.name, 0) > end] or [self.bindings[-1].name]
        if (shape := self._few()) is not None:
            return self._at_once(outside, shape)
        over = self._over(outside)
        few = self._has_whole() and self._inline(outside)
        if few:
            self.writer.line("else:")
            self.writer.depth += 1
        name, scratch = self.define(outside, over)
        given = ", ".join(local(n) for n in self.operands)
        made = [self._made(n) for n in outside]
        more = f", {local(over)}" if over else ""
        call = f"{self.caller}({name}, ({given},), {made!r}, {scratch!r}{more})"
        self.writer.line(f"{', '.join(local(n) for n in outside)}{',' if len(outside) == 1 else ''} = {call}")
        self.writer.depth -= few
        return outside

    def _inline(self, outside: list[str]) -> bool:
        """The steps one by one, on new memory, for so few elements that a block is not worth a call; not of long
        groups."""
        lines, places, scratch = self.lines(outside, "")
        if len(lines) > LINES:
            return False
        whole, kinds = local(self.operands[0]), {places[n]: self._made(n) for n in outside} | scratch
        self.writer.line(f"if {whole}.size <= rt.FEW:")
        for line in lines:
            line = FILLED.sub(r"\1", line)
            register = next((name for name in kinds if re.search(rf"\b{name}\b", line)), None)
            made = STEP.fullmatch(line)
            if register is not None and made is not None and made[2] == register and register not in made[1]:
                kinds.pop(register)
                line = f"{register} = {made[1]})"
            else:
                for each in [name for name in kinds if re.search(rf"\b{name}\b", line)]:
                    self.writer.line(f"    {each} = np.empty({whole}.shape, rt.of_{kinds.pop(each)})")
            self.writer.line(f"    {line}")
        named, own = ", ".join(map(local, outside)), ", ".join(places[n] for n in outside)
        self.writer.line(f"    {named} = {own}")
        return True

    def _few(self) -> tuple[int, ...] | None:
        """The shape, where it is known to have so few elements that blocks and kept memory are not worth a call."""
        dims = list(map(as_int, self.type.shape)) if isinstance(self.type.shape, tuple) else [None]
        sizes = tuple(dim for dim in dims if dim is not None)
        return sizes if len(sizes) == len(dims) and prod(sizes) <= FEW else None

    def _at_once(self, outside: list[str], shape: tuple[int, ...]) -> list[str]:
        """The same on new memory, without looking at what is known."""
        name, scratch = self.define(outside, "")
        for each in outside:
            self.writer.line(f"{local(each)} = np.empty({shape!r}, {dtype_text(self._made(each))})")
        room = [f"np.empty({shape!r}, {dtype_text(dtype)})" for dtype in scratch]
        self.writer.line(f"{name}({', '.join([*map(local, [*self.operands, *outside]), *room])})")
        return outside

    def define(self, outside: list[str], over: str) -> tuple[str, list[str]]:
        """The function of operands, results and scratch memory: its name, and the dtypes of the scratch memory.
        ``over``: an operand of the group's shape where the one result may lie, so that its place is written when that
        is not read any more."""
        lines, places, scratch = self.lines(outside, over)
        name = f"g{self.live.at[id(self.bindings[-1])]}_"
        given = [local(n) for n in self.operands]
        self.writer.line(f"def {name}({', '.join([*given, *places.values(), *scratch])}):")
        for line in lines:
            self.writer.line(f"    {line}")
        return name, list(scratch.values())

    def lines(self, outside: list[str], over: str) -> tuple[list[str], dict[str, str], dict[str, str]]:
        """What that function does; the places of its results by name; the dtypes of the scratch memory by place."""
        memory = Memory({name: f"o{k}_" for k, name in enumerate(outside)}, {n: local(n) for n in self.operands})
        end = self.bindings[-1].name
        if not over and end in outside:  # where the last result goes is scratch memory until then
            register, dtype = memory.outputs[end], self._dtype(end)
            memory.spare[dtype], memory.homes[register] = [register], dtype
        elif over:
            memory.over = {over: (memory.outputs[end], self._dtype(end))}
        last: dict[str, int] = {}
        for k, each in enumerate(self.bindings):
            last |= dict.fromkeys(used(each), k)
        self.divisors = self._divisors(outside)
        lines = [line for k, each in enumerate(self.bindings) for line in self._step(memory, each, k, last)]
        told = set(re.findall(r"\bt\d+_", " ".join(lines)))
        return lines, memory.outputs, {place: dtype for place, dtype in memory.scratch.items() if place in told}

    def _divisors(self, outside: list[str]) -> set[str]:
        """Sigmoids that one product alone uses: ``y * sigmoid(x)`` is ``y / (1 + exp(-x))``."""
        uses = Counter(name for each in self.bindings for name in _arguments(each))
        found: set[str] = set()
        sigmoids = {b.name for b in self.bindings if operator(b) == "sigmoid" and b.name not in outside}
        for each in self.bindings:
            inner = [n for n in _arguments(each) if n in sigmoids and uses[n] == 1]
            if operator(each) == "multiply" and inner:
                found.add(inner[0])
        return found

    def _dtype(self, name: str) -> str:
        """Of the memory that a value is calculated in."""
        return self._made(name)

    def _made(self, name: str) -> str:
        type_ = self.writer.type_of(name)
        assert isinstance(type_, TensorType) and type_.dtype is not None
        return type_.dtype

    def _step(self, memory: Memory, each: VarBinding, k: int, last: dict[str, int]) -> list[str]:
        call = each.value
        assert isinstance(call, Call) and isinstance(call.op, Op)
        name, dtype = call.op.name.removeprefix("relax."), self._dtype(each.name)
        bounds = _limits(call) if name == "clip" else None
        limits = None if bounds is None else [self._number(dtype, each) for each in bounds]
        given = call.args[:1] if limits is not None else call.args
        args = [memory.place(a.name) if isinstance(a, Var) else self._constant(a) for a in given]
        several = self._several(name, call)
        spare = {key: memory.take(dtype) for key in "tu" if f"{{{key}}}" in "".join(several)}
        for read in reversed(used(each)):  # (what is freed last is taken first: in place of the first operand)
            if last[read] == k:
                memory.free(read)
        target = memory.make(each.name, dtype)
        for register in spare.values():
            memory.spare.setdefault(dtype, []).append(register)
        if several:
            told = "".join(several)
            numbers = {k: self._number(dtype, n) for k, n in self._numbers(name, call).items() if f"{{{k}}}" in told}
            steps = several[:-1] if each.name in self.divisors else several
            return [line.format(a=args[0], d=target, **spare, **numbers) for line in steps]
        if limits is not None:
            return [f"np.clip({args[0]}, {limits[0]}, {limits[1]}, out={target})"]
        under = [n for n in _arguments(each) if n in self.divisors]
        if under:
            first = isinstance(call.args[0], Var) and call.args[0].name == under[0]
            rest, own = (args[1], args[0]) if first else (args[0], args[1])
            return [f"np.divide({rest}, {own}, out={target})"]
        if name in ("maximum", "minimum"):
            whole = next((a for a, arg in zip(args, call.args, strict=True) if isinstance(arg, Var)), args[0])
            args = [
                f"rt.filled({a}, {whole})" if isinstance(e, Constant) else a
                for a, e in zip(args, call.args, strict=True)
            ]
        if name == "where":
            return [f"rt.where({', '.join([*args, target])})"]
        if (
            name == "divide"
            and isinstance(call.args[1], Constant)
            and (turned := _reciprocal(call.args[1])) is not None
        ):
            return [f"np.multiply({args[0]}, {self._constant(turned)}, out={target})"]
        if name == "astype":
            return [f"np.copyto({target}, {args[0]}, casting='unsafe')"]
        return [f"{UFUNCS[name]}({', '.join(args)}, out={target})"]

    def _several(self, name: str, call: Call) -> tuple[str, ...]:
        """The lines of an operator of several steps; of another none."""
        if name == "power" and isinstance(call.args[1], Constant):
            return next((steps for number, steps in POWERS.items() if self._is(call.args[1], number)), ())
        if name in WHOLE and (number := self._count(name, call.args[1])) is not None:
            return DIVISIONS[name, number & (number - 1) == 0]
        return SEVERAL.get(name, ())

    def _numbers(self, name: str, call: Call) -> dict[str, Fraction]:
        """The numbers of such lines."""
        if name not in WHOLE:
            return NUMBERS
        number = self._count(name, call.args[1]) or 1
        whole = {"by": number, "less": number - 1, "places": number.bit_length() - 1}
        return {key: Fraction(each) for key, each in whole.items()}

    def _is(self, node: Constant, number: int) -> bool:
        return node.shape == () and bits.decode(node.dtype, node.data[0]) == number

    def _constant(self, node: Expr) -> str:
        assert isinstance(node, Constant)
        return self.writer.constant(node)

    def _number(self, dtype: str, value: Fraction) -> str:
        return self.writer.constant(Constant(dtype, (), (bits.encode(dtype, value),)))

    def _over(self, outside: list[str]) -> str:
        """An operand that dies in the group and holds its one result, which is written when that is read no more."""
        if outside != [self.bindings[-1].name]:
            return ""
        first, end = (self.live.at[id(b)] for b in (self.bindings[0], self.bindings[-1]))
        roots = Counter(map(self.live.root, self.operands))
        for name in self.operands:
            if roots[self.live.root(name)] == 1 and self.live.may_end_within(name, self.bindings[-1], first, end):
                return name
        return ""


@dataclass(slots=True)
class Memory:
    """Where the values of a group lie: operands, results, and scratch memory that is used again."""

    outputs: dict[str, str]
    known: dict[str, str]
    scratch: dict[str, str] = field(default_factory=dict)
    """The dtype of each piece of scratch memory."""
    spare: dict[str, list[str]] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    """The dtype of results whose memory is scratch memory for now."""
    over: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The operand that the result lies in, with that and its dtype: scratch memory once the operand is not read."""

    def place(self, name: str) -> str:
        return self.known[name]

    def take(self, dtype: str) -> str:
        """Scratch memory that nothing is in."""
        if self.spare.get(dtype):
            return self.spare[dtype].pop()
        name = f"t{len(self.scratch)}_"
        self.scratch[name] = dtype
        return name

    def free(self, name: str) -> None:
        """A value is not read any more, or by the step that writes now."""
        if name in self.over:
            place, kind = self.over[name]
            self.homes[place] = kind
            self.spare.setdefault(kind, []).append(place)
            return
        register = self.known[name]
        dtype = self.scratch.get(register) or self.homes.get(register)
        if dtype is not None and name not in self.outputs:
            self.spare.setdefault(dtype, []).append(register)

    def make(self, name: str, dtype: str) -> str:
        """Where a new value goes."""
        register = self.outputs.get(name)
        if register is None:
            self.known[name] = self.take(dtype)
        else:
            self.known[name] = register
            if register in self.spare.get(dtype, []):
                self.spare[dtype].remove(register)
        return self.known[name]


def _reciprocal(node: Constant) -> Constant | None:
    """The reciprocal of a power of two, by which a product has the same exact value as the quotient."""
    value = bits.decode(node.dtype, node.data[0]) if node.shape == () else 0.0
    if not isfinite(value) or not 2.0**-64 <= abs(value) <= 2.0**64 or abs(frexp(value)[0]) != 0.5:
        return None
    return Constant(node.dtype, (), (bits.encode(node.dtype, Fraction(1) / Fraction(value)),))


def _limits(call: Call) -> list[Fraction] | None:
    """The bounds of an ``R.clip`` if they are written down, finite and in order."""
    found = []
    for each in call.args[1:]:
        if not isinstance(each, PrimValue) or not isinstance(each.value, Literal):
            return None
        value = bits.decode(each.value.dtype, each.value.bits)
        if not isfinite(value):
            return None
        found.append(Fraction(value))
    return found if len(found) == 2 and found[0] <= found[1] else None


def operator(each: VarBinding) -> str:
    assert isinstance(each.value, Call) and isinstance(each.value.op, Op)
    return each.value.op.name.removeprefix("relax.")


def _arguments(each: VarBinding) -> list[str]:
    """The variables among the operands of a step, in order."""
    assert isinstance(each.value, Call)
    return [a.name for a in each.value.args if isinstance(a, Var)]


def used(each: VarBinding) -> list[str]:
    """The variables that a step reads, each once."""
    assert isinstance(each.value, Call)
    return list(dict.fromkeys(a.name for a in each.value.args if isinstance(a, Var)))
