"""Pairs of small loop programs, the second a mutation of the first: some equal, most not, some by a hair.

Programs are trees of tuples, ``(head, part, …)`` with strings at the leaves, and are spelled as TVMScript. A mutation
replaces one part: by another part, or by what a careless rewriter would make of it.
"""

from __future__ import annotations

import random
from typing import Any

Tree = Any

HEAD = """n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(({n},), "float32"), B: T.Buffer(({n},), "float32"), X: T.Buffer(({n},), "{index}"),
             C: T.Buffer(({n},), "float32"), D: T.Buffer(({n},), "{index}")):
"""

KINDS = ("range", "range", "range", "T.parallel", "T.vectorized", "T.unroll")
ELEMENTS = frozenset({"A", "B", "C", "lit", "own", "cast", "f+", "f*", "f-", "max", "choose", "select"})

OF_TWO = frozenset({"f+", "f*", "f-", "max", "+", "-", "*", "//", "%", "min", "<", "<f", ">="})

STARTS = {"+": ("0.0", "-0.0"), "max": ("'-inf'", "-3.4028234663852886e38")}

BIG = (3, 1 << 20, 1 << 40, 1 << 60, (1 << 63) - 1)


class Maker:
    """Random parts. ``n``: the extent as it is spelled; ``index``: the dtype of ``X`` and ``D``."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.n = rng.choice(("n", "n", "8"))
        self.index = rng.choice(("int32", "int64"))

    def pick(self, *choices: Tree) -> Tree:
        """One of the choices; those that are functions are called, and only if they are chosen."""
        chosen = self.rng.choice(choices)
        return chosen() if callable(chosen) else chosen

    def position(self, depth: int = 2) -> Tree:
        """An int64 index."""
        simple = self.pick("i", "i", "i", "0", ("last",), "i", ("+", "i", "1"))
        if depth == 0:
            return simple
        return self.pick(
            simple,
            simple,
            lambda: ("-", ("last",), self.position(depth - 1)),
            lambda: ("//", self.position(depth - 1), "2"),
            lambda: ("%", self.position(depth - 1), self.pick("4", "i", ("n",))),
            lambda: ("min", self.position(depth - 1), ("last",)),
            lambda: ("choose", self.condition(depth - 1), self.position(0), self.position(0)),
            lambda: ("read", self.position(0), self.pick("7", "3", str(1 << 40))),
            lambda: ("+", self.position(depth - 1), ("-", "0", "i")),
        )

    def condition(self, depth: int = 1) -> Tree:
        """Of indices, or of data."""
        big = str(self.rng.choice(BIG))
        return self.pick(
            lambda: ("<", self.position(0), ("n",)),
            (">=", "i", "2"),
            (">=", ("*", "i", big), "0"),
            ("==", ("%", "i", "2"), "0"),
            lambda: ("<f", self.element(depth - 1), self.element(0)),
            lambda: ("==x", self.position(0), self.pick("123456", "3", "-1")),
        )

    def element(self, depth: int = 2) -> Tree:
        """A float32."""
        place = self.position(1 if depth > 0 else 0)
        simple = self.pick(("A", place), ("B", "i"), ("lit", self.pick("0.0", "-0.0", "1.0", "2.5")))
        if depth <= 0:
            return simple
        return self.pick(
            simple,
            lambda: ("f+", self.element(depth - 1), self.element(depth - 1)),
            lambda: ("f*", self.element(depth - 1), self.pick(("lit", "0.0"), ("lit", "1.0"), self.element(0))),
            lambda: ("f-", self.element(depth - 1), self.element(depth - 1)),
            lambda: ("max", self.element(depth - 1), self.element(depth - 1)),
            lambda: ("choose", self.condition(), self.element(depth - 1), self.element(depth - 1)),
            lambda: ("select", self.condition(), self.element(depth - 1), self.element(depth - 1)),
            ("cast", ("X", "i")),
            ("own",),
            lambda: ("C", self.position(1)),
        )

    def integer(self) -> Tree:
        """An element of ``D``."""
        return self.pick(
            lambda: ("X", self.position(0)),
            ("and", ("X", "i"), "7"),
            lambda: ("narrow", ("*", "i", str(self.rng.choice(BIG)))),
            lambda: ("narrow", self.position(1)),
            ("d+", ("D", "i"), ("X", "i")),
            ("through", "D", "i"),
            ("through", "X", "i"),
            lambda: ("whole", ("C", self.position(1))),
        )

    def statement(self) -> Tree:
        kind = self.rng.choice(KINDS)
        body = self.pick(
            lambda: ("store", "C", self.position(1), self.element()),
            lambda: ("store", "C", "i", self.element()),
            lambda: ("store", "C", "i", self.element()),
            lambda: ("store", "D", "i", self.integer()),
            lambda: ("both", ("store", "D", "i", self.integer()), ("store", "D", "i", self.integer())),
            lambda: ("store", "C", self.pick("0", ("//", "i", "2")), self.element(1)),
            lambda: (
                "if",
                self.pick((">=", "i", "2"), ("<", ("+", "i", "1"), ("n",))),
                ("store", "C", "i", self.element()),
            ),
            lambda: ("sum", self.element(1), self.pick("0.0", "-0.0", "own")),
            lambda: ("temp", self.element(1), self.element(1)),
            self.reduction,
        )
        return ("loop", kind, self.pick(("n",), ("n",), ("n",), ("last",), ("//", ("n",), "2")), body)

    def reduction(self) -> Tree:
        """A reduction, in any order or in one, from a start that changes nothing or nearly nothing."""
        op = self.rng.choice(("+", "max"))
        item = self.pick(("A", "k"), ("A", "k"), ("B", ("-", ("last",), "k")), ("f*", ("A", "k"), ("B", "k")))
        return (self.rng.choice(("reduce", "reduce", "serial")), op, self.rng.choice(STARTS[op]), item)

    def program(self) -> Tree:
        cover = ("loop", "range", ("n",), ("store", "C", "i", self.element(1)))
        return ("program", cover, *(self.statement() for _ in range(self.rng.randint(1, 2))))

    def straight(self) -> Tree:
        """A program that is always read: deep elements, and nothing that another iteration writes."""
        stores = [
            ("store", "C", "i", self.pick(lambda: self.element(0), lambda: self.element(3))),
            self.pick(self.reduction, lambda: ("store", "C", "i", self.element(2))),
            ("store", "D", "i", self.pick(self.integer, lambda: ("whole", ("C", self.position(1))))),
        ]
        chosen = [stores[0], *self.pick(stores[1:2], stores[2:], stores[1:])]
        return ("program", *(("loop", "range", ("n",), _apart(each)) for each in chosen))

    # --- mutations ---------------------------------------------------------------------------------------------------

    def mutated(self, program: Tree) -> Tree:
        """The program with one part changed."""
        places = list(_places(program))
        for _ in range(20):
            place = self.rng.choice(places)
            new = self.changed(_at(program, place))
            if new is not None:
                return _with(program, place, new)
        return program

    def exchanged(self, program: Tree) -> Tree:
        """The program with the operands of one operation exchanged."""
        of_two = [p for p in _places(program) if _at(program, p)[0] in OF_TWO and len(_at(program, p)) == 3]
        if not of_two:
            return program
        place = self.rng.choice(of_two)
        op, a, b = _at(program, place)
        return _with(program, place, (op, b, a))

    def changed(self, part: Tree) -> Tree | None:
        """Another part for this one: often what a careless rewriter would call equal."""
        chosen = part[2] if part[0] in ("choose", "select") else part
        if chosen[0] in ELEMENTS and self.rng.random() < 0.4:
            return self.guarded(part)
        match part:
            case ("loop", kind, extent, body):
                other = ("loop", self.rng.choice(KINDS), extent, body)
                wider = ("loop", kind, self.pick(("n",), ("last",), ("+", ("n",), "1")), body)
                return self.pick(other, other, wider)
            case ("choose" | "select" as how, condition, a, b):
                return self.pick(a, (how, condition, b, a), ("select", condition, a, b), ("choose", condition, a, b))
            case ("f+" | "max" | "f*" as op, a, b):
                return self.pick((op, b, a), a, b)
            case ("f-", a, b) if a == b:
                return ("lit", "0.0")
            case ("f-", a, b):
                return self.pick(("f-", b, a), a)
            case ("A" | "B" | "X" | "C", "i"):
                return (
                    part[0],
                    self.pick(("+", "i", "1"), ("-", ("last",), "i"), ("*", "i", "1"), ("+", "i", ("-", "0", "0"))),
                )
            case (("A" | "B") as name, "k"):
                return (name, ("-", ("last",), "k"))
            case (("A" | "C") as name, position):
                return (name, self.pick("i", ("+", position, "0"), position))
            case ("lit", _):
                return ("lit", self.pick("0.0", "-0.0", "1.0"))
            case ("store", name, position, value):
                dead = ("store", name, position, self.element(1) if name == "C" else self.integer())
                return ("both", self.pick(dead, part), ("store", name, position, value))
            case ("if", _, body):
                return body
            case ("through", name, position):
                return self.pick(("through", "D", position), ("through", "X", position), ("X", position))
            case ("sum", item, start):
                return ("sum", item, self.pick("0.0", "-0.0", "own", start))
            case ("reduce" | "serial" as how, op, _, item):
                return (how, op, self.rng.choice(STARTS[op]), item)
            case ("read", position, mask):
                return ("read", position, self.pick("7", "3", mask))
            case ("+" | "*" as op, a, b):
                return (op, b, a)
            case ("-" | "//" | "%" | "min", a, _):
                return a
            case _:
                return None

    def guarded(self, value: Tree) -> Tree:
        """The same value, behind a condition that does not matter, or so it seems."""
        return self.pick(
            lambda: ("select", self.condition(), value, value),
            lambda: ("choose", self.condition(), value, value),
            ("f*", value, ("lit", "1.0")),
            ("f+", value, ("lit", self.pick("0.0", "-0.0"))),
        )

    # --- text --------------------------------------------------------------------------------------------------------

    def text(self, program: Tree) -> str:
        lines: list[str] = []
        for statement in program[1:]:
            self._statement(statement, 2, lines, "")
        return HEAD.format(n=self.n, index=self.index) + "\n".join(lines) + "\n"

    def _statement(self, s: Tree, depth: int, lines: list[str], where: str) -> None:
        pad = "    " * depth
        match s:
            case ("loop", kind, extent, body):
                lines.append(f"{pad}for i in {kind}({self._index(extent)}):")
                self._statement(body, depth + 1, lines, where)
            case ("both", a, b):
                self._statement(a, depth, lines, where)
                self._statement(b, depth, lines, where)
            case ("if", condition, body):
                lines.append(f"{pad}if {self._condition(condition)}:")
                self._statement(body, depth + 1, lines, where)
            case ("store", name, position, value):
                at = self._index(position)
                said = self._element(value, f"{name}[{at}]") if name == "C" else self._integer(value)
                lines.append(f"{pad}{name}[{at}] = {said}")
            case ("sum", item, start):
                first = "C[i]" if start == "own" else f"T.float32({start})"
                lines.append(f"{pad}C[i] = {first}")
                lines.append(f"{pad}for k in range(4):")
                lines.append(f"{pad}    C[i] = C[i] + {self._element(item, 'A[i]')}")
            case ("reduce", op, start, item):
                new = self._element(item, "C[vi]")
                lines += [
                    f"{pad}for k in range({self._index(('n',))}):",
                    f"{pad}    with T.sblock('r'):",
                    f"{pad}        vi = T.axis.spatial({self._index(('n',))}, i)",
                    f"{pad}        vk = T.axis.reduce({self._index(('n',))}, k)",
                    f"{pad}        with T.init():",
                    f"{pad}            C[vi] = T.float32({start})",
                    f"{pad}        C[vi] = " + (f"C[vi] + {new}" if op == "+" else f"T.max(C[vi], {new})"),
                ]
            case ("serial", op, start, item):
                new = self._element(item, "C[i]")
                lines += [
                    f"{pad}C[i] = T.float32({start})",
                    f"{pad}for vk in range({self._index(('n',))}):",
                    f"{pad}    C[i] = " + (f"C[i] + {new}" if op == "+" else f"T.max(C[i], {new})"),
                ]
            case ("temp", first, then):
                lines.append(f"{pad}t = T.alloc_buffer((1,))")
                lines.append(f"{pad}t[0] = {self._element(first, 'C[i]')}")
                lines.append(f"{pad}C[i] = t[0] * {self._element(then, 't[0]')}")

    def _index(self, e: Tree) -> str:
        match e:
            case str():
                return {"i": "i", "k": "vk"}.get(e) or f"T.int64({e})"
            case ("n",):
                return "n" if self.n == "n" else "T.int64(8)"
            case ("last",):
                return f"({self._index(('n',))} - T.int64(1))"
            case ("min", a, b):
                return f"T.min({self._index(a)}, {self._index(b)})"
            case ("choose", c, a, b):
                return f"T.if_then_else({self._condition(c)}, {self._index(a)}, {self._index(b)})"
            case ("select", c, a, b):
                return f"T.Select({self._condition(c)}, {self._index(a)}, {self._index(b)})"
            case ("read", position, mask):
                dtype = "int64" if int(mask) > 1 << 31 else self.index
                read = f"T.Cast('{dtype}', X[{self._index(position)}])"
                masked = f"T.bitwise_and({read}, T.{dtype}({mask}))"
                return f"T.Cast('int64', {masked})"
            case (op, a, b):
                return f"({self._index(a)} {op} {self._index(b)})"
        raise AssertionError(e)

    def _condition(self, c: Tree) -> str:
        match c:
            case ("<f", a, b):
                return f"({self._element(a, 'B[i]')} < {self._element(b, 'B[i]')})"
            case ("==x", position, value):
                return f"(X[{self._index(position)}] == T.{self.index}({value}))"
            case (op, a, b):
                return f"({self._index(a)} {op} {self._index(b)})"
        raise AssertionError(c)

    def _element(self, e: Tree, own: str) -> str:
        match e:
            case ("A" | "B" | "C" as name, position):
                return f"{name}[{self._index(position)}]"
            case ("lit", value):
                return f"T.float32({value})"
            case ("own",):
                return own
            case ("f+" | "f*" | "f-" as op, a, b):
                return f"({self._element(a, own)} {op[1]} {self._element(b, own)})"
            case ("max", a, b):
                return f"T.max({self._element(a, own)}, {self._element(b, own)})"
            case ("choose", c, a, b):
                return f"T.if_then_else({self._condition(c)}, {self._element(a, own)}, {self._element(b, own)})"
            case ("select", c, a, b):
                return f"T.Select({self._condition(c)}, {self._element(a, own)}, {self._element(b, own)})"
            case ("cast", a):
                return f"T.Cast('float32', {self._integer(a)})"
        raise AssertionError(e)

    def _integer(self, e: Tree) -> str:
        match e:
            case ("X" | "D" as name, position):
                return f"{name}[{self._index(position)}]"
            case ("and", a, mask):
                return f"T.bitwise_and({self._integer(a)}, T.{self.index}({mask}))"
            case ("whole", a):
                return f"T.Cast('{self.index}', {self._element(a, 'C[i]')})"
            case ("narrow", a):
                return f"T.Cast('{self.index}', {self._index(a)})"
            case ("through", name, position):
                inner = f"T.bitwise_and({name}[{self._index(position)}], T.{self.index}(7))"
                return f"X[T.Cast('int64', {inner})]"
            case ("d+", a, b):
                return f"({self._integer(a)} + {self._integer(b)})"
        raise AssertionError(e)


def _apart(tree: Tree) -> Tree:
    """The tree without reads of what the same loop writes elsewhere."""
    match tree:
        case ("store", "D", _, _):
            return tree
        case ("C", position):
            return ("A", _apart(position))
        case tuple():
            return (tree[0], *map(_apart, tree[1:]))
        case _:
            return tree


def _places(tree: Tree, place: tuple[int, ...] = ()) -> Any:
    if isinstance(tree, tuple):
        yield place
        for k, each in enumerate(tree[1:], 1):
            yield from _places(each, (*place, k))


def _at(tree: Tree, place: tuple[int, ...]) -> Tree:
    for k in place:
        tree = tree[k]
    return tree


def _with(tree: Tree, place: tuple[int, ...], new: Tree) -> Tree:
    if not place:
        return new
    k, *rest = place
    return (*tree[:k], _with(tree[k], tuple(rest), new), *tree[k + 1 :])


def pair(seed: int, straight: bool = False) -> tuple[str, str]:
    """Two programs; of each fourth pair one has two operands the other way round: seldom drawn, often believed."""
    rng = random.Random(seed)
    maker = Maker(rng)
    first = maker.straight() if straight else maker.program()
    second = maker.exchanged(first) if seed % 4 == 3 else first
    for _ in range(rng.choice((1, 1, 1, 2)) + straight):
        second = maker.mutated(second)
    return (maker.text(first), maker.text(second)) if rng.random() < 0.7 else (maker.text(second), maker.text(first))
