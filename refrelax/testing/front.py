"""Programs of front ends (PyTorch, ONNX) as data: drawn from literal tables, deterministic by a seed.

A program is a few lines of Python, each a call from ``front_torch.py`` or ``front_onnx.py``. Its ``source`` is a file
that needs the front end alone and has the function ``program``, as ``bisect --front FILE.py:program`` reads it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from refrelax.running.arrays import Tensor, pack
from refrelax.syntax import bits, dtypes
from refrelax.testing import front_onnx, front_torch

Framework = Literal["torch", "onnx"]

ROWS: dict[Framework, tuple[str, ...]] = {"torch": front_torch.ROWS, "onnx": front_onnx.ROWS}

KINDS: dict[str, tuple[str, ...]] = {
    "f": ("float32", "float32", "float32", "float32", "float64", "float16", "bfloat16"),
    "i": ("int64", "int32", "int32", "int8", "uint8"),
    "b": ("bool",),
    "u": ("uint8",),
    "s": ("float32",),
    "q": ("uint8",),
}
"""Dtypes of a kind, those that programs use more often."""

KINDS["n"] = KINDS["f"] + KINDS["i"]
KINDS["a"] = KINDS["n"] + KINDS["b"]

LACKS = {"torch": (), "onnx": ("bfloat16",)}
"""Dtypes that a front end's own side does not compute with."""

MOST_CALLS = 5
MOST_PARAMS = 6

Extent = int | str
"""``"n"`` is a size that the program does not fix."""


@dataclass(frozen=True, slots=True)
class Param:
    """``values``: ``any``, ``finite`` (and ``n`` is not 0), ``position`` (0 or 1), or ``positive``."""

    name: str
    dtype: str
    extents: tuple[Extent, ...]
    values: str = "any"


@dataclass(frozen=True, slots=True)
class Line:
    """``name = call``."""

    name: str
    call: str

    @property
    def operator(self) -> str:
        """Which call it is, in a word: ``torch.softmax``, ``onnx.Softmax``, ``torch.Tensor.to``, ``torch.getitem``."""
        named = re.match(r"call\('(\w+)'", self.call)
        if named is not None:
            return f"onnx.{named[1]}"
        called = re.match(r"((?:torch|F)(?:\.\w+)+)\(", self.call)
        if called is not None:
            return called[1].replace("F.", "torch.nn.functional.", 1)
        method = re.match(r"\w+\.(\w+)\(", self.call)
        if method is not None:
            return f"torch.Tensor.{method[1]}"
        return "torch.getitem" if "[" in self.call.partition(" ")[0] else "torch.Tensor"

    @property
    def names(self) -> set[str]:
        """The parameters and lines that it uses."""
        return set(re.findall(r"\b[xv]\d+\b", self.call))


@dataclass(frozen=True, slots=True)
class Program:
    """Lines over parameters; ``results`` are names of lines."""

    framework: Framework
    params: tuple[Param, ...]
    lines: tuple[Line, ...]
    results: tuple[str, ...]

    @property
    def sized(self) -> bool:
        return any("n" in p.extents for p in self.params)

    @property
    def operators(self) -> tuple[str, ...]:
        return tuple(sorted({each.operator for each in self.lines}))

    def row(self) -> list[Any]:
        """As JSON."""
        params = [[p.name, p.dtype, list(p.extents), p.values] for p in self.params]
        return [self.framework, params, [[each.name, each.call] for each in self.lines], list(self.results)]

    @staticmethod
    def of_row(row: Sequence[Any]) -> Program:
        framework, params, lines, results = row
        made = tuple(Param(name, dtype, tuple(extents), values) for name, dtype, extents, values in params)
        return Program(framework, made, tuple(Line(*each) for each in lines), tuple(results))

    def tidy(self) -> Program:
        """Without the lines and parameters that no result needs."""
        wanted, kept = set(self.results), []
        for each in reversed(self.lines):
            if each.name in wanted:
                kept.append(each)
                wanted |= each.names
        return replace(self, params=tuple(p for p in self.params if p.name in wanted), lines=tuple(kept[::-1]))

    @property
    def source(self) -> str:
        """A file with the function ``program``."""
        return (_onnx if self.framework == "onnx" else _torch)(self)


# --- what a row says -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    call: str
    kind: str
    ranks: range
    extents: tuple[int, ...] | None
    others: tuple[str, ...]
    gives: str
    finite: bool = False

    @staticmethod
    def of(text: str) -> Row:
        call, first, others, gives = (part.strip() for part in text.split(" | "))
        first, _, given = first.partition(" of ")
        kind, rank, finite = first[0], first[1:].rstrip("!"), first.endswith("!")
        low = int(rank.rstrip("+") or 0)
        ranks = range(low, low + 1) if rank.isdigit() else range(low, 5)
        extents = tuple(map(int, given.split(","))) if given else None
        named = tuple(filter(None, map(str.strip, others.split(";"))))
        return Row(call, kind, ranks, extents, named, gives, finite)


@cache
def rows(framework: Framework) -> tuple[Row, ...]:
    return tuple(Row.of(each) for each in (_fields(text) for text in ROWS[framework]))


def _fields(text: str) -> str:
    """``" | | "``: two bars beside each other stand for nothing between them."""
    return text.replace(" | | ", " |  | ")


@dataclass(slots=True)
class _Value:
    name: str
    dtype: str
    extents: tuple[Extent, ...]


class _Drawing:
    """One program in the making."""

    def __init__(self, framework: Framework, turn: random.Random) -> None:
        self.framework, self.turn = framework, turn
        self.params: list[Param] = []
        self.lines: list[Line] = []
        self.values: list[_Value] = []

    def dtype(self, kind: str) -> str:
        return self.turn.choice([each for each in KINDS[kind] if each not in LACKS[self.framework]])

    def fresh(self, dtype: str, extents: Sequence[Extent], values: str = "any") -> _Value:
        """A new parameter."""
        name = f"x{len(self.params)}"
        self.params.append(Param(name, dtype, tuple(extents), values))
        made = _Value(name, dtype, tuple(extents))
        if values == "any":
            self.values.append(made)
        return made

    def extent(self, finite: bool) -> Extent:
        return self.turn.choices(("n", 2, 3, 1, 0), (30, 30, 27, 10, 0 if finite else 3))[0]

    def first(self, row: Row) -> _Value:
        """An operand for a row: one that is there, if it fits, or a new one."""
        fits = [v for v in self.values if v.dtype in KINDS[row.kind] and len(v.extents) in row.ranks]
        if fits and row.extents is None and not row.finite and self.turn.random() < 0.85:
            return fits[-1] if self.turn.random() < 0.7 else self.turn.choice(fits)
        if row.extents is not None:
            extents: list[Extent] = list(row.extents)
            if self.turn.random() < 0.3:
                extents[0] = "n"
            return self.fresh(self.dtype(row.kind), extents, "finite" if row.finite else "any")
        rank = self.turn.choice([each for each in row.ranks for _ in range(3 if each in (1, 2, 3) else 1)])
        values = "finite" if row.finite else "any"
        return self.fresh(self.dtype(row.kind), [self.extent(row.finite) for _ in range(rank)], values)

    def other(self, spec: str, x: _Value, finite: bool) -> _Value:
        """Another operand, as a row describes it."""
        values = "positive" if spec.startswith("+") else "finite" if finite else "any"
        word, _, named = spec.lstrip("+").partition(" ")
        if word == "is":
            return self.fresh("bool", x.extents)
        if word in ("cast", "mixed"):
            dtype = self.dtype("n") if word == "mixed" else x.dtype
            return self.fresh(dtype, x.extents if named == "*" else self.broadcast(x.extents))
        if word == "like":
            there = [v for v in self.values if (v.dtype, v.extents) == (x.dtype, x.extents)]
            reused = not finite and self.turn.random() < 0.4
            return self.turn.choice(there) if reused else self.fresh(x.dtype, x.extents, values)
        extents = x.extents if named == "*" else tuple(_extent(each, x.extents) for each in named.split(","))
        return self.fresh("int64", extents, "position") if word == "at" else self.fresh(x.dtype, extents, values)

    def broadcast(self, extents: tuple[Extent, ...]) -> tuple[Extent, ...]:
        kept = extents[self.turn.choice((0, 0, 0, self.turn.randint(0, len(extents)))) :]
        return tuple(1 if self.turn.random() < 0.25 else each for each in kept)

    def line(self, row: Row) -> None:
        """One more call."""
        x = self.first(row)
        operands = {"x": x}
        for name, spec in zip("yzuv", row.others, strict=False):
            operands[name] = self.other(spec, x, row.finite)
        rank = len(x.extents)
        dim = self.turn.randrange(-rank, rank) if rank else 0

        def filled(found: re.Match[str]) -> str:
            word = found[1]
            if word in operands:
                return operands[word].name
            if word == "dim":
                return str(dim)
            return repr(x.dtype) if word == "dtype" else self.turn.choice(word.split("|"))

        name = f"v{len(self.lines)}"
        self.lines.append(Line(name, re.sub(r"\{([^{}]*)\}", filled, row.call)))
        given = _given(row.gives, x, dim)
        if given is not None:
            self.values.append(_Value(name, *given))


def _extent(text: str, extents: tuple[Extent, ...]) -> Extent:
    return int(text[:-1]) if text.endswith("#") else extents[int(text)]


def _given(gives: str, x: _Value, dim: int) -> tuple[str, tuple[Extent, ...]] | None:
    match gives:
        case "same":
            return x.dtype, x.extents
        case "bool" | "int64":
            return gives, x.extents
        case "drop":
            return x.dtype, tuple(each for k, each in enumerate(x.extents) if k != dim % len(x.extents))
    return None


def draw(framework: Framework, seed: str, number: int) -> Program:
    """The program of a number: its first call is the next of the table in an order of the seed, so that every call
    comes first once before any does twice. The first time it stands alone."""
    table = list(rows(framework))
    random.Random(f"{seed}/{framework}/{number // len(table)}").shuffle(table)
    turn = random.Random(f"{seed}/{framework}/{number}")
    drawing = _Drawing(framework, turn)
    drawing.line(table[number % len(table)])
    more = turn.choice((0, 1, 1, 2, 3, MOST_CALLS - 1)) if number >= len(table) else 0
    for _ in range(more):
        row = turn.choice(table)
        if len(drawing.params) + len(row.others) < MOST_PARAMS:
            drawing.line(row)
    names = tuple(each.name for each in drawing.lines)
    results = names if turn.random() < 0.7 else names[-1:]
    return Program(framework, tuple(drawing.params), tuple(drawing.lines), results).tidy()


# --- arguments -------------------------------------------------------------------------------------------------------

INPUTS = ((3, "plain"), (3, "corners"), (2, "plain"), (1, "corners"), (0, "plain"))
"""What ``n`` is and from where elements come; a program without ``n`` has those of 3 alone."""

EXAMPLE = 3
"""What ``n`` is in example inputs."""

PLAIN = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
CORNERS = (
    float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 1e-8, 0.5, 2.5, -2.5, 1.0, -1.0, 100.0, -100.0,
)  # fmt: skip
"""None is so great that a square overflows, even of float16, or so small that a quotient is nothing: how far the
steps of a calculation reach is no meaning."""

POSITIVE = (0.25, 0.5, 1.0, 2.0, 4.0)


def arguments(program: Program, seed: str) -> list[list[Tensor]]:
    """The arguments of each run."""
    given: tuple[tuple[int, str], ...] = INPUTS if program.sized else INPUTS[:2]
    if any(p.values == "finite" for p in program.params):
        given = tuple(each for each in given if each[0] > 0)
    return [
        [tensor(p, n, policy, random.Random(f"{seed}/{k}/{p.name}")) for p in program.params]
        for k, (n, policy) in enumerate(given)
    ]


def tensor(param: Param, n: int, policy: str, turn: random.Random) -> Tensor:
    """An argument."""
    shape = tuple(n if each == "n" else int(each) for each in param.extents)
    count = 1
    for each in shape:
        count *= each
    patterns = [bits.encode(param.dtype, _number(param, policy, turn)) for _ in range(count)]
    return Tensor.of_bytes(param.dtype, shape, pack(param.dtype, patterns))


def _number(param: Param, policy: str, turn: random.Random) -> Any:
    if param.values == "position":
        return turn.randint(0, 1)
    if param.dtype == "bool":
        return turn.randint(0, 1)
    corner = param.values != "finite" and policy == "corners" and turn.random() < 0.6
    if dtypes.is_float(param.dtype):
        return turn.choice(POSITIVE if param.values == "positive" else CORNERS if corner else PLAIN)
    low, high = dtypes.integer_range(param.dtype)
    chosen = turn.choice((low, high, -1, 0, 1, 7)) if corner else turn.randint(-3, 5)
    return max(low, min(high, chosen)) if param.values != "positive" else abs(chosen) % 8 + 1


# --- as a file -------------------------------------------------------------------------------------------------------


def _shape(param: Param) -> tuple[int, ...]:
    return tuple(EXAMPLE if each == "n" else int(each) for each in param.extents)


def _torch(program: Program) -> str:
    names = ", ".join(p.name for p in program.params)
    body = "".join(f"        {each.name} = {each.call}\n" for each in program.lines)
    made = "".join(
        f"torch.{'zeros' if p.values == 'position' else 'ones'}({_shape(p)}, dtype=torch.{p.dtype}), "
        for p in program.params
    )
    sizes = "".join(
        f"{{{', '.join(f'{k}: n' for k, e in enumerate(p.extents) if e == 'n')}}}, " for p in program.params
    )
    dynamic = f", ({sizes.strip()})" if program.sized else ""
    symbol = '    n = torch.export.Dim("n")\n' if program.sized else ""
    results = ", ".join(program.results)
    return (
        "import torch\nimport torch.nn.functional as F\n\n\nclass Program(torch.nn.Module):\n"
        f"    def forward(self, {names}):\n{body}        return {results},\n\n\n"
        f"def program():\n{symbol}    return Program(), ({made.strip()}){dynamic}\n"
    )


_GRAPH = '''import numpy as np
from onnx import TensorProto, helper, numpy_helper, shape_inference


class Graph:
    """Nodes, and the constants that they are given."""

    def __init__(self):
        self.nodes, self.held = [], []

    def __call__(self, op, *inputs, outputs=1, **attributes):
        names = []
        for each in inputs:
            if not isinstance(each, str):
                self.held.append(numpy_helper.from_array(np.asarray(each), f"held{len(self.held)}"))
                each = self.held[-1].name
            names.append(each)
        made = [f"n{len(self.nodes)}_{k}" for k in range(outputs)]
        self.nodes.append(helper.make_node(op, names, made, **attributes))
        return made[0] if outputs == 1 else made


'''


def _onnx(program: Program) -> str:
    given = "".join(
        f'        helper.make_tensor_value_info("{p.name}", TensorProto.{_ELEMENT[p.dtype]}, {list(p.extents)}),\n'
        for p in program.params
    )
    names = "".join(f'    {p.name} = "{p.name}"\n' for p in program.params)
    body = "".join(f"    {each.name} = {each.call}\n" for each in program.lines)
    return (
        f"{_GRAPH}def program():\n    call = Graph()\n{names}{body}    inputs = [\n{given}    ]\n"
        f"    outputs = [helper.make_empty_tensor_value_info(each) for each in [{', '.join(program.results)}]]\n"
        '    graph = helper.make_graph(call.nodes, "program", inputs, outputs, call.held)\n'
        '    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)\n'
        "    return shape_inference.infer_shapes(model)\n"
    )


_ELEMENT: Mapping[str, str] = {
    "float32": "FLOAT", "float64": "DOUBLE", "float16": "FLOAT16", "bfloat16": "BFLOAT16", "bool": "BOOL",
    "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64",
    "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64",
}  # fmt: skip


# --- smaller ones ----------------------------------------------------------------------------------------------------


def plainer(program: Program) -> Iterator[Program]:
    """The program without one of the attributes of a call."""
    for k, line in enumerate(program.lines):
        for found in re.finditer(
            r", \w+=(?:\([^()]*\)|\[[^\]]*\]|'[^']*'|[^,()\[\]]+(?:\('[^']*'\))?)(?=[,)])", line.call
        ):
            call = line.call[: found.start()] + line.call[found.end() :]
            if "call(" not in call or "outputs=" not in found[0]:
                yield replace(program, lines=(*program.lines[:k], Line(line.name, call), *program.lines[k + 1 :]))


def fixed(program: Program, n: int) -> Program:
    """The program with a number for ``n``."""
    params = (replace(p, extents=tuple(n if e == "n" else e for e in p.extents)) for p in program.params)
    return replace(program, params=tuple(params))


__all__ = ["Framework", "Line", "Param", "Program", "arguments", "draw", "fixed", "plainer", "rows", "tensor"]
