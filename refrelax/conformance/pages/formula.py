"""A definition that was written down (``semantics/ops/meaning/data.py``) as the lines of a formula.

An element that is used several times has a name of its own, below the array that uses it. How a formula reads is said
in ``spec/ops/common.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import assert_never

from refrelax.semantics.ops.meaning import data
from refrelax.syntax.bits import literal_value
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, Not, PrimExpr, SymVar, walk

LETTERS, BINDERS = "ijklmabcd", "pqrstuvw"
"""What the variables of a definition are called, and those of a family."""

FOLDS = {"add": "sum", "mul": "prod", "maximum": "max", "minimum": "min"}
INFIX = {
    "add": ("+", 11), "sub": ("-", 11), "mul": ("*", 12), "div": ("/", 12), "less": ("<", 6), "less_equal": ("<=", 6),
    "equal": ("==", 6), "not_equal": ("!=", 6), "all_of": ("and", 4), "any_of": ("or", 3),
}  # fmt: skip
INDEX = {
    "Or": ("or", 3), "And": ("and", 4), "LT": ("<", 6), "LE": ("<=", 6), "GT": (">", 6), "GE": (">=", 6),
    "EQ": ("==", 6), "NE": ("!=", 6), "Add": ("+", 11), "Sub": ("-", 11), "Mul": ("*", 12), "FloorDiv": ("//", 12),
    "FloorMod": ("%", 12),
}  # fmt: skip
SUMS, ATOM, CHOICE, NOT, UNARY = 11, 15, 1, 5, 13
"""How tightly things bind, as in Python."""

Piece = tuple[str, int]


def formula(program: data.Program, outputs: tuple[str, ...] = ("out",)) -> list[str]:
    """The lines of a program; ``outputs`` are the names of its results."""
    names: dict[int, str] = {id(x): x.name for x in program.operands}
    results = [id(x) for x in program.outputs]
    for step in program.steps:
        if isinstance(step, data.Definition):
            if id(step) in results:
                at = results.index(id(step))
                names[id(step)] = outputs[at] if at < len(outputs) else f"{outputs[-1]}{at}"
            else:
                names[id(step)] = step.name
    lines = [_operand(x) for x in program.operands]
    lines += [f"where {index(each)}" for each in program.premises]
    for step in program.steps:
        writer = Writer(program, names)
        match step:
            case data.Requirement(condition=condition, rule=rule):
                lines += [f"require {writer.index(condition)[0]}, else the run is open: {rule}", *writer.below()]
            case data.Definition():
                lines += writer.definition(step)
            case _:
                assert_never(step)
    return lines


def _operand(x: data.Operand) -> str:
    return f"given {x.name}: {_type([index(each) for each in x.dims], x.dtype)}"


def _type(extents: list[str], dtype: str) -> str:
    return f"({', '.join(extents)}{',' if len(extents) == 1 else ''}) {dtype}"


def _at(name: str, index: list[str]) -> str:
    return f"{name}[{', '.join(index)}]" if index else name


def index(e: PrimExpr, names: Mapping[str, str] | None = None) -> str:
    """An index, an extent or a condition on them."""
    return _index(e, names or {})[0]


def _index(e: PrimExpr, names: Mapping[str, str]) -> Piece:
    match e:
        case SymVar(name=name):
            return names.get(name, name), ATOM
        case Literal():
            value = literal_value(e)
            return str(value), ATOM if value >= 0 else UNARY
        case Cast(value=a):
            return f"{e.dtype}({_index(a, names)[0]})", ATOM
        case Not(a=a):
            return f"not {_closed(_index(a, names), NOT)}", NOT
        case Intrinsic(op="if_then_else", args=(c, a, b)):
            parts = (_closed(_index(x, names), CHOICE + 1) for x in (a, c))
            return "{} if {} else {}".format(*parts, _closed(_index(b, names), CHOICE)), CHOICE
        case Binary(op=op, a=a, b=b) if op in INDEX:
            sign, binds = INDEX[op]
            return f"{_closed(_index(a, names), binds)} {sign} {_closed(_index(b, names), binds + 1)}", binds
        case Binary(op=op, a=a, b=b):
            return f"{op.lower()}({_index(a, names)[0]}, {_index(b, names)[0]})", ATOM
        case _:
            return str(e), ATOM


def _closed(piece: Piece, least: int) -> str:
    text, binds = piece
    return text if binds >= least else f"({text})"


class Writer:
    """One step on its way to lines: the names of its variables, and what stands below it."""

    def __init__(self, program: data.Program, arrays: Mapping[int, str]) -> None:
        self.program, self.arrays = program, arrays
        self.names: dict[str, str] = {}
        self.shared: dict[int, str] = {}
        self.often: set[int] = set()
        self.notes: list[str] = []
        self.binders = 0

    def definition(self, d: data.Definition) -> list[str]:
        """An array: its extents and dtype, its element, and what that is made of."""
        for k, v in enumerate(d.vars):
            self.names[v.name] = LETTERS[k] if k < len(LETTERS) else f"i{k}"
        counts = Counter(self._met(d.body, set()))
        self.often = {key for key, n in counts.items() if n > 1}
        name = self.arrays.get(id(d), d.name)
        extents = [self.index(each)[0] for each in d.dims]
        head = f"{_at(name, [self.names[v.name] for v in d.vars])} = {self.element(d.body, top=True)[0]}"
        if d.within is not None:
            start, end = (self.index(each)[0] for each in d.within)
            head += f" for {start} <= {self.names[d.vars[-1].name]} < {end}"
        return [f"{name}: {_type(extents, d.dtype)}", head, *self.below()]

    def below(self) -> list[str]:
        """What the line above names, innermost last."""
        return [f"    {each}" for each in self.notes]

    def _met(self, t: data.Element, seen: set[int]) -> Iterator[int]:
        """The nodes that are more than a leaf, each as often as it is used."""
        if isinstance(t, data.Literal | data.OpenElement | data.Read):
            return
        yield id(t)
        if id(t) in seen:
            return
        seen.add(id(t))
        for each in parts(t):
            yield from self._met(each, seen)

    # --- elements

    def element(self, t: data.Element, top: bool = False) -> Piece:
        """An element; by its name where it is used several times."""
        if not top and id(t) in self.often:
            if id(t) not in self.shared:
                self.shared[id(t)] = name = f"e{len(self.shared)}"
                place = len(self.notes)
                self.notes.insert(place, f"{name} = {self._element(t)[0]}")
            return self.shared[id(t)], ATOM
        return self._element(t)

    def text(self, t: data.Element) -> str:
        return self.element(t)[0]

    def index(self, e: PrimExpr) -> Piece:
        """An index; an element that is one is written out below."""
        for each in walk(e):
            if isinstance(each, SymVar) and each.name in self.program.opaque and each.name not in self.names:
                element, dtype = self.program.opaque[each.name]
                self.names[each.name] = name = each.name.replace("?", "n")
                of = "" if dtype == "int64" else f" of {dtype}"
                self.notes.append(f"{name} = index({self.text(element)}){of}")
        return _index(e, self.names)

    def _element(self, t: data.Element) -> Piece:
        match t:
            case data.Literal(dtype=dtype, value=value):
                return self._literal(dtype, value)
            case data.Read(array=array, at=at):
                name = self.arrays.get(id(array), array.name)
                return _at(name, [self.index(each)[0] for each in at]), ATOM
            case data.Operation():
                return self._operation(t)
            case data.Choice(condition=condition, then=then, other=other):
                found = _closed(self.element(then), CHOICE + 1), _closed(self.index(condition), CHOICE + 1)
                return "{} if {} else {}".format(*found, _closed(self.element(other), CHOICE)), CHOICE
            case data.OpenElement(rule=rule):
                return f"poison({rule})", ATOM
            case data.Fold():
                return self._fold(t), ATOM
            case data.Either(forms=forms):
                return f"either({' | '.join(map(self.text, forms))})", ATOM
            case data.Bound():
                return self._bound(t), ATOM
            case _:
                assert_never(t)

    def _literal(self, dtype: str, value: object) -> Piece:
        if isinstance(value, PrimExpr):
            return f"{dtype}({self.index(value)[0]})", ATOM
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            value = int(value)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return text, ATOM if text.replace(".", "").isalnum() else SUMS + 1

    def _operation(self, t: data.Operation) -> Piece:
        name, _, function = t.name.partition(":")
        if name in INFIX and len(t.args) == 2:
            sign, binds = INFIX[name]
            a, b = (self.element(each) for each in t.args)
            return f"{_closed(a, binds + (binds == 6))} {sign} {_closed(b, binds + 1)}", binds
        match name:
            case "neg":
                return f"-{_closed(self.element(t.args[0]), UNARY)}", UNARY
            case "negate":
                return f"not {_closed(self.element(t.args[0]), NOT)}", NOT
            case "cast":
                return f"{t.dtype}({self.text(t.args[0])})", ATOM
            case "math" | "math2":
                called = function
            case "ideal":
                called = f"rounded_once_{getattr(t.source, 'name', t.source)}"
            case _:
                called = name
        return f"{called}({', '.join(map(self.text, t.args))})", ATOM

    # --- families

    def _family(self, f: data.Family) -> str:
        if isinstance(f, data.Items):
            return ", ".join(map(self.text, f.items))
        for v in f.vars:
            self._bind(v)
        loops = self._loops(f)
        where = "" if f.where is None else f" if {self.index(f.where)[0]}"
        return f"{self.text(f.item)} {loops}{where}".rstrip()

    def _loops(self, f: data.Each) -> str:
        pairs = zip(f.vars, f.dims, strict=True)
        return " ".join(f"for {self.names[v.name]} < {self.index(n)[0]}" for v, n in pairs)

    def _bind(self, v: SymVar) -> str:
        """The name of a family's variable, by which what is written below knows it too."""
        if v.name not in self.names:
            k, self.binders = self.binders, self.binders + 1
            self.names[v.name] = BINDERS[k] if k < len(BINDERS) else f"{BINDERS[k % len(BINDERS)]}{k // len(BINDERS)}"
        return self.names[v.name]

    def _unnamed(self, f: data.Each) -> bool:
        return not any(v.name in self.names for v in f.vars)

    def _fold(self, t: data.Fold) -> str:
        if t.name == "dot":
            half = len(t.families) // 2
            left, right = t.families[:half], t.families[half:]
            both = [self._product(a, b) for a, b in zip(left, right, strict=True)]
            return f"dot({'; '.join(both)})"
        name = {"reduce": FOLDS.get(t.op, t.op), "argreduce": f"arg{FOLDS.get(t.op, t.op)}", "last": "last"}[t.name]
        return f"{name}({'; '.join(map(self._family, t.families))})"

    def _product(self, a: data.Family, b: data.Family) -> str:
        if isinstance(a, data.Each) and isinstance(b, data.Each) and a.dims == b.dims and self._unnamed(b):
            for v, w in zip(a.vars, b.vars, strict=True):
                self.names[w.name] = self._bind(v)
            sides = " * ".join(_closed(self.element(x.item), 12) for x in (a, b))
            loops = self._loops(a)
            tests = [self.index(x.where)[0] for x in (a, b) if x.where is not None]
            return f"{sides} {loops}" + (f" if {' and '.join(dict.fromkeys(tests))}" if tests else "")
        return f"[{self._family(a)}] * [{self._family(b)}]"

    def _bound(self, t: data.Bound) -> str:
        name = self._bind(t.symbol)
        of = f" [{t.rule}]" if t.rule else ""
        return f"with({name} = index({self.text(t.index)}){of}: {self.text(t.body)})"


def parts(t: data.Element) -> Iterator[data.Element]:
    """The elements that an element is made of."""
    match t:
        case data.Operation(args=args) | data.Either(forms=args):
            yield from args
        case data.Choice(then=then, other=other):
            yield from (then, other)
        case data.Fold(families=families):
            for each in families:
                yield from (each.items if isinstance(each, data.Items) else (each.item,))
        case data.Bound(index=at, body=body):
            yield from (at, body)
        case _:
            return


def nodes(t: data.Element) -> Iterator[data.Element]:
    """An element and all that it is made of, each once."""
    pending, seen = [t], {id(t)}
    while pending:
        each = pending.pop()
        yield each
        new = [part for part in parts(each) if id(part) not in seen]
        seen.update(map(id, new))
        pending += new


__all__ = ["formula", "index", "nodes"]
