"""The examples of the operators on memory: what each page of ``tools/make_operator_pages.py`` shows of them.

A row: operator, what stands before the last ``return``, the name that is returned, the loop program that is called.
"""

from __future__ import annotations

from refrelax.semantics.ops import OPERATORS

DOUBLE = """\
    @T.prim_func(private=True, s_tir=True)
    def double(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + A[i]
"""
FILL = """\
    @T.prim_func(private=True, s_tir=True)
    def fill(A: T.Buffer((4,), "float32"), k: T.int64):
        for i in range(4):
            A[i] = T.Cast("float32", k)
"""

STORAGE = 's = R.memory.alloc_storage(R.shape([{size}]), 0, "global", "float32")'
TENSOR = '{name}: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, {offset}, R.shape([4]), "float32")'
ONE = [STORAGE.format(size=16), TENSOR.format(name="a", offset=0)]
VM = ['s = R.vm.alloc_storage(R.shape([{size}]), 0, R.dtype("{dtype}"))',
      'a: R.Tensor((4,), "float32") = R.vm.alloc_tensor(s, 0, R.shape([4]), R.dtype("float32"))']  # fmt: skip
BUILTIN = 'a = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), 0)'
CALL = "_ = cls.double(x, a)"
INTO = '{name} = R.call_tir_inplace(cls.double, ({x}, {a}), inplace_indices=[1], out_ty=R.Tensor((4,), "float32"))'
INTO_A = INTO.format(name="y", x="x", a="a")
"""What the destination ``a`` becomes, in a form that a dataflow block may hold."""
VIEW = 'a = R.memory.view(x, R.shape([2]), R.dtype("float32"), 4)'

MEMORY: dict[str, tuple[list[str], str, str, int]] = {
    "builtin.alloc_tensor": ([BUILTIN, INTO_A], "y", DOUBLE, 4),
    "memory.alloc_storage": ([*ONE, INTO_A], "y", DOUBLE, 4),
    "memory.alloc_tensor": (
        [STORAGE.format(size=32), TENSOR.format(name="a", offset=0), INTO_A, TENSOR.format(name="b", offset=16),
         INTO.format(name="z", x="y", a="b")],
        "z", DOUBLE, 4,
    ),
    "memory.kill_storage": ([*ONE, "k = R.memory.kill_storage(s)", CALL], "a", DOUBLE, 4),
    "memory.kill_tensor": ([*ONE, CALL, "b = a", "k = R.memory.kill_tensor(a)"], "b", DOUBLE, 4),
    "memory.view": ([VIEW], "a", "", 2),
    "memory.ensure_zero_offset": ([VIEW, "b = R.memory.ensure_zero_offset(a)"], "b", "", 2),
    "vm.alloc_storage": ([VM[0].format(size=16, dtype="uint8"), VM[1], INTO_A], "y", DOUBLE, 4),
    "vm.alloc_tensor": ([VM[0].format(size=4, dtype="float32"), VM[1], INTO_A], "y", DOUBLE, 4),
    "vm.kill_object": ([*ONE, CALL, "k = R.vm.kill_object(s)"], "a", DOUBLE, 4),
    "vm.call_tir_dyn": ([BUILTIN, "_ = R.vm.call_tir_dyn(cls.fill, (a, R.shape([7])))"], "a", FILL, 4),
}  # fmt: skip


def memory_example(name: str) -> str:
    """The program that shows an operator on memory: a dataflow block, but of an operator that is impure."""
    lines, result, kernel, extent = MEMORY[name]
    uses = ["cls = Module"] if kernel else []
    pure = OPERATORS[f"relax.{name}"].pure
    if pure:
        lines = ["with R.dataflow():", *(f"    {line}" for line in [*lines, f"R.output({result})"])]
    head = f'def main(x: R.Tensor((4,), "float32")) -> R.Tensor(({extent},), "float32"):'
    body = "".join(f"        {line}\n" for line in [*uses, *lines, f"return {result}"])
    before = f"{kernel}\n" if kernel else ""
    return f"@I.ir_module\nclass Module:\n{before}    @R.function{'' if pure else '(pure=False)'}\n    {head}\n{body}"
