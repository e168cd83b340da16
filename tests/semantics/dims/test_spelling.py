"""What ``simplify`` prints. The right-hand sides are what TVM 0.27's analyzer gives for nonnegative symbols."""

from __future__ import annotations

import ast

import pytest

from refrelax.semantics.dims import equal, shape_facts, simplify
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, SymVar, int_imm, literal_int

FACTS = shape_facts(["n", "m", "k", "b"])
OPS = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.FloorDiv: "FloorDiv", ast.Mod: "FloorMod"}
SIGNS = {"Add": ("+", 1), "Sub": ("-", 1), "Mul": ("*", 2), "FloorDiv": ("//", 2), "FloorMod": ("%", 2)}


def read(text: str) -> PrimExpr:
    def build(node: ast.expr) -> PrimExpr:
        match node:
            case ast.Constant(int(number)):
                return int_imm(number)
            case ast.Name(name):
                return SymVar(name)
            case ast.BinOp(a, op, b):
                return Binary(OPS[type(op)], build(a), build(b))  # type: ignore[arg-type]
            case ast.Call(ast.Name(name), [a, b]):
                return Binary(name.capitalize(), build(a), build(b))  # type: ignore[arg-type]
        raise AssertionError(ast.dump(node))

    return build(ast.parse(text, mode="eval").body)


def show(e: PrimExpr, level: float = 0) -> str:
    match e:
        case Literal():
            return str(literal_int(e))
        case SymVar(name):
            return name
        case Binary(op, a, b) if op in SIGNS:
            sign, own = SIGNS[op]
            text = f"{show(a, own)} {sign} {show(b, own + 0.5)}"
            return f"({text})" if own < level else text
        case Binary(op, a, b):
            return f"{op.lower()}({show(a)}, {show(b)})"
    raise AssertionError(e)


TABLE = """
2 * n | n * 2
1 + n | n + 1
4 * n // 2 | n * 2
(n + 1) * 2 | n * 2 + 2
n + n | n * 2
n - n | 0
m + n | m + n
1 - n | 1 - n
n * m + m | (n + 1) * m
m * (n + 1) | m * (n + 1)
n * m + n * k | (m + k) * n
n * m + k * n + n | (m + k + 1) * n
n * m * 2 + n | n * m * 2 + n
n * m - n | (m - 1) * n
k + n * m + m | k + n * m + m
2 * n * m * 3 | n * m * 6
n * 4 * k * m | n * k * m * 4
(n * 4 + 2) // 4 | n
(n + 3) // 4 | (n + 3) // 4
(n + 8) // 4 | n // 4 + 2
(n - 1) // 2 + 1 | (n - 1) // 2 + 1
(n * 2 + 5) // 4 | n // 2 + 1
(n * 4 + m) // 4 | m // 4 + n
n // 2 // 3 | n // 6
n * 4 // 8 | n // 2
n * m // m | n
n * k // (m * k) | n // m
(n * m + m) // m | n + 1
n // 4 * 4 + n % 4 | n
n * 6 % 4 | n % 2 * 2
(n * 4 + m) % 4 | m % 4
n * k % k | 0
n % n | 0
max(n - 1, 0) | max(n - 1, 0)
max(n, 0) | n
max(n + 1, m + 1) | max(n, m) + 1
max(n - 1, 0) + 1 | max(n, 1)
max(n * 2, m * 2) | max(n, m) * 2
max(n, max(m, n)) | max(m, n)
min(n + 1, n + 2) | n + 1
1 - n + m | m + 1 - n
n * 2 - m * 3 - 1 | n * 2 - m * 3 - 1
n - (m - k) | n + k - m
(n + 1) * (m + 1) - 1 | (n + 1) * (m + 1) - 1
(n + 1) * m - m | n * m
(n + 15) // 16 * 16 | (n + 15) // 16 * 16
"""


@pytest.mark.parametrize("line", TABLE.strip().splitlines())
def test_spelling(line: str) -> None:
    text, expected = (side.strip() for side in line.split("|"))
    short = simplify(read(text), FACTS)
    assert show(short) == expected
    assert equal(read(text), short, FACTS) is True


def test_literals_keep_the_dtype() -> None:
    n = SymVar("n", "int32")
    assert simplify(Binary("Mul", int_imm(2, "int32"), n), FACTS) == Binary("Mul", n, int_imm(2, "int32"))
