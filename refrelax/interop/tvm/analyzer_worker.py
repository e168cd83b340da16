"""Questions to TVM's arithmetic analyzer, as `serve.py` serves them. Runs under a Python that has TVM.

Assumptions are given as constraints: through ``update`` alone not every part of the analyzer sees them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any


class Reader:
    """Nested lists as expressions of TVM; one variable for one name."""

    def __init__(self, tvm: Any) -> None:
        self.tvm, self.tirx = tvm, tvm.tirx
        self.variables: dict[str, Any] = {}

    def read(self, row: list[Any]) -> Any:
        match row:
            case ["lit", dtype, number]:
                return self.tirx.const(bool(number) if dtype == "bool" else number, dtype)
            case ["sym", name, dtype]:
                return self.variables.setdefault(name, self.tirx.Var(name, dtype))
            case ["Cast", dtype, a]:
                return self.tirx.Cast(dtype, self.read(a))
            case ["Let", name, dtype, bound, body]:
                value, saved = self.read(bound), dict(self.variables)
                self.variables[name] = var = self.tirx.Var(name, dtype)
                inner = self.read(body)
                self.variables = saved
                return self.tirx.Let(var, value, inner)
            case [op, *parts]:
                return self.built(op, [self.read(each) for each in parts])
        raise ValueError(f"expected a term, found {row!r}")

    def built(self, op: str, parts: list[Any]) -> Any:
        tirx = self.tirx
        match op:
            case "FloorDiv" | "FloorMod":
                return (tirx.floordiv if op == "FloorDiv" else tirx.floormod)(*parts)
            case "Div" | "Mod":
                return (tirx.truncdiv if op == "Div" else tirx.truncmod)(*parts)
            case "Select":
                return tirx.Select(*parts)
            case "if_then_else":
                return tirx.if_then_else(*parts)
            case "shift_left":
                return parts[0] << parts[1]
            case "shift_right":
                return parts[0] >> parts[1]
            case "bitwise_and":
                return parts[0] & parts[1]
            case "bitwise_or":
                return parts[0] | parts[1]
            case "bitwise_xor":
                return parts[0] ^ parts[1]
            case "bitwise_not":
                return ~parts[0]
            case "abs":
                return tirx.abs(parts[0])
            case "likely":
                return parts[0]
            case _:
                return getattr(tirx, op)(*parts)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """``verdict`` and a ``note``."""
    try:
        import tvm

        reader = Reader(tvm)
        given = [reader.read(each) for each in request["assume"]]
        claim = reader.read(request["claim"])
        home = tvm.sym if hasattr(tvm, "sym") else tvm.arith
        for verdict, asked in (("PROVED", claim), ("DISPROVED", tvm.tirx.Not(claim))):
            analyzer = home.Analyzer()
            with contextlib.ExitStack() as scopes:
                for each in given:
                    scopes.enter_context(analyzer.constraint_scope(each))
                if analyzer.can_prove(asked, home.ProofStrength.SYMBOLIC_BOUND):
                    return {"verdict": verdict, "note": ""}
        return {"verdict": "OPEN", "note": ""}
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return {"verdict": "FAILED", "note": f"{type(error).__name__}: {(lines or [''])[-1]}"[:300]}


def _reply(request: dict[str, Any], say: Callable[[dict[str, Any]], None]) -> None:
    say({"end": answer(request)})


if __name__ == "__main__":
    import serve  # type: ignore[import-not-found]  # beside this file, which is run as a script

    serve.serve(_reply, lambda: None)
