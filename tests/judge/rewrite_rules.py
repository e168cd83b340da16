"""Rewrite rules as an algebraic simplifier has them, restated at ranks 1 and 2: sizes and positions are symbols.

A rule is written once, over letters: at rank ``r`` the letter ``n`` of an extent or position is ``n0``, ``n1`` and so
on, one an axis. ``Rule.false`` are right sides that are wrong by a hair.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LETTER = re.compile(r"\b([a-z])\b")


def on(e: str, k: int) -> str:
    """An expression over letters, on axis ``k``."""
    return LETTER.sub(rf"\g<1>{k}", e)


@dataclass
class Rank:
    """What texts of a rank are made of."""

    r: int
    symbols: dict[str, None] = field(default_factory=dict)

    def each(self, *es: str) -> list[str]:
        return [on(e, k) for k in range(self.r) for e in es]

    def shape(self, e: str) -> str:
        return "(" + ", ".join(self.each(e)) + ",)"

    def tensor(self, e: str, dtype: str = "float32") -> str:
        return f'R.Tensor({self.shape(e)}, "{dtype}")'

    def numbers(self, *es: str) -> str:
        return "R.Shape((" + ", ".join(self.each(*es)) + ",))"

    @property
    def axes(self) -> list[int]:
        return list(range(self.r))

    def slice(self, x: str, b: str, e: str, s: str = "1") -> str:
        def many(t: str) -> str:
            return "[" + ", ".join(self.each(t)) + "]"

        return f"R.strided_slice({x}, axes={self.axes}, begin={many(b)}, end={many(e)}, strides={many(s)})"

    def flip(self, x: str) -> str:
        for k in self.axes:
            x = f"R.flip({x}, axis={k})"
        return x

    def full(self, e: str, v: str, dtype: str = "float32") -> str:
        return f'R.full({self.shape(e)}, {v}, "{dtype}")'

    def broadcast(self, x: str, e: str) -> str:
        return f"R.broadcast_to({x}, {self.shape(e)})"

    def pad(self, x: str, lo: str, n: str, hi: str, v: str, dtype: str = "float32") -> str:
        """With fulls beside it, axis by axis."""
        for k in self.axes:

            def dims(e: str, k: int = k) -> str:
                parts = (
                    [on(f"({lo}) + ({n}) + ({hi})", j) for j in range(k)]
                    + [on(e, k)]
                    + [on(n, j) for j in range(k + 1, self.r)]
                )
                return "(" + ", ".join(parts) + ",)"

            def filled(e: str) -> str:
                return f'R.full({dims(e)}, {v}, "{dtype}")'

            parts = [*([filled(lo)] if lo != "0" else []), x, *([filled(hi)] if hi != "0" else [])]
            x = f"R.concat(({', '.join(parts)}), axis={k})"
        return x

    def concat(self, *xs: str, axis: int = 0) -> str:
        return f"R.concat(({', '.join(xs)},), axis={axis})"

    def along(self, e: str, other: str) -> str:
        """A tensor of extent ``e`` on axis 0 and ``other`` elsewhere."""
        return "(" + ", ".join([on(e, 0), *(on(other, k) for k in range(1, self.r))]) + ",)"

    def beside(self, e: str, other: str = "m", dtype: str = "float32") -> str:
        return f'R.Tensor({self.along(e, other)}, "{dtype}")'

    def cut(self, x: str, b: str, e: str, s: str = "1") -> str:
        """Of axis 0."""
        return f"R.strided_slice({x}, axes=[0], begin=[{on(b, 0)}], end=[{on(e, 0)}], strides=[{on(s, 0)}])"

    def transpose(self, x: str) -> str:
        return f"R.permute_dims({x}, axes={self.axes[::-1]})"


@dataclass(frozen=True)
class Rule:
    name: str
    params: str
    left: str
    right: str
    false: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


def text(rule_params: str, body: str) -> str:
    names = sorted(set(re.findall(r"\b[a-z][0-9]\b", rule_params + body)))
    head = "".join(f'{n} = TypeVar("{n}")\n' for n in names)
    module = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({rule_params}):\n"
    return f"{head}{module}        r = {body}\n        return r\n"


F0, F1, FN = (f'R.const({v}, "float32")' for v in ("0.0", "1.0", "-1.0"))
C = 'R.const({}, "{}")'


def c(v: object, dtype: str = "int32") -> str:
    return C.format(v, dtype)


def rules(r: int) -> list[Rule]:
    k = Rank(r)
    X = f"x: {k.tensor('n')}"
    XY = f"{X}, y: {k.tensor('n')}"
    I = f"x: {k.tensor('n', 'int32')}"
    IJ = f"{I}, y: {k.tensor('n', 'int32')}"
    IJK = f"{IJ}, z: {k.tensor('n', 'int32')}"
    B = f"p: {k.tensor('n', 'bool')}"
    BQ = f"{B}, q: {k.tensor('n', 'bool')}"
    U = f"x: {k.tensor('n', 'uint32')}"

    def given(*claims: str) -> tuple[str, ...]:
        return tuple(on(e, j) for e in claims for j in range(r))

    def g0(*claims: str) -> tuple[str, ...]:
        return tuple(on(e, 0) for e in claims)

    ab = f"{X}, s: {k.numbers('a', 'b')}"
    abcd = f"{X}, s: {k.numbers('a', 'b', 'c', 'd')}"
    out: list[Rule] = []

    def add(name: str, params: str, left: str, right: str, *false: str, given: tuple[str, ...] = ()) -> None:
        out.append(Rule(f"{name}", params, left, right, false, given))

    # slices
    add("slice-full", X, k.slice("x", "0", "n"), "x", k.flip("x"))
    add(
        "slice-slice",
        abcd,
        k.slice(k.slice("x", "a", "b"), "c", "d"),
        k.slice("x", "a + c", "a + d"),
        k.slice("x", "a + c", "b + d"),
        k.slice("x", "a + c", "d"),
        given=given("0 <= a", "a <= b", "b <= n", "0 <= c", "c <= d", "d <= b - a"),
    )
    add(
        "slice-slice-strided",
        abcd,
        k.slice(k.slice("x", "a", "n", "2"), "c", "d"),
        k.slice("x", "a + 2 * c", "a + 2 * d - 1", "2"),
        k.slice("x", "a + c", "a + 2 * d", "2"),
        given=given("0 <= a", "a <= n", "0 <= c", "c < d", "a + 2 * d <= n"),
    )
    add(
        "slice-strided-strided",
        f"{X}, s: {k.numbers('a', 'b', 'h', 'l')}",
        k.slice(k.slice("x", "0", "n", "h"), "0", "(n + h - 1) // h", "l"),
        k.slice("x", "0", "n", "h * l"),
        k.slice("x", "0", "n", "h + l"),
        given=given("h >= 1", "l >= 1"),
    )
    add(
        "slice-unary",
        ab,
        k.slice("R.exp(x)", "a", "b"),
        f"R.exp({k.slice('x', 'a', 'b')})",
        f"R.exp({k.slice('x', 'a', 'b + 1')})",
        given=given("0 <= a", "a <= b", "b < n"),
    )
    add(
        "slice-binary",
        f"{XY}, s: {k.numbers('a', 'b')}",
        k.slice("R.add(x, y)", "a", "b"),
        f"R.add({k.slice('x', 'a', 'b')}, {k.slice('y', 'a', 'b')})",
        f"R.add({k.slice('x', 'a', 'b')}, {k.slice('x', 'a', 'b')})",
        given=given("0 <= a", "a <= b", "b <= n"),
    )
    add(
        "slice-broadcast",
        f'x: R.Tensor((), "float32"), s: {k.numbers("a", "b", "n")}',
        k.slice(k.broadcast("x", "n"), "a", "b"),
        k.broadcast("x", "b - a"),
        k.broadcast("x", "b"),
        given=given("0 <= a", "a <= b", "b <= n"),
    )
    add(
        "slice-reverse",
        ab,
        k.slice(k.flip("x"), "a", "b"),
        k.flip(k.slice("x", "n - b", "n - a")),
        k.flip(k.slice("x", "a", "b")),
        given=given("0 <= a", "a <= b", "b <= n"),
    )
    add("slice-backwards", X, k.slice("x", "n - 1", "0 - n - 1", "0 - 1"), k.flip("x"), "x", given=given("n >= 1"))
    add(
        "slice-of-pad-inside",
        ab,
        k.slice(k.pad("x", "a", "n", "b", F0), "a", "a + n"),
        "x",
        k.slice(k.pad("x", "b", "n", "a", F0), "a", "a + n"),
        given=given("a >= 0", "b >= 0"),
    )
    add(
        "slice-of-pad-low",
        f"{X}, s: {k.numbers('a', 'b', 'c')}",
        k.slice(k.pad("x", "a", "n", "b", F1), "0", "c"),
        k.full("c", F1),
        k.full("c", F0),
        given=given("0 <= c", "c <= a", "b >= 0"),
    )
    add(
        "slice-of-concat-left",
        f"x: {k.beside('n')}, y: {k.beside('l')}, s: {k.numbers('a', 'b')}",
        k.cut(k.concat("x", "y"), "a", "b"),
        k.cut("x", "a", "b"),
        k.cut("y", "a", "b"),
        given=g0("0 <= a", "a <= b", "b <= n"),
    )
    add(
        "slice-of-concat-right",
        f"x: {k.beside('n')}, y: {k.beside('l')}, s: {k.numbers('a', 'b')}",
        k.cut(k.concat("x", "y"), "a", "b"),
        k.cut("y", "a - n", "b - n"),
        k.cut("y", "a", "b"),
        given=g0("n <= a", "a <= b", "b <= n + l"),
    )
    add(
        "slice-of-concat-both",
        f"x: {k.beside('n')}, y: {k.beside('l')}, s: {k.numbers('a', 'b')}",
        k.cut(k.concat("x", "y"), "a", "b"),
        k.concat(k.cut("x", "a", "n"), k.cut("y", "0", "b - n")),
        k.concat(k.cut("x", "0", "n - a"), k.cut("y", "0", "b - n")),
        given=g0("0 <= a", "a <= n", "n <= b", "b <= n + l"),
    )
    # pads
    add(
        "pad-pad",
        f"{X}, s: {k.numbers('a', 'b', 'c', 'd')}",
        k.pad(k.pad("x", "a", "n", "b", F0), "c", "(a + n + b)", "d", F0),
        k.pad("x", "a + c", "n", "b + d", F0),
        k.pad("x", "a + d", "n", "b + c", F0),
        given=given("a >= 0", "b >= 0", "c >= 0", "d >= 0"),
    )
    add(
        "pad-broadcast",
        f'x: R.Tensor((), "float32"), s: {k.numbers("a", "b", "n")}',
        k.pad(k.broadcast("x", "n"), "a", "n", "b", "x"),
        k.broadcast("x", "a + n + b"),
        k.pad(k.broadcast("x", "n"), "a", "n", "b", F0),
        given=given("a >= 0", "b >= 0"),
    )
    add(
        "pad-reverse",
        ab,
        k.flip(k.pad("x", "a", "n", "b", F0)),
        k.pad(k.flip("x"), "b", "n", "a", F0),
        k.pad(k.flip("x"), "a", "n", "b", F0),
        given=given("a >= 0", "b >= 0"),
    )
    add(
        "pad-unary",
        ab,
        f"R.negative({k.pad('x', 'a', 'n', 'b', F1)})",
        k.pad("R.negative(x)", "a", "n", "b", FN),
        k.pad("R.negative(x)", "a", "n", "b", F1),
        given=given("a >= 0", "b >= 0"),
    )
    add(
        "pad-binary",
        f"{XY}, s: {k.numbers('a', 'b')}",
        f"R.add({k.pad('x', 'a', 'n', 'b', F0)}, {k.pad('y', 'a', 'n', 'b', F0)})",
        k.pad("R.add(x, y)", "a", "n", "b", F0),
        k.pad("R.add(x, y)", "b", "n", "a", F0),
        given=given("a >= 0", "b >= 0"),
    )
    add("pad-nothing", X, k.pad("x", "n - n", "n", "0", F0), "x", k.flip("x"))
    add(
        "nn-pad",
        X,
        f"R.nn.pad(x, {[1, 2] * r}, 'constant', 0)",
        k.pad("x", "1", "n", "2", F0),
        k.pad("x", "2", "n", "1", F0),
    )
    add("nn-pad-slice", X, k.slice(f"R.nn.pad(x, {[1, 2] * r}, 'constant', 0)", "1", "n + 1"), "x", k.flip("x"))
    # reverse
    add("reverse-reverse", X, k.flip(k.flip("x")), "x", k.flip("x"))
    add(
        "reverse-binary",
        XY,
        f"R.multiply({k.flip('x')}, {k.flip('y')})",
        k.flip("R.multiply(x, y)"),
        f"R.multiply(x, {k.flip('y')})",
    )
    add(
        "reverse-broadcast",
        f'x: R.Tensor((), "float32"), s: {k.numbers("n")}',
        k.flip(k.broadcast("x", "n")),
        k.broadcast("x", "n"),
        k.full("n", F0),
    )
    add(
        "reverse-concat",
        f"x: {k.beside('n')}, y: {k.beside('l')}",
        f"R.flip({k.concat('x', 'y')}, axis=0)",
        k.concat("R.flip(y, axis=0)", "R.flip(x, axis=0)"),
        k.concat("R.flip(x, axis=0)", "R.flip(y, axis=0)"),
    )
    add("reverse-one", f"x: {k.tensor('1')}", k.flip("x"), "x", "R.negative(x)")
    add("reverse-reduce", f"x: {k.tensor('n', 'int32')}", f"R.sum({k.flip('x')})", "R.sum(x)", "R.prod(x)")
    add(
        "reverse-max",
        X,
        f"R.max({k.flip('x')}, axis=[0])",
        f"R.max({'R.flip(x, axis=1)' if r == 2 else 'x'}, axis=[0])",
        "R.min(x, axis=[0])",
        given=g0("n >= 1"),
    )
    # broadcast
    add(
        "broadcast-broadcast",
        f"x: {k.tensor('1')}, s: {k.numbers('n')}",
        k.broadcast(k.broadcast("x", "n"), "n"),
        k.broadcast("x", "n"),
        k.broadcast("R.negative(x)", "n"),
    )
    add(
        "broadcast-binary",
        f'x: R.Tensor((), "float32"), y: R.Tensor((), "float32"), s: {k.numbers("n")}',
        f"R.multiply({k.broadcast('x', 'n')}, {k.broadcast('y', 'n')})",
        k.broadcast("R.multiply(x, y)", "n"),
        k.broadcast("R.add(x, y)", "n"),
    )
    add(
        "broadcast-reduce",
        f'x: R.Tensor((), "int32"), s: {k.numbers("n")}',
        f"R.sum({k.broadcast('x', 'n')}, axis={k.axes})",
        f"R.multiply(x, R.astype(R.sum(R.ones({k.shape('n')}, 'int32'), axis={k.axes}), 'int32'))",
        "x",
    )
    add(
        "broadcast-max",
        f'x: R.Tensor((), "int32"), s: {k.numbers("n")}',
        f"R.max({k.broadcast('x', 'n')}, axis={k.axes})",
        "x",
        "R.negative(x)",
        given=given("n >= 1"),
    )
    add(
        "broadcast-where",
        f'p: R.Tensor((), "bool"), {XY[0:]}',
        f"R.where({k.broadcast('p', 'n')}, x, y)",
        "R.where(p, x, y)",
        "R.where(p, y, x)",
    )
    # concat
    add("concat-one", X, k.concat("x"), "x", "R.negative(x)")
    add("concat-empty", f"x: {k.beside('n')}, y: {k.beside('0')}", k.concat("x", "y"), "x", "R.negative(x)")
    add(
        "concat-nested",
        f"x: {k.beside('n')}, y: {k.beside('l')}, z: {k.beside('h')}",
        k.concat(k.concat("x", "y"), "z"),
        k.concat("x", k.concat("y", "z")),
        k.concat("x", k.concat("z", "y")),
    )
    add(
        "concat-of-slices",
        f"x: {k.beside('n')}, s: {k.numbers('a')}",
        k.concat(k.cut("x", "0", "a"), k.cut("x", "a", "n")),
        "x",
        k.concat(k.cut("x", "a", "n"), k.cut("x", "0", "a")),
        given=g0("0 <= a", "a <= n"),
    )
    add(
        "concat-adjacent",
        f"x: {k.beside('n')}, s: {k.numbers('a', 'b', 'c')}",
        k.concat(k.cut("x", "a", "b"), k.cut("x", "b", "c")),
        k.cut("x", "a", "c"),
        k.cut("x", "a", "c - 1"),
        given=g0("0 <= a", "a <= b", "b <= c", "c <= n"),
    )
    add(
        "concat-unary",
        f"x: {k.beside('n')}, y: {k.beside('l')}",
        f"R.exp({k.concat('x', 'y')})",
        k.concat("R.exp(x)", "R.exp(y)"),
        k.concat("R.exp(y)", "R.exp(x)"),
    )
    add(
        "concat-binary",
        f"x: {k.beside('n')}, y: {k.beside('l')}, z: {k.beside('n')}, w: {k.beside('l')}",
        f"R.add({k.concat('x', 'y')}, {k.concat('z', 'w')})",
        k.concat("R.add(x, z)", "R.add(y, w)"),
        k.concat("R.add(x, z)", "R.subtract(y, w)"),
    )
    add(
        "concat-reduce",
        f"x: {k.beside('n', dtype='int32')}, y: {k.beside('l', dtype='int32')}",
        f"R.sum({k.concat('x', 'y')}, axis=[0])",
        "R.add(R.sum(x, axis=[0]), R.sum(y, axis=[0]))",
        "R.subtract(R.sum(x, axis=[0]), R.sum(y, axis=[0]))",
    )
    add(
        "concat-max",
        f"x: {k.beside('n', dtype='int32')}, y: {k.beside('l', dtype='int32')}",
        f"R.max({k.concat('x', 'y')}, axis=[0])",
        "R.maximum(R.max(x, axis=[0]), R.max(y, axis=[0]))",
        "R.minimum(R.max(x, axis=[0]), R.max(y, axis=[0]))",
        given=g0("n >= 1", "l >= 1"),
    )
    add(
        "concat-broadcasts",
        f'x: R.Tensor((), "float32"), s: {k.numbers("n", "l", "m")}',
        k.concat(f"R.broadcast_to(x, {k.along('n', 'm')})", f"R.broadcast_to(x, {k.along('l', 'm')})"),
        f"R.broadcast_to(x, {k.along('n + l', 'm')})",
        f"R.broadcast_to(R.negative(x), {k.along('n + l', 'm')})",
    )
    add(
        "concat-where",
        f"p: {k.beside('n', dtype='bool')}, q: {k.beside('l', dtype='bool')}, x: {k.beside('n')}, y: {k.beside('l')}",
        f"R.where({k.concat('p', 'q')}, {k.concat('x', 'y')}, {F0})",
        k.concat(f"R.where(p, x, {F0})", f"R.where(q, y, {F0})"),
        k.concat(f"R.where(p, x, {F0})", f"R.where(q, y, {F1})"),
    )
    # transpose (rank 1: expand/squeeze)
    if r == 2:
        T = k.transpose
        add("transpose-transpose", X, T(T("x")), "x", T("x"))
        add("transpose-unary", X, T("R.exp(x)"), f"R.exp({T('x')})", "R.exp(x)")
        add("transpose-reverse", X, T("R.flip(x, axis=0)"), f"R.flip({T('x')}, axis=1)", f"R.flip({T('x')}, axis=0)")
        add(
            "transpose-slice",
            ab,
            T(k.cut("x", "a", "b")),
            f"R.strided_slice({T('x')}, axes=[1], begin=[a0], end=[b0])",
            f"R.strided_slice({T('x')}, axes=[0], begin=[a0], end=[b0])",
            given=g0("0 <= a", "a <= b", "b <= n"),
        )
        add(
            "transpose-concat",
            f"x: {k.beside('n')}, y: {k.beside('l')}",
            T(k.concat("x", "y")),
            k.concat(T("x"), T("y"), axis=1),
            k.concat(T("y"), T("x"), axis=1),
        )
        add("transpose-reduce", X, f"R.sum({T('x')}, axis=[0])", "R.sum(x, axis=[1])", "R.sum(x, axis=[0])")
        add(
            "transpose-dot",
            "x: R.Tensor((n0, k0), 'float32'), y: R.Tensor((k0, m0), 'float32')",
            T("R.matmul(x, y)"),
            f"R.matmul({T('y')}, {T('x')})",
            f"R.matmul({T('x')}, {T('y')})",
        )
        add(
            "transpose-degenerate",
            "x: R.Tensor((n0, 1), 'float32')",
            T("x"),
            "R.reshape(x, (1, n0))",
            "R.negative(R.reshape(x, (1, n0)))",
        )
        add(
            "transpose-pad",
            ab,
            T(k.pad("x", "a", "n", "b", F0)),
            f"R.concat((R.full((a1, a0 + n0 + b0), {F0}, 'float32'), R.concat((R.full((n1, a0), {F0}, 'float32'), "
            f"{T('x')}, R.full((n1, b0), {F0}, 'float32')), axis=1), R.full((b1, a0 + n0 + b0), {F0}, "
            "'float32')), axis=0)",
            T(k.pad("x", "b", "n", "a", F0)),
            given=given("a >= 0", "b >= 0"),
        )
        add(
            "reduce-reduce",
            I,
            "R.sum(R.sum(x, axis=[0]), axis=[0])",
            "R.sum(x)",
            "R.sum(R.max(x, axis=[0]), axis=[0])",
            given=given("n >= 1"),
        )
        add(
            "reduce-max-max",
            X,
            "R.max(R.max(x, axis=[1]), axis=[0])",
            "R.max(x)",
            "R.max(R.min(x, axis=[1]), axis=[0])",
            given=given("n >= 1"),
        )
        add("reduce-reshape", I, "R.sum(R.reshape(x, (n0 * n1,)))", "R.sum(x)", "R.prod(x)")
        add("reshape-transpose-flat", X, "R.reshape(R.reshape(x, (n0 * n1,)), (n0, n1))", "x", "R.flip(x, axis=0)")
    else:
        add("expand-squeeze", X, "R.squeeze(R.expand_dims(x, 0), [0])", "x", "R.negative(x)")
        add(
            "reshape-reshape",
            f"{X}, s: R.Shape((a0, b0))",
            "R.reshape(R.reshape(x, (a0, b0)), (b0, a0))",
            "R.reshape(x, (b0, a0))",
            "R.permute_dims(R.reshape(x, (a0, b0)), [1, 0])",
            given=("n0 == a0 * b0",),
        )
        add(
            "reshape-three",
            "x: R.Tensor((a0 * b0 * c0,), 'float32'), s: R.Shape((a0, b0, c0))",
            "R.reshape(R.reshape(x, (a0 * b0, c0)), (a0, b0 * c0))",
            "R.reshape(x, (a0, b0 * c0))",
            "R.reshape(R.flip(x, axis=0), (a0, b0 * c0))",
        )
        add(
            "reshape-broadcast",
            "x: R.Tensor((), 'float32'), s: R.Shape((a0, b0))",
            "R.reshape(R.broadcast_to(x, (a0 * b0,)), (a0, b0))",
            "R.broadcast_to(x, (a0, b0))",
            "R.broadcast_to(R.exp(x), (a0, b0))",
        )
        add(
            "reduce-of-one",
            "x: R.Tensor((n0, 1), 'float32')",
            "R.max(x, axis=[1])",
            "R.squeeze(x, [1])",
            "R.negative(R.squeeze(x, [1]))",
        )
        add(
            "reduce-sum-one",
            "x: R.Tensor((n0, 1), 'int32')",
            "R.sum(x, axis=[1])",
            "R.squeeze(x, [1])",
            "R.negative(R.squeeze(x, [1]))",
        )
        add(
            "reduce-split",
            "x: R.Tensor((a0 * b0,), 'int32'), s: R.Shape((a0, b0))",
            "R.sum(R.sum(R.reshape(x, (a0, b0)), axis=[1]))",
            "R.sum(x)",
            "R.sum(R.max(R.reshape(x, (a0, b0)), axis=[1]))",
            given=("b0 >= 1",),
        )
        add(
            "dot-slice",
            "x: R.Tensor((n0, k0), 'float32'), y: R.Tensor((k0, m0), 'float32'), s: R.Shape((a0, b0))",
            "R.strided_slice(R.matmul(x, y), axes=[0], begin=[a0], end=[b0])",
            "R.matmul(R.strided_slice(x, axes=[0], begin=[a0], end=[b0]), y)",
            "R.matmul(R.strided_slice(x, axes=[0], begin=[0], end=[b0 - a0]), y)",
            given=("0 <= a0", "a0 <= b0", "b0 <= n0"),
        )
        add(
            "dot-concat",
            "x: R.Tensor((n0, k0), 'int32'), y: R.Tensor((n0, l0), 'int32'), z: R.Tensor((k0, m0), 'int32'), "
            "w: R.Tensor((l0, m0), 'int32')",
            "R.matmul(R.concat((x, y), axis=1), R.concat((z, w), axis=0))",
            "R.add(R.matmul(x, z), R.matmul(y, w))",
            "R.subtract(R.matmul(x, z), R.matmul(y, w))",
        )
        add(
            "dot-concat-rows",
            "x: R.Tensor((n0, k0), 'float32'), y: R.Tensor((l0, k0), 'float32'), z: R.Tensor((k0, m0), 'float32')",
            "R.matmul(R.concat((x, y), axis=0), z)",
            "R.concat((R.matmul(x, z), R.matmul(y, z)), axis=0)",
            "R.concat((R.matmul(y, z), R.matmul(x, z)), axis=0)",
        )
        add(
            "dot-zero",
            "x: R.Tensor((n0, k0), 'int32'), s: R.Shape((m0,))",
            "R.matmul(x, R.zeros((k0, m0), 'int32'))",
            "R.zeros((n0, m0), 'int32')",
            "R.ones((n0, m0), 'int32')",
        )
        add(
            "dot-outer",
            "x: R.Tensor((n0, 1), 'int32'), y: R.Tensor((1, m0), 'int32')",
            "R.matmul(x, y)",
            "R.multiply(x, y)",
            "R.add(x, y)",
        )
        add(
            "dot-vector",
            "x: R.Tensor((n0,), 'int32'), y: R.Tensor((n0,), 'int32')",
            "R.matmul(x, y)",
            "R.sum(R.multiply(x, y))",
            "R.sum(R.add(x, y))",
        )
        add(
            "dot-commutes",
            "x: R.Tensor((n0,), 'float32'), y: R.Tensor((n0,), 'float32')",
            "R.matmul(x, y)",
            "R.matmul(y, x)",
            "R.matmul(x, x)",
        )
        add(
            "dot-pad",
            "x: R.Tensor((n0, k0), 'int32'), y: R.Tensor((k0, m0), 'int32'), s: R.Shape((a0,))",
            "R.matmul(R.concat((x, R.zeros((n0, a0), 'int32')), axis=1), R.concat((y, R.ones((a0, m0), "
            "'int32')), axis=0))",
            "R.matmul(x, y)",
            "R.add(R.matmul(x, y), R.matmul(R.ones((n0, a0), 'int32'), R.ones((a0, m0), 'int32')))",
        )
    # reduce
    add(
        "reduce-neg",
        I,
        f"R.sum(R.negative(x), axis={k.axes})",
        f"R.negative(R.sum(x, axis={k.axes}))",
        f"R.sum(x, axis={k.axes})",
    )
    add(
        "reduce-scale",
        f'{I}, y: R.Tensor((), "int32")',
        f"R.sum(R.multiply(x, y), axis={k.axes})",
        f"R.multiply(R.sum(x, axis={k.axes}), y)",
        f"R.add(R.sum(x, axis={k.axes}), y)",
    )
    add(
        "reduce-add",
        IJ,
        f"R.sum(R.add(x, y), axis={k.axes})",
        f"R.add(R.sum(x, axis={k.axes}), R.sum(y, axis={k.axes}))",
        f"R.add(R.sum(x, axis={k.axes}), R.sum(x, axis={k.axes}))",
    )
    add(
        "reduce-pad",
        f"{I}, s: {k.numbers('a', 'b')}",
        f"R.sum({k.pad('x', 'a', 'n', 'b', c(0), 'int32')}, axis={k.axes})",
        f"R.sum(x, axis={k.axes})",
        f"R.sum(R.negative(x), axis={k.axes})",
        given=given("a >= 0", "b >= 0"),
    )
    add(
        "reduce-max-neg",
        X,
        f"R.max(R.negative(x), axis={k.axes})",
        f"R.negative(R.min(x, axis={k.axes}))",
        f"R.negative(R.max(x, axis={k.axes}))",
        given=given("n >= 1"),
    )
    add(
        "reduce-max-add",
        f'{X}, y: R.Tensor((), "float32")',
        f"R.max(R.exp(x), axis={k.axes})",
        f"R.max(R.exp({k.flip('x')}), axis={k.axes})",
        f"R.max(x, axis={k.axes})",
        given=given("n >= 1"),
    )
    add(
        "reduce-where",
        f'{I}, q: R.Tensor((), "bool")',
        f"R.sum(R.where(q, x, {c(0)}), axis={k.axes})",
        f"R.where(q, R.sum(x, axis={k.axes}), {c(0)})",
        f"R.where(q, {c(0)}, R.sum(x, axis={k.axes}))",
    )
    # dynamic slices
    at = "T.max(0, T.min(i, n - h))"
    iv = f"{X}, s: {k.numbers('i', 'h')}"

    def ds(x: str) -> str:
        return k.slice(x, at, f"{at} + h")

    add(
        "dslice-full",
        f"{X}, s: {k.numbers('i')}",
        k.slice("x", "T.max(0, T.min(i, n - n))", "T.max(0, T.min(i, n - n)) + n"),
        "x",
        k.flip("x"),
    )
    add(
        "dslice-inside",
        iv,
        ds("x"),
        k.slice("x", "i", "i + h"),
        k.slice("x", "0", "h"),
        given=given("0 <= i", "0 <= h", "i + h <= n"),
    )
    add("dslice-unary", iv, ds("R.exp(x)"), f"R.exp({ds('x')})", ds("x"), given=given("0 <= h", "h <= n"))
    add(
        "dslice-reverse",
        iv,
        k.flip(ds("x")),
        k.slice(k.flip("x"), "T.max(0, T.min(n - h - i, n - h))", "T.max(0, T.min(n - h - i, n - h)) + h"),
        ds(k.flip("x")),
        given=given("0 <= h", "h <= n"),
    )
    sc = f"x: {k.beside('n')}, y: {k.beside('h')}, s: {k.numbers('i')}"

    def dus(x: str, y: str) -> str:
        return f"R.slice_scatter({x}, {y}, i0, i0 + h0, 1, axis=0)"

    ok = g0("0 <= i", "i + h <= n")
    add("dus-read", sc, k.cut(dus("x", "y"), "i", "i + h"), "y", k.cut("x", "i", "i + h"), given=ok)
    add("dus-own", sc, dus("x", k.cut("x", "i", "i + h")), "x", dus("x", "y"), given=ok)
    add("dus-twice", f"{sc}, z: {k.beside('h')}", dus(dus("x", "z"), "y"), dus("x", "y"), dus("x", "z"), given=ok)
    add(
        "dus-concat",
        sc,
        dus("x", "y"),
        k.concat(k.cut("x", "0", "i"), "y", k.cut("x", "i + h", "n")),
        k.concat("y", k.cut("x", "0", "i"), k.cut("x", "i + h", "n")),
        given=ok,
    )
    # select, compare, logic
    add("select-same", f"{B}, {X}", "R.where(p, x, x)", "x", "R.negative(x)")
    add("select-not", f"{B}, {XY}", "R.where(R.logical_not(p), x, y)", "R.where(p, y, x)", "R.where(p, x, y)")
    add("select-true", XY, f"R.where({k.full('n', c('True', 'bool'), 'bool')}, x, y)", "x", "y")
    add("select-bool", B, f"R.where(p, {c('True', 'bool')}, {c('False', 'bool')})", "p", "R.logical_not(p)")
    add(
        "select-select",
        f"{BQ}, {XY}",
        "R.where(p, R.where(q, x, y), y)",
        "R.where(R.logical_and(p, q), x, y)",
        "R.where(R.logical_or(p, q), x, y)",
    )
    add(
        "select-select-same",
        f"{B}, {XY}, z: {k.tensor('n')}",
        "R.where(p, R.where(p, x, y), z)",
        "R.where(p, x, z)",
        "R.where(p, y, z)",
    )
    add(
        "select-binary",
        f"{B}, {XY}, z: {k.tensor('n')}",
        "R.add(R.where(p, x, y), z)",
        "R.where(p, R.add(x, z), R.add(y, z))",
        "R.where(p, R.add(x, z), y)",
    )
    add("select-xor", f"{BQ}", "R.where(p, R.logical_not(q), q)", "R.logical_xor(p, q)", "R.logical_or(p, q)")
    add("not-not", B, "R.logical_not(R.logical_not(p))", "p", "R.logical_not(p)")
    add(
        "de-morgan",
        BQ,
        "R.logical_not(R.logical_and(p, q))",
        "R.logical_or(R.logical_not(p), R.logical_not(q))",
        "R.logical_and(R.logical_not(p), R.logical_not(q))",
    )
    add("absorb", BQ, "R.logical_and(p, R.logical_or(p, q))", "p", "q")
    add("xor-self", B, "R.logical_xor(p, p)", k.full("n", c("False", "bool"), "bool"), "p")
    add(
        "compare-self",
        I,
        "R.equal(x, x)",
        k.full("n", c("True", "bool"), "bool"),
        k.full("n", c("False", "bool"), "bool"),
    )
    add("compare-not", IJ, "R.logical_not(R.less(x, y))", "R.greater_equal(x, y)", "R.greater(x, y)")
    add("compare-swap", XY, "R.less(x, y)", "R.greater(y, x)", "R.greater(x, y)")
    add(
        "compare-never",
        IJ,
        "R.logical_and(R.less(x, y), R.greater(x, y))",
        k.full("n", c("False", "bool"), "bool"),
        "R.less(x, y)",
    )
    add(
        "compare-float-never",
        XY,
        "R.logical_and(R.less(x, y), R.greater(x, y))",
        k.full("n", c("False", "bool"), "bool"),
        "R.less(x, y)",
    )
    add("compare-le", IJ, "R.logical_or(R.less(x, y), R.equal(x, y))", "R.less_equal(x, y)", "R.less(x, y)")
    add(
        "compare-unsigned",
        U,
        f"R.less(x, {c(0, 'uint32')})",
        k.full("n", c("False", "bool"), "bool"),
        f"R.less(x, {c(1, 'uint32')})",
    )
    add("compare-max", IJ, "R.equal(R.maximum(x, y), x)", "R.greater_equal(x, y)", "R.greater(x, y)")
    # max, min
    add("max-max", IJ, "R.maximum(R.maximum(x, y), y)", "R.maximum(x, y)", "x")
    add("max-min", IJ, "R.maximum(x, R.minimum(x, y))", "x", "y")
    add(
        "max-neg",
        IJ,
        "R.negative(R.maximum(R.negative(x), R.negative(y)))",
        f"R.where(R.equal(x, {c(-(2**31))}), R.negative(R.maximum(x, R.negative(y))), R.where(R.equal(y, "
        f"{c(-(2**31))}), R.negative(R.maximum(R.negative(x), y)), R.minimum(x, y)))",
        "R.minimum(x, y)",
    )
    add("max-select", IJ, "R.where(R.less(x, y), y, x)", "R.maximum(x, y)", "R.minimum(x, y)")
    add("max-float", XY, "R.maximum(x, x)", "x", "y")
    add(
        "min-max-clamp",
        I,
        f"R.minimum(R.maximum(x, {c(3)}), {c(9)})",
        f"R.maximum(R.minimum(x, {c(9)}), {c(3)})",
        f"R.minimum(R.maximum(x, {c(9)}), {c(3)})",
    )
    # arithmetic
    add("add-zero", I, f"R.add(x, {c(0)})", "x", f"R.add(x, {c(1)})")
    add("sub-self", I, "R.subtract(x, x)", k.full("n", c(0), "int32"), "x")
    add("add-assoc", I, f"R.add(R.add(x, {c(3)}), {c(4)})", f"R.add(x, {c(7)})", f"R.add(x, {c(8)})")
    add("sub-add", IJ, "R.add(R.subtract(x, y), y)", "x", "y")
    add("sub-neg", XY, "R.subtract(x, R.negative(y))", "R.add(x, y)", "R.subtract(x, y)")
    add("sub-float-zero", X, f"R.subtract(x, {F0})", "x", f"R.add(x, {F0})")
    add("add-float-minus-zero", X, f"R.add(x, {C.format('-0.0', 'float32')})", "x", f"R.add(x, {F0})")
    add("mul-zero", I, f"R.multiply(x, {c(0)})", k.full("n", c(0), "int32"), "x")
    add("mul-one", I, f"R.multiply(x, {c(1)})", "x", f"R.multiply(x, {c(-1)})")
    add("mul-one-float", X, f"R.multiply(x, {F1})", "x", f"R.multiply(x, {FN})")
    add("mul-minus-one-float", X, f"R.multiply(x, {FN})", "R.negative(x)", "x")
    add(
        "mul-distributes",
        IJK,
        "R.add(R.multiply(x, z), R.multiply(y, z))",
        "R.multiply(R.add(x, y), z)",
        "R.multiply(R.add(x, z), y)",
    )
    add("mul-shift", I, f"R.multiply(x, {c(8)})", f"R.left_shift(x, {c(3)})", f"R.left_shift(x, {c(2)})")
    add("div-one-float", X, f"R.divide(x, {F1})", "x", f"R.divide(x, {FN})")
    add(
        "div-power",
        X,
        f"R.divide(x, {C.format('4.0', 'float32')})",
        f"R.multiply(x, {C.format('0.25', 'float32')})",
        f"R.multiply(x, {C.format('4.0', 'float32')})",
    )
    add("div-floor-one", I, f"R.floor_divide(x, {c(1)})", "x", f"R.floor_divide(x, {c(2)})")
    add("div-shift", I, f"R.floor_divide(x, {c(8)})", f"R.right_shift(x, {c(3)})", f"R.right_shift(x, {c(2)})")
    add(
        "div-div",
        I,
        f"R.floor_divide(R.floor_divide(x, {c(3)}), {c(5)})",
        f"R.floor_divide(x, {c(15)})",
        f"R.floor_divide(x, {c(8)})",
    )
    add("mod-and", I, f"R.floor_mod(x, {c(8)})", f"R.bitwise_and(x, {c(7)})", f"R.bitwise_and(x, {c(8)})")
    add(
        "mod-mod",
        I,
        f"R.floor_mod(R.floor_mod(x, {c(12)}), {c(4)})",
        f"R.floor_mod(x, {c(4)})",
        f"R.floor_mod(x, {c(12)})",
    )
    add("mod-one", I, f"R.floor_mod(x, {c(1)})", k.full("n", c(0), "int32"), "x")
    add(
        "div-mod",
        I,
        f"R.add(R.multiply(R.floor_divide(x, {c(7)}), {c(7)}), R.floor_mod(x, {c(7)}))",
        "x",
        f"R.add(R.multiply(R.floor_divide(x, {c(7)}), {c(6)}), R.floor_mod(x, {c(7)}))",
    )
    add(
        "div-mod-data",
        IJ,
        "R.add(R.multiply(R.floor_divide(x, y), y), R.floor_mod(x, y))",
        f"R.add(x, R.multiply(R.floor_mod(x, y), {c(0)}))",
        "R.add(y, R.multiply(R.floor_mod(x, y), R.const(0, 'int32')))",
    )
    add(
        "udiv-shift",
        U,
        f"R.floor_divide(x, {c(16, 'uint32')})",
        f"R.right_shift(x, {c(4, 'uint32')})",
        f"R.right_shift(x, {c(3, 'uint32')})",
    )
    add("and-self", I, "R.bitwise_and(x, x)", "x", "R.bitwise_xor(x, x)")
    add("xor-xor", IJ, "R.bitwise_xor(R.bitwise_xor(x, y), y)", "x", "y")
    add("not-neg", I, "R.bitwise_not(x)", f"R.subtract({c(-1)}, x)", "R.negative(x)")
    add("or-and", IJ, "R.bitwise_or(R.bitwise_and(x, y), x)", "x", "y")
    add(
        "shift-shift",
        I,
        f"R.right_shift(R.right_shift(x, {c(3)}), {c(4)})",
        f"R.right_shift(x, {c(7)})",
        f"R.right_shift(x, {c(12)})",
    )
    add("neg-neg", X, "R.negative(R.negative(x))", "x", "R.negative(x)")
    add("neg-neg-int", I, "R.negative(R.negative(x))", "x", "R.negative(x)")
    add("abs-abs", X, "R.abs(R.abs(x))", "R.abs(x)", "x")
    add("abs-neg", X, "R.abs(R.negative(x))", "R.abs(x)", "R.negative(R.abs(x))")
    add("neg-sub", IJ, "R.negative(R.subtract(x, y))", "R.subtract(y, x)", "R.subtract(x, y)")
    add("mul-commutes", XY, "R.multiply(x, y)", "R.multiply(y, x)", "R.multiply(x, x)")
    add("square", X, "R.square(x)", "R.multiply(x, x)", "R.add(x, x)")
    add("cast-cast", I, "R.astype(R.astype(x, 'int64'), 'int32')", "x", "R.astype(R.astype(x, 'int16'), 'int32')")
    add(
        "cast-add",
        IJ,
        "R.astype(R.add(R.astype(x, 'int64'), R.astype(y, 'int64')), 'int32')",
        "R.add(x, y)",
        "R.subtract(x, y)",
    )
    # convolution
    if r == 2:
        add(
            "conv-one-by-one",
            "x: R.Tensor((b0, k0, h0, w0), 'float32'), y: R.Tensor((m0, k0, 1, 1), 'float32')",
            "R.nn.conv2d(x, y)",
            "R.permute_dims(R.matmul(R.permute_dims(x, [0, 2, 3, 1]), R.permute_dims(R.reshape(y, (m0, k0)), [1, "
            "0])), [0, 3, 1, 2])",
            "R.permute_dims(R.matmul(R.permute_dims(x, [0, 3, 2, 1]), R.permute_dims(R.reshape(y, (m0, k0)), [1, "
            "0])), [0, 3, 1, 2])",
        )
        add(
            "conv-zero",
            "x: R.Tensor((b0, k0, h0, w0), 'int32'), s: R.Shape((m0,))",
            "R.nn.conv2d(x, R.zeros((m0, k0, 3, 3), 'int32'))",
            "R.zeros((b0, m0, h0 - 2, w0 - 2), 'int32')",
            "R.ones((b0, m0, h0 - 2, w0 - 2), 'int32')",
            given=("h0 >= 2", "w0 >= 2"),
        )
        add(
            "conv-pad",
            "x: R.Tensor((b0, k0, h0, w0), 'float32'), y: R.Tensor((m0, k0, 3, 3), 'float32')",
            "R.nn.conv2d(R.nn.pad(x, [0, 0, 0, 0, 1, 1, 1, 1], 'constant', 0), y)",
            "R.nn.conv2d(x, y, padding=[1, 1, 1, 1])",
            "R.nn.conv2d(x, y, padding=[1, 1, 0, 2])",
        )
    else:
        add(
            "conv1d-one",
            "x: R.Tensor((b0, k0, w0), 'float32'), y: R.Tensor((m0, k0, 1), 'float32')",
            "R.nn.conv1d(x, y)",
            "R.matmul(R.reshape(y, (m0, k0)), x)",
            "R.matmul(R.reshape(y, (m0, k0)), R.flip(x, axis=2))",
        )
        add(
            "conv1d-pad",
            "x: R.Tensor((b0, k0, w0), 'float32'), y: R.Tensor((m0, k0, 3), 'float32')",
            "R.nn.conv1d(R.nn.pad(x, [0, 0, 0, 0, 1, 1], 'constant', 0), y)",
            "R.nn.conv1d(x, y, padding=[1, 1])",
            "R.nn.conv1d(x, y, padding=[0, 2])",
        )
        add(
            "conv1d-reverse",
            "x: R.Tensor((b0, k0, w0), 'int32'), y: R.Tensor((m0, k0, h0), 'int32')",
            "R.flip(R.nn.conv1d(x, y), axis=2)",
            "R.nn.conv1d(R.flip(x, axis=2), R.flip(y, axis=2))",
            "R.nn.conv1d(R.flip(x, axis=2), y)",
            given=("h0 >= 1", "w0 >= h0"),
        )
    return out
