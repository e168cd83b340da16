"""Questions on standard input (JSON) to SymPy; one JSON line each. Runs under a Python that has SymPy.

The attempt: symbols are integers, nonnegative or positive where an assumption says so of the bare symbol; an order
``a < c`` among symbols puts ``c = a + 1 + d`` with ``d >= 0``; other assumptions are not used. ``a op b`` is asked of
``simplify(a - b)`` by its ``is_zero``, ``is_positive`` and so on; truth values are three-valued. Two seconds for a
question. SymPy never refutes here: a claim that fails for all values is told from one that fails for some by nobody.
"""

from __future__ import annotations

import ast
import json
import signal
import sys
import time
from typing import Any

import sympy as sp

SECONDS = 2.0
DIFFERENCE = {ast.Eq: "is_zero", ast.LtE: "is_nonpositive", ast.Lt: "is_negative", ast.GtE: "is_nonnegative", ast.Gt: "is_positive"}  # fmt: skip  # noqa: E501


def trunc(a: Any, b: Any) -> Any:
    return sp.sign(a) * sp.sign(b) * sp.floor(sp.Abs(a) / sp.Abs(b))


OPS = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: sp.floor(a / b), ast.Mod: lambda a, b: sp.Mod(a, b),
    ast.LShift: lambda a, b: a * 2**b, ast.RShift: lambda a, b: sp.floor(a / 2**b),
}  # fmt: skip
CALLS = {
    "min": sp.Min, "max": sp.Max, "abs": sp.Abs, "truncdiv": trunc, "truncmod": lambda a, b: a - b * trunc(a, b),
    "ceildiv": lambda a, b: sp.floor((a + b - 1) / b),
}  # fmt: skip


class Reader:
    def __init__(self, assumptions: list[str]) -> None:
        self.symbols: dict[str, Any] = {}
        low: dict[str, int] = {}
        for text in assumptions:
            node = ast.parse(text, mode="eval").body
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            for a, op, b in zip(sides, getattr(node, "ops", []), sides[1:]):
                if isinstance(b, ast.Name) and isinstance(a, ast.Constant) and isinstance(op, (ast.LtE, ast.Lt)):
                    low[b.id] = a.value + isinstance(op, ast.Lt)
                if isinstance(a, ast.Name) and isinstance(b, ast.Constant) and isinstance(op, (ast.GtE, ast.Gt)):
                    low[a.id] = b.value + isinstance(op, ast.Gt)
        self.low = low
        for text in assumptions:
            node = ast.parse(text, mode="eval").body
            sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            for a, op, b in zip(sides, getattr(node, "ops", []), sides[1:]):
                plain = isinstance(a, ast.Name) and isinstance(b, ast.Name) and isinstance(op, ast.Lt)
                if plain and b.id not in self.symbols:
                    self.symbols[b.id] = self.symbol(a.id) + 1 + sp.Symbol(f"{b.id}_", integer=True, nonnegative=True)

    def symbol(self, name: str) -> Any:
        if name not in self.symbols:
            low = self.low.get(name)
            sign = {} if low is None or low < 0 else {"positive": True} if low >= 1 else {"nonnegative": True}
            self.symbols[name] = sp.Symbol(name, integer=True, **sign)
        return self.symbols[name]

    def term(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value):
                return sp.Integer(value)
            case ast.Name(name):
                return self.symbol(name)
            case ast.BinOp(a, op, b):
                return OPS[type(op)](self.term(a), self.term(b))
            case ast.UnaryOp(ast.USub(), a):
                return -self.term(a)
            case ast.Call(ast.Name(name), args) if name in CALLS:
                return CALLS[name](*map(self.term, args))
        raise ValueError(ast.dump(node))

    def truth(self, node: ast.expr) -> bool | None:
        match node:
            case ast.BoolOp(op, values):
                parts = [self.truth(each) for each in values]
                deciding = isinstance(op, ast.Or)
                return deciding if deciding in parts else None if None in parts else not deciding
            case ast.UnaryOp(ast.Not(), a):
                inner = self.truth(a)
                return None if inner is None else not inner
            case ast.Compare(left, ops, rest):
                sides = [left, *rest]
                parts = [self.compared(a, op, b) for a, op, b in zip(sides, ops, sides[1:])]
                return False if False in parts else None if None in parts else True
        raise ValueError(ast.dump(node))

    def compared(self, a: ast.expr, op: ast.cmpop, b: ast.expr) -> bool | None:
        difference = self.term(a) - self.term(b)
        for d in (difference, sp.simplify(difference)):
            if isinstance(op, ast.NotEq):
                found = None if d.is_zero is None else not d.is_zero
            else:
                found = getattr(d, DIFFERENCE[type(op)])
            if found is not None:
                return found
        return None


def late(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    signal.signal(signal.SIGALRM, late)
    for query in json.load(sys.stdin):
        start = time.process_time()
        proved = False
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            reader = Reader(query["assume"])
            proved = reader.truth(ast.parse(query["claim"], mode="eval").body) is True
        except Exception:
            proved = False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps({"proved": proved, "seconds": time.process_time() - start}), flush=True)


if __name__ == "__main__":
    main()
