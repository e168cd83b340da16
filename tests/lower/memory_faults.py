"""Deliberately wrong memory: each fault is an edit of a right plan that ``validate`` refutes at a shape.

A pair is a program, the passes that lower it, and edits of the lowered text; the edits of a fault are applied together.
"""

from __future__ import annotations

from dataclasses import dataclass

HEAD = """# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T
n = TypeVar("n")
m = TypeVar("m")

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def bump(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def add(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n,), "float32")
        for i in range(n):
            C[i] = A[i] + B[i]

    @T.prim_func(private=True)
    def rows(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n, 2), "float32")
        for i, j in T.grid(n, 2):
            B[i, j] = A[i] + T.float32(1)

    @T.prim_func(private=True)
    def columns(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 2), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in range(n):
            B[i] = A[i, 0] * A[i, 1]

    @T.prim_func(private=True)
    def product(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 6), "float32")
        B = T.match_buffer(b, (6, 5), "float32")
        C = T.match_buffer(c, (n, 5), "float32")
        W = T.alloc_buffer((3, n, 5), "float32", scope="global")
        for s, i, j in T.grid(3, n, 5):
            W[s, i, j] = T.float32(0)
            for k in range(2):
                W[s, i, j] = W[s, i, j] + A[i, s * 2 + k] * B[s * 2 + k, j]
        for i, j in T.grid(n, 5):
            C[i, j] = T.float32(0)
            for s in range(3):
                C[i, j] = C[i, j] + W[s, i, j]

    @R.function
"""
PRODUCT = "x: R.Tensor((n, 6), 'float32'), w: R.Tensor((6, 5), 'float32')"
P = 'R.Tensor((n, 5), "float32")'
V = 'R.Tensor((n,), "float32")'
VS = f"x: {V}, y: {V}"


def call(kernel: str, *args: str, out: str = V) -> str:
    given = ", ".join(args) + ("," if len(args) == 1 else "")
    return f"R.call_tir(cls.{kernel}, ({given}), out_ty={out})"


def program(*lines: str, params: str = VS, ret: str = V, bound: int | None = 40) -> str:
    """A ``main`` that promises ``n <= bound``."""
    attrs = () if bound is None else (f'R.func_attr({{"tir_var_upper_bound": {{"n": {bound}}}}})',)
    body = "\n".join(f"        {line}" for line in (*attrs, "cls = Module", *lines))
    return f"{HEAD}    def main({params}) -> {ret}:\n{body}\n"


PROGRAMS: dict[str, str] = {
    "chain": program(
        f"a = {call('bump', 'x')}", f"b = {call('bump', 'a')}", f"r = {call('add', 'a', 'b')}", "return r",
    ),
    "exact": program(
        f"a = {call('bump', 'x')}", f"b = {call('bump', 'a')}", f"d = {call('bump', 'b')}", f"r = {call('bump', 'd')}",
        "return r", bound=None,
    ),
    "rows": program(
        "a = " + call("rows", "x", out='R.Tensor((n, 2), "float32")'), f"r = {call('columns', 'a')}", "return r",
        bound=None,
    ),
    "two_symbols": program(
        f"a = {call('bump', 'x')}", f"b = {call('bump', 'a')}",
        "d = " + call("bump", "z", out='R.Tensor((m,), "float32")'),
        "r = " + call("bump", "d", out='R.Tensor((m,), "float32")'), "return (b, r)",
        params=f'x: {V}, z: R.Tensor((m,), "float32")', ret=f'R.Tuple({V}, R.Tensor((m,), "float32"))', bound=None,
    ),
    "cast": program(
        f"a = {call('bump', 'x')}", f"v = R.match_cast(a, {V})", f"b = {call('bump', 'y')}",
        f"d = {call('bump', 'b')}", f"r = {call('add', 'v', 'd')}", "return r",
    ),
    "reshape": program(
        f"a = {call('bump', 'x')}", "v = R.reshape(a, R.shape([n]))", f"b = {call('bump', 'y')}",
        f"d = {call('bump', 'b')}", f"r = {call('add', 'v', 'd')}", "return r",
    ),
    "branch": program(
        f"a = {call('bump', 'x')}", f"b = {call('bump', 'y')}", "if c:", f"    d = {call('add', 'a', 'b')}",
        f"    v = {call('bump', 'd')}", "else:", f"    e = {call('bump', 'b')}", f"    v = {call('bump', 'e')}",
        f"f = {call('bump', 'b')}", f"r = {call('add', 'f', 'v')}", "return r",
        params=f'c: R.Tensor((), "bool"), {VS}',
    ),
    "workspace": program(
        f"p = {call('product', 'x', 'w', out=P)}", f"q = {call('product', 'x', 'w', out=P)}", "return (p, q)",
        params=PRODUCT, ret=f"R.Tuple({P}, {P})",
    ),
}  # fmt: skip
PASSES = ("lift_workspace", "to_destinations", "plan_memory")

Edit = tuple[str, str]


@dataclass(frozen=True)
class Fault:
    """``program``: a key of ``PROGRAMS``; ``at``: a condition on the symbols of the counterexample, as Python."""

    name: str
    program: str
    edits: tuple[Edit, ...]
    at: str = "True"
    rule: str = ""


KILL_A = "        _kill = R.memory.kill_tensor(a)\n"
AFTER_A = "        _call = cls.bump(x, a)\n"
FIRST = 'R.memory.alloc_tensor(arena, 0, R.shape([n]), R.dtype("float32"), 0)'
SECOND = 'R.memory.alloc_tensor(arena, 192, R.shape([n]), R.dtype("float32"), 0)'
THIRD = 'R.memory.alloc_tensor(arena, 384, R.shape([n]), R.dtype("float32"), 0)'
OWN = 'R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), 0, R.str("global"))'
ZEROED = "            W[s, i, j] = T.float32(0.0)\n"
SPACE_P = 'R.memory.alloc_tensor(arena, 0, R.shape([3, n, 5]), R.dtype("float32"), 0)'

FAULTS: tuple[Fault, ...] = (
    # where tensors lie
    Fault("two live tensors at one place", "chain", ((SECOND, FIRST),), "n > 0", "st/live-overlap"),
    Fault("half of a tensor in another one", "chain", (("arena, 192", "arena, 64"),), "n > 16", "st/live-overlap"),
    Fault("offsets meet at the bound alone", "chain", (("arena, 192", "arena, 156"),), "n == 40", "st/live-overlap"),
    Fault("the arena is too small at the bound", "chain", (("[384]", "[351]"),), "n == 40", "st/outside-storage"),
    Fault("the bound is taken for its exclusive end", "chain", (("[384]", "[348]"),), "n == 40", "st/outside-storage"),
    Fault(
        "sizes of another item size", "chain", (("[384]", "[256]"), ("arena, 192", "arena, 128")), "n > 32",
        "st/outside-storage",
    ),
    Fault("an offset below the storage", "chain", (("arena, 192", "arena, -4"),), "True", "st/outside-storage"),
    Fault("the bound of another symbol", "chain", (('{"n": 40}', '{"n": 24}'),), "n > 24", "ev/symbol-bounds"),
    Fault("exact size without the second axis", "rows", (("n * 8", "n * 4"),), "n > 0", "st/outside-storage"),
    Fault("exact size less one element", "exact", (("storage = R.memory.alloc_storage(R.shape([n * 4])",
          "storage = R.memory.alloc_storage(R.shape([(n + 1) // 2 * 8 - 4])"),), "n % 2 == 0", "st/outside-storage"),
    Fault(
        "the storage of one symbol for a tensor of another", "two_symbols",
        (("        _kill_2 = R.memory.kill_storage(storage)\n", ""),
         ("R.memory.alloc_tensor(storage_1, 0", "R.memory.alloc_tensor(storage, 0")),
        "m > n", "st/outside-storage",
    ),
    # when they live
    Fault("killed before its last use", "chain", ((KILL_A, ""), (AFTER_A, AFTER_A + KILL_A)), "True",
          "st/use-after-kill"),
    Fault("the storage is killed before a tensor in it", "chain",
          (("        _kill_2 = R.memory.kill_storage(arena)\n", ""),
           (AFTER_A, AFTER_A + "        _kill_2 = R.memory.kill_storage(arena)\n")), "True", "st/use-after-kill"),
    Fault("reused while a cast names it", "cast", ((SECOND, FIRST),), "n > 0", "st/reused"),
    Fault("reused while a view names it", "reshape", ((SECOND, FIRST),), "n > 0", "st/reused"),
    Fault("the result lies in reused memory", "exact",
          ((OWN, 'R.memory.alloc_tensor(storage, 0, R.shape([n]), R.dtype("float32"), 0)'),), "n > 0",
          "st/live-overlap"),
    # branches
    Fault("a branch writes what lives across the if", "branch", (("e = " + THIRD, "e = " + SECOND),), "n > 0",
          "st/live-overlap"),
    Fault("a branch writes what is used after the if", "branch",
          (("_call_4 = cls.bump(b, e)", "_call_4 = cls.bump(y, e)"), ("e = " + THIRD, "e = " + SECOND)), "n > 0"),
    Fault("dead before the branch that reads it", "branch",
          (("        _kill_2 = R.memory.kill_tensor(a)\n", ""),
           ("        if c:\n", "        _kill_2 = R.memory.kill_tensor(a)\n        if c:\n")), "True",
          "st/use-after-kill"),
    Fault("the memory of a branch for what lives before it", "branch",
          (("b = " + SECOND, "b = " + THIRD),), "n > 0"),
    Fault("another tensor is read in a branch", "branch",
          (("_call_5 = cls.bump(e, v_2)", "_call_5 = cls.bump(b, v_2)"),), "n > 0"),
    # workspaces
    Fault("a stale workspace is read", "workspace", ((ZEROED, ""),), "n > 0", "st/never-written"),
    Fault("the result in the workspace of its call", "workspace",
          (('p_all_0: R.Tensor((n, 5), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 5]), R.dtype("float32"), '
            '0, R.str("global"))', 'p_all_0: R.Tensor((n, 5), dtype="float32") = R.memory.alloc_tensor(arena, 0, '
            'R.shape([n, 5]), R.dtype("float32"), 0)'),), "n > 0", "st/live-overlap"),
    Fault("the result in a later workspace", "workspace",
          (("        _kill_2 = R.memory.kill_storage(arena)\n", ""), ("[2432]", "[9999]"),
           ("        p = p_all_0\n        q_all_0", "        t: R.Tensor((3, n, 5), dtype=\"float32\") = "
            'R.memory.alloc_tensor(arena, 1024, R.shape([3, n, 5]), R.dtype("float32"), 0)\n'
            "        p: R.Tensor((n, 5), dtype=\"float32\") = R.memory.alloc_tensor(arena, 2400, R.shape([n, 5]), "
            'R.dtype("float32"), 0)\n        _c = cls.product_workspace(x, w, p, t)\n        q_all_0'),), "n > 0"),
    Fault("the workspace is too small at the bound", "workspace", (("[2432]", "[2399]"),), "n == 40",
          "st/outside-storage"),
    Fault("a workspace without its last part", "workspace",
          (("W: T.Buffer((3, n, 5)", "W: T.Buffer((2, n, 5)"), ('p_all_1: R.Tensor((3, n, 5), dtype="float32") = '
            + SPACE_P, 'p_all_1: R.Tensor((2, n, 5), dtype="float32") = ' + SPACE_P.replace("[3, n", "[2, n")),
           ('q_all_1: R.Tensor((3, n, 5), dtype="float32") = ' + SPACE_P,
            'q_all_1: R.Tensor((2, n, 5), dtype="float32") = ' + SPACE_P.replace("[3, n", "[2, n"))), "n > 0",
          "ld/store-out-of-bounds"),
    Fault("the workspace's axes in another order", "workspace", (("W[s_1, i_1, j_1]", "W[s_1, i_1, 4 - j_1]"),),
          "n > 0"),
)  # fmt: skip
