"""Random chains of calls of a few small loop programs, in pairs that differ by a hair.

A program is a list of statements ``(name, how, function, arguments)``, spelled as TVMScript: calls in destination form,
in place and for effect on planned memory, operators, branches, prints and assertions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

T = 'R.Tensor((n,), "int32")'

FUNCTIONS = """
n = T.int64()
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = A[i] * 2 + B[i]
    @T.prim_func(private=True)
    def copy(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = A[i]
    @T.prim_func(private=True)
    def part(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            if i < 1:
                C[i] = A[i] + 1
    @T.prim_func(private=True)
    def turn(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = A[n - 1 - i]
    @T.prim_func(private=True)
    def bump(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        for i in range(n):
            A[i] = A[i] + 1
    @T.prim_func(private=True)
    def still(a: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        for i in range(n):
            A[i] = A[i]
    @T.prim_func(private=True)
    def into(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = C[i] + A[i]
    @T.prim_func(private=True)
    def both(a: T.handle, c: T.handle, d: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        D = T.match_buffer(d, (n,), "int32")
        for i in range(n):
            C[i] = A[i] + 3
        for i in range(n):
            D[i] = C[n - 1 - i]
    @T.prim_func(private=True)
    def pick(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = T.if_then_else(A[i] > 0, A[i], B[n - 1 - i])
    @T.prim_func(private=True)
    def count(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = 0
            for j in range(n):
                C[i] = C[i] + A[j] * T.Cast("int32", i + 1)
    @T.prim_func(private=True)
    def reads(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = A[T.min(T.max(T.Cast("int64", B[i]), T.int64(0)), n - 1)]
    @T.prim_func(private=True)
    def where(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            if A[i] > 0:
                C[i] = A[i] + 5
    @T.prim_func(private=True)
    def plus(a: T.handle, k: T.int64, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = A[i] + T.Cast("int32", k)
    @T.prim_func(private=True)
    def nothing(a: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "int32")
        C = T.match_buffer(c, (n,), "int32")
        for i in range(n):
            if i < 0:
                C[i] = A[i]
    @T.prim_func(private=True)
    def other(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n,), "int32")
        Y = T.match_buffer(y, (n,), "int32")
        for j in range(n):
            Y[j] = X[j]
    @R.function(pure=False)
    def main(x: {T}, y: {T}, c: R.Tensor((), "bool"), d: R.Tensor((), "bool"), s: R.Shape([k])):
        cls = Module
""".replace("{T}", T).replace("n = T.int64()\n@I", "n = T.int64()\nk = T.int64()\n@I", 1)

PURE = {
    "add": 2,
    "copy": 1,
    "part": 1,
    "turn": 1,
    "pick": 2,
    "count": 1,
    "reads": 2,
    "where": 1,
    "nothing": 1,
    "other": 1,
}
"""Functions with one output, and how many inputs they have."""

STORING = {"bump": 0, "still": 0, "into": 1}
"""Functions that store in their last argument, and how many others they have."""

OPERATORS = {"R.add": 2, "R.multiply": 2, "R.maximum": 2, "R.subtract": 2, "R.negative": 1, "R.abs": 1}

ROOM = 'R.memory.alloc_storage(R.shape([n * 4]), R.prim_value(0), R.str("global"), R.dtype("uint8"))'
ALLOC = 'R.builtin.alloc_tensor(R.shape([n]), R.dtype("int32"), R.prim_value(0), R.str("global"))'


@dataclass(frozen=True)
class Line:
    """``how``: pure, inplace, effect, operator, both, alloc, placed, room, if, print, assert, alias."""

    name: str
    how: str
    function: str = ""
    args: tuple[str, ...] = ()
    arms: tuple[tuple[Line, ...], tuple[Line, ...]] = ((), ())
    ends: tuple[str, str] = ("", "")


@dataclass
class Maker:
    rng: random.Random
    memory: bool
    number: int = 0
    rooms: list[str] = field(default_factory=list)

    def fresh(self, start: str = "v") -> str:
        self.number += 1
        return f"{start}{self.number}"

    def call(self, known: list[str], placed: list[str], deep: int = 1) -> Iterator[Line]:
        rng = self.rng
        some = lambda k: tuple(rng.choice(known[-4:] if rng.random() < 0.7 else known) for _ in range(k))  # noqa: E731
        how = rng.choice(
            ["pure"] * 6 + ["operator", "both", "plus", "alias"] + ["if"] * (2 * deep) + ["inplace"]
            + (["effect"] * 6 + ["placed"] if self.memory else [])
            + (["print", "assert"] if deep and rng.random() < 0.2 else [])
        )  # fmt: skip
        name = self.fresh()
        match how:
            case "pure":
                f = rng.choice(self.few)
                yield Line(name, "pure", f, some(PURE[f]))
                known.append(name)
            case "operator":
                f = rng.choice(list(OPERATORS))
                yield Line(name, "operator", f, some(OPERATORS[f]))
                known.append(name)
            case "plus":
                yield Line(name, "pure", "plus", (*some(1), rng.choice(["n", "k", "2", "k + 1", "n * k"])))
                known.append(name)
            case "both":
                yield Line(name, "both", "both", some(1))
                known += [f"{name}_0", f"{name}_1"]
            case "alias":
                yield Line(name, "alias", "", some(1))
                known.append(name)
            case "inplace":
                f = rng.choice(list(STORING))
                first = self.fresh()
                yield Line(first, "pure", rng.choice(["copy", "turn"]), some(1))
                yield Line(name, "inplace", f, (*some(STORING[f]), first))
                known.append(name)
            case "placed" if self.rooms:
                yield Line(name, "placed", rng.choice(self.rooms))
                placed.append(name)
            case "effect" | "placed":
                if not placed or rng.random() < 0.3:
                    yield Line(name, "alloc")
                    placed.append(name)
                    name = self.fresh()
                into = rng.choice(placed)
                f = rng.choice([*self.few, *STORING])
                if f in STORING and into in known:
                    yield Line("", "effect", f, (*some(STORING[f]), into))
                elif f in PURE:
                    yield Line("", "effect", f, (*some(PURE[f]), into))
                    known.append(into)
            case "print":
                yield Line(self.fresh("p"), "print", "", some(1))
            case "assert":
                yield Line(self.fresh("p"), "assert", "", (rng.choice("cd"),))
            case "if":
                arms, ends = [], []
                for _ in range(2):
                    own, lines = list(known), []
                    for _ in range(rng.randint(1, 3)):
                        lines += self.call(own, list(placed), deep - 1)
                    arms.append(tuple(lines))
                    last = [each.name for each in lines if each.name in own] or own[-1:]
                    ends.append(last[-1])
                yield Line(name, "if", rng.choice("ccd"), (), (arms[0], arms[1]), (ends[0], ends[1]))
                known.append(name)

    def program(self) -> tuple[tuple[Line, ...], tuple[str, ...]]:
        self.few = self.rng.sample(sorted(PURE), 3)
        known, placed = ["x", "y"], []
        lines: list[Line] = []
        if self.memory and self.rng.random() < 0.5:
            self.rooms.append(self.fresh("r"))
            lines.append(Line(self.rooms[0], "room"))
        for _ in range(self.rng.randint(2, 7)):
            lines += self.call(known, placed)
        own = [each for each in known if each not in "xy"] or known
        return tuple(lines), tuple(self.rng.sample(own, min(len(own), self.rng.randint(1, 3))))


def spelled(lines: tuple[Line, ...], ends: tuple[str, ...]) -> str:
    text = "".join(f"{each}\n" for each in _lines(lines, 8)) + f"        return ({', '.join(ends)},)\n"
    head, *functions, main = FUNCTIONS.split("    @")
    used = [each for each in functions if f"cls.{each.split('def ')[1].split('(')[0]}" in text]
    return "    @".join([head, *used, main]) + text


def _lines(lines: tuple[Line, ...], indent: int) -> Iterator[str]:
    pad = " " * indent
    for each in lines:
        given = ", ".join(f"R.prim_value({a})" if each.function == "plus" and k else a for k, a in enumerate(each.args))
        tuple_ = f"({given},)"
        match each.how:
            case "pure":
                yield f"{pad}{each.name} = R.call_tir(cls.{each.function}, {tuple_}, out_ty={T})"
            case "operator":
                yield f"{pad}{each.name} = {each.function}({given})"
            case "alias":
                yield f"{pad}{each.name} = {given}"
            case "both":
                yield f"{pad}{each.name} = R.call_tir(cls.both, {tuple_}, out_ty=[{T}, {T}])"
                yield f"{pad}{each.name}_0 = {each.name}[0]"
                yield f"{pad}{each.name}_1 = {each.name}[1]"
            case "inplace":
                at = len(each.args) - 1
                call = f"cls.{each.function}, {tuple_}, inplace_indices=[{at}]"
                yield f"{pad}{each.name} = R.call_tir_inplace({call}, out_ty={T})"
            case "alloc":
                yield f"{pad}{each.name} = {ALLOC}"
            case "room":
                yield f"{pad}{each.name} = {ROOM}"
            case "placed":
                args = f'{each.function}, R.prim_value(0), R.shape([n]), R.dtype("int32")'
                yield f"{pad}{each.name} = R.memory.alloc_tensor({args})"
            case "effect":
                yield f"{pad}_ = cls.{each.function}({given})"
            case "print":
                yield f'{pad}_ = R.print({given}, format="p")'
            case "assert":
                yield f'{pad}_ = R.assert_op({given}, format="a")'
            case "if":
                yield f"{pad}if {each.function}:"
                yield from _lines(each.arms[0], indent + 4)
                yield f"{pad}    {each.name} = {each.ends[0]}"
                yield f"{pad}else:"
                yield from _lines(each.arms[1], indent + 4)
                yield f"{pad}    {each.name} = {each.ends[1]}"


# --- mutations


def changed(
    rng: random.Random, lines: tuple[Line, ...], ends: tuple[str, ...]
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """Some line another way: arguments exchanged, another name, another function, a line less, twice or elsewhere."""
    names = ["x", "y", *(n for each in lines for n in _names(each))]
    if rng.random() < 0.15 or not lines:
        what = list(ends)
        what[rng.randrange(len(what))] = rng.choice(names)
        return lines, tuple(what)
    k = rng.randrange(len(lines))
    each, rest = lines[k], list(lines)
    before = ["x", "y", *(n for line in lines[:k] for n in _names(line))]
    if each.how == "if" and rng.random() < 0.7:
        side = rng.randrange(2)
        if rng.random() < 0.3:
            found = replace(each, function=rng.choice("cd"), arms=each.arms[::-1], ends=each.ends[::-1])
            found = found if rng.random() < 0.5 else replace(each, function="d" if each.function == "c" else "c")
        elif rng.random() < 0.5 and k + 1 < len(lines) and lines[k + 1].how not in ("print", "assert", "room"):
            arms = tuple((*arm, lines[k + 1]) for arm in each.arms)  # a line behind in both branches
            rest[k] = replace(each, arms=(arms[0], arms[1]))
            return tuple(rest), ends
        else:
            arm, (end,) = changed(rng, each.arms[side], (each.ends[side],))
            found = replace(
                each,
                arms=(arm, each.arms[1]) if side == 0 else (each.arms[0], arm),
                ends=(end, each.ends[1]) if side == 0 else (each.ends[0], end),
            )
        rest[k] = found
        return tuple(rest), ends
    match rng.choice(["turn", "name", "name", "function", "less", "twice", "move", "instead", "storage"]):
        case "turn":
            rest[k] = replace(each, args=each.args[::-1])
        case "name" if each.args:
            at = rng.randrange(len(each.args))
            rest[k] = replace(each, args=(*each.args[:at], rng.choice(before), *each.args[at + 1 :]))
        case "function" if each.function in PURE:
            same = [f for f, n in PURE.items() if n == PURE[each.function]]
            rest[k] = replace(each, function=rng.choice(same))
        case "less":
            del rest[k]
            if each.name:
                rest.insert(k, Line(each.name, "alias", "", (rng.choice(before),)))
        case "twice":
            copy = replace(each, name=f"{each.name}t") if each.name else each
            rest.insert(k, copy)
        case "move" if k + 1 < len(lines):
            rest[k], rest[k + 1] = rest[k + 1], rest[k]
        case "instead" if len(lines) > 1:
            other = rng.choice(lines)
            rest[k] = replace(other, name=each.name) if other.how == each.how else each
        case "storage" if each.how == "alloc":
            allocs = [line.name for line in lines[:k] if line.how in ("alloc", "placed")]
            rest[k] = Line(each.name, "alias", "", (rng.choice(allocs),)) if allocs else each
        case _:
            pass
    return tuple(rest), ends


def _names(each: Line) -> list[str]:
    if each.how == "both":
        return [f"{each.name}_0", f"{each.name}_1"]
    return [each.name] if each.how in ("pure", "operator", "alias", "inplace", "if", "alloc", "placed") else []


def pair(seed: int) -> tuple[str, str]:
    """Two texts; the second is the first with one to three changes."""
    rng = random.Random(seed)
    maker = Maker(rng, memory=rng.random() < 0.5)
    lines, ends = maker.program()
    first = spelled(lines, ends)
    for _ in range(rng.choice([1, 1, 2, 3])):
        lines, ends = changed(rng, lines, ends)
    return first, spelled(lines, ends)
