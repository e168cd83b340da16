"""Small modules for memory planning; the graph of each has three bindings or fewer."""

from __future__ import annotations

KERNELS = """
    @T.prim_func(private=True, s_tir=True)
    def double(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + A[vi]

    @T.prim_func(private=True, s_tir=True)
    def bump(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def square(A: T.Buffer((2, 2), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi // 2, vi % 2] * A[vi // 2, vi % 2]

    @T.prim_func(private=True, s_tir=True)
    def flat(A: T.Buffer((4,), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi * 2 + vj]

    @T.prim_func(private=True, s_tir=True)
    def table(A: T.Buffer((4,), "float32"), B: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi * 2 + vj] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def pair(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + T.float32(2)
            with T.sblock("c"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi] * T.float32(3)

    @T.prim_func(private=True, s_tir=True)
    def grow(A: T.Buffer((4,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("b"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi % 4] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def shrink(A: T.Buffer((8,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] - T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def sym(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + T.float32(1)

    @T.prim_func(private=True, s_tir=True)
    def rows(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n, 2), "float32")
        for i, j in T.grid(n, 2):
            with T.sblock("b"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi] + T.float32(1)

    @R.function(private=True)
    def same(z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return z

"""

HEAD = """# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
"""

V = 'R.Tensor((4,), "float32")'
W = 'R.Tensor((8,), "float32")'
M = 'R.Tensor((2, 2), "float32")'


def call(kernel: str, *args: str, out: str = V) -> str:
    """A destination-passing call."""
    given = ", ".join(args) + ("," if len(args) == 1 else "")
    return f"R.call_tir(cls.{kernel}, ({given}), out_ty={out})"


def module(*lines: str, ret: str = V, params: str = f"x: {V}, y: {V}") -> str:
    """A module with the kernels and a ``main`` of these lines."""
    body = "\n".join(f"        {line}" for line in ("cls = Module", *lines))
    return f"{HEAD}{KERNELS}    @R.function\n    def main({params}) -> {ret}:\n{body}\n"


N = 'R.Tensor((n,), "float32")'
SYMBOLIC = 'x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")'
IF = f"c: T.bool, x: {V}, y: {V}"

PLACE = "    @R.function(private=True)"
RAISE = """    @T.prim_func(private=True, s_tir=True)
    def raise_(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] + T.float32(1)

"""

MODULES: dict[str, str] = {
    "chain": module(f"a = {call('double', 'x')}", f"b = {call('bump', 'a')}", f"r = {call('double', 'b')}", "return r"),
    "output": module(f"a = {call('double', 'x')}", f"b = {call('bump', 'y')}", "return a"),
    "name": module(f"a = {call('double', 'x')}", "v = a", f"b = {call('bump', 'y')}", "return v"),
    "match_cast": module(
        f"a = {call('double', 'x')}", f"v = R.match_cast(a, {V})", f"b = {call('bump', 'y')}", "return v"
    ),
    "tuple": module(
        f"a = {call('double', 'x')}",
        "v = (a, y)",
        f"b = {call('bump', 'y')}",
        "return v",
        ret=f"R.Tuple({V}, {V})",
    ),
    "reshape": module(
        f"a = {call('double', 'x')}",
        "v = R.reshape(a, R.shape([2, 2]))",
        f"b = {call('bump', 'y')}",
        "return v",
        ret=M,
    ),
    "view": module(
        f"a = {call('double', 'x')}", f"v = {call('flat', 'a', out=M)}", f"b = {call('bump', 'y')}", "return v", ret=M
    ),
    "function": module(f"a = {call('double', 'x')}", "v = cls.same(a)", f"b = {call('bump', 'y')}", "return v"),
    "branch_value": module(
        f"a = {call('double', 'x')}",
        "if c:",
        "    v = a",
        "else:",
        "    v = y",
        f"b = {call('bump', 'y')}",
        "return v",
        params=IF,
    ),
    "branch_use": module(
        f"a = {call('double', 'x')}",
        "if c:",
        f"    v = {call('bump', 'a')}",
        "else:",
        "    v = x",
        "return v",
        params=IF,
    ),
    "branch_result": module(
        "if c:",
        f"    v = {call('double', 'x')}",
        "else:",
        "    v = y",
        f"b = {call('bump', 'y')}",
        "return v",
        params=IF,
    ),
    "branch_live": module(
        f"a = {call('double', 'x')}",
        "if c:",
        f"    v = {call('bump', 'y')}",
        "    w = x",
        "else:",
        "    w = y",
        f"r = {call('double', 'a')}",
        "return r",
        params=IF,
    ),
    "branch_storage": module(
        "if c:",
        f"    v = {call('bump', 'y')}",
        "    w = x",
        "else:",
        f"    u = {call('double', 'y')}",
        "    w = y",
        "return w",
        params=IF,
    ),
    "two_outputs": module(f"a = {call('double', 'x')}", f"t = {call('pair', 'y', out=f'[{V}, {V}]')}", "return x"),
    "pair_used": module(f"t = {call('pair', 'x', out=f'[{V}, {V}]')}", "return t", ret=f"R.Tuple({V}, {V})"),
    "field": module(f"a = {call('double', 'x')}", "t = (a, a)", "v = t[0]", f"b = {call('bump', 'y')}", "return v"),
    "field_of_outputs": module(
        f"u = {call('pair', 'x', out=f'[{V}, {V}]')}", "v = u[0]", f"b = {call('bump', 'y')}", "return v"
    ),
    "closure": module(
        f"a = {call('double', 'x')}",
        "@R.function",
        f"def f() -> {V}:",
        "    return a",
        f"b = {call('bump', 'y')}",
        "v = f()",
        "return v",
    ),
    "larger": module(f"a = {call('double', 'x')}", f"b = {call('grow', 'y', out=W)}", "return x"),
    "smaller": module(f"a = {call('grow', 'x', out=W)}", f"b = {call('shrink', 'a')}", "return y"),
    "dead_then_live": module(
        f"a = {call('double', 'x')}", f"b = {call('bump', 'y')}", f"r = {call('double', 'b')}", "return r"
    ),
    "symbolic": module(
        "n = T.int64()",
        f"a = {call('sym', 'x', out=N)}",
        f"r = {call('sym', 'a', out=N)}",
        "return r",
        ret='R.Tensor(("n",), "float32")',
        params=SYMBOLIC,
    ),
    "symbolic_rows": module(
        "n = T.int64()",
        f"a = {call('sym', 'x', out=N)}",
        "b = " + call("rows", "y", out='R.Tensor((n, 2), "float32")'),
        "return x",
        ret='R.Tensor(("n",), "float32")',
        params=SYMBOLIC,
    ),
    "late_symbol": module(
        "m = T.int64()",
        f"a = {call('double', 'x')}",
        'z = R.match_cast(y, R.Tensor((m,), "float32"))',
        "b = " + call("rows", "z", out='R.Tensor((m, 2), "float32")'),
        "return x",
        params=f'x: {V}, y: R.Tensor(ndim=1, dtype="float32")',
    ),
    "matrix": module(f"v = {call('table', 'x', out=M)}", f"r = {call('square', 'v')}", "return r"),
    "in_place": module(
        f"v = {call('flat', 'x', out=M)}",
        f"a = R.call_tir_inplace(cls.raise_, (x,), inplace_indices=[0], out_ty={V})",
        f"r = {call('square', 'v')}",
        "return r",
    ).replace(PLACE, RAISE + PLACE, 1),
    "in_place_result": module(
        f"a = {call('double', 'x')}",
        f"v = R.call_tir_inplace(cls.raise_, (a,), inplace_indices=[0], out_ty={V})",
        "return v",
    ).replace(PLACE, RAISE + PLACE, 1),
}
"""Modules by name: what each is about is told by the mutants that it catches."""
