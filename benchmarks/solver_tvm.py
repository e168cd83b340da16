"""Questions on standard input (JSON) to TVM's analyzer; one JSON line each. Runs under a Python that has TVM 0.27.

``python solver_tvm.py [--z3]``. Assumptions are given as constraints (through ``update`` alone the analyzer's Z3 does not see them).
"""

# ruff: noqa: E501
from __future__ import annotations

import ast
import contextlib
import json
import sys
import time
from typing import Any

import tvm
from tvm import tirx as T

COMPARE = {ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
           ast.Eq: lambda a, b: T.EQ(a, b), ast.NotEq: lambda a, b: T.NE(a, b)}  # fmt: skip
OPS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.FloorDiv: T.floordiv,
       ast.Mod: T.floormod, ast.LShift: lambda a, b: a << b, ast.RShift: lambda a, b: a >> b, ast.BitAnd: lambda a, b: a & b,
       ast.BitOr: lambda a, b: a | b, ast.BitXor: lambda a, b: a ^ b}  # fmt: skip
CALLS = {"min": T.min, "max": T.max, "truncdiv": T.truncdiv, "truncmod": T.truncmod, "abs": T.abs,
         "ceildiv": lambda a, b: T.floordiv(a + b - 1, b), "select": T.Select, "implies": lambda a, b: T.Or(T.Not(a), b)}  # fmt: skip


class Reader:
    def __init__(self) -> None:
        self.vars: dict[str, Any] = {}

    def read(self, text: str) -> Any:
        return self.build(ast.parse(text, mode="eval").body)

    def build(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value):
                return tvm.tirx.const(value, "int64")
            case ast.Name(name):
                return self.vars.setdefault(name, T.Var(name, "int64"))
            case ast.BinOp(a, op, b):
                return OPS[type(op)](self.build(a), self.build(b))
            case ast.UnaryOp(ast.USub(), a):
                return tvm.tirx.const(0, "int64") - self.build(a)
            case ast.UnaryOp(ast.Not(), a):
                return T.Not(self.build(a))
            case ast.BoolOp(op, values):
                parts = [self.build(each) for each in values]
                result = parts[0]
                for part in parts[1:]:
                    result = (T.And if isinstance(op, ast.And) else T.Or)(result, part)
                return result
            case ast.Compare():
                sides = [self.build(each) for each in [node.left, *node.comparators]]
                parts = [COMPARE[type(op)](a, b) for a, op, b in zip(sides, node.ops, sides[1:])]
                result = parts[0]
                for part in parts[1:]:
                    result = T.And(result, part)
                return result
            case ast.Call(ast.Name(name), [a]) if name.rstrip("0123456789") in ("int", "uint", "bool"):
                inner = T.Cast(name, self.build(a))
                return inner if name == "bool" else T.Cast("int64", inner)
            case ast.Call(ast.Name(name), args):
                return CALLS[name](*map(self.build, args))
        raise ValueError(ast.dump(node))


def main() -> None:
    z3 = "--z3" in sys.argv
    for query in json.load(sys.stdin):
        reader = Reader()
        proved = False
        start = time.process_time()
        try:
            claim = reader.read(query["claim"])
            analyzer = tvm.sym.Analyzer()
            if z3:
                analyzer.set_z3_timeout_ms(1000)
            given = [reader.read(each) for each in query["assume"]]
            strength = tvm.sym.ProofStrength.SYMBOLIC_BOUND if z3 else tvm.sym.ProofStrength.DEFAULT
            with contextlib.ExitStack() as scopes:
                for each in given:
                    scopes.enter_context(analyzer.constraint_scope(each))
                proved = bool(analyzer.can_prove(claim, strength))
        except Exception as error:
            print(f"{query['name']}: {type(error).__name__} {str(error)[:100]}", file=sys.stderr)
        print(json.dumps({"proved": proved, "seconds": time.process_time() - start}), flush=True)


if __name__ == "__main__":
    main()
