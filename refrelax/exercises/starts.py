"""The texts that the exercises begin with."""

TYPES = """\
n = TypeVar("n")
@R.function
def main(x: R.Tensor((n, 2), dtype="float32"), y: R.Tensor((n, 4), dtype="float32")) -> R.Tensor(___, dtype="float32"):
    with R.dataflow():
        both = R.concat((x, y), axis=1)
        turned = R.permute_dims(both)
        R.output(turned)
    return turned
"""

SQUARE = """\
n = TypeVar("n")
@R.function
def main(x: R.Tensor(dtype="float32", ndim=2)) -> R.Tensor(dtype="float32", ndim=2):
    y = R.match_cast(x, R.Tensor(___, dtype="float32"))
    return y
"""

PREFIX = """\
n = TypeVar("n")
@T.prim_func(private=True)
def main(A: T.Buffer((n,), "int32"), B: T.Buffer((n,), "int32")):
    for i in range(n):
        B[i] = ___
"""

POISON = """\
@R.function
def main(i: R.Tensor((3,), dtype="int64")) -> R.Tensor((3,), dtype="float32"):
    with R.dataflow():
        table = R.const([10.0, 20.0, 30.0, 40.0], "float32")
        y = R.take(table, i, axis=0)
        R.output(y)
    return y
"""

SUM = """\
@R.function
def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((), dtype="float32"):
    return R.sum(x)
"""

PLAN = """\
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((2,), "float32"), B: T.Buffer((2,), "float32")):
        for i in range(2):
            B[i] = A[i] + A[i]

    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        storage = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
        a = R.memory.alloc_tensor(storage, R.prim_value(___), R.shape([2]), R.dtype("float32"))
        _ = cls.double(x, a)
        b = R.memory.alloc_tensor(storage, R.prim_value(___), R.shape([2]), R.dtype("float32"))
        _1 = cls.double(a, b)
        c = R.memory.alloc_tensor(storage, R.prim_value(___), R.shape([2]), R.dtype("float32"))
        _2 = cls.double(b, c)
        out = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _3 = cls.double(c, out)
        return out
"""

PASS = '''\
"""A pass: in a dataflow block a call that is written twice is computed once. Something is wrong with it."""

from dataclasses import replace

from refrelax.syntax.graph import Call, DataflowBlock, Function, Var, VarBinding


def run(checked, ledger):
    functions = {}
    for name, func in checked.module.functions.items():
        if isinstance(func, Function):
            func = replace(func, body=replace(func.body, blocks=tuple(map(share, func.body.blocks))))
        functions[name] = func
    return checked.module.with_functions(functions)


def share(block):
    if not isinstance(block, DataflowBlock):
        return block
    first, bindings = [], []
    for binding in block.bindings:
        if isinstance(binding, VarBinding) and isinstance(binding.value, Call):
            known = next((name for call, name in first if same(call, binding.value)), None)
            if known is None:
                first.append((binding.value, binding.name))
            else:
                binding = replace(binding, value=Var(known), annotation=None)
        bindings.append(binding)
    return replace(block, bindings=tuple(bindings))


def same(a, b):
    """Whether two calls compute the same."""
    return a.op == b.op and a.args == b.args
'''

UNFUSED = """\
n = TypeVar("n")
@R.function
def main(x: R.Tensor((n,), dtype="int32"), y: R.Tensor((n,), dtype="int32")) -> R.Tensor((n,), dtype="int32"):
    with R.dataflow():
        p = R.multiply(x, y)
        s = R.add(p, x)
        R.output(s)
    return s
"""

FUSED = """\
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused(X: T.Buffer((n,), "int32"), Y: T.Buffer((n,), "int32"), S: T.Buffer((n,), "int32")):
        for i in range(n):
            S[i] = X[i] * Y[i] + X[i]

    @R.function
    def main(x: R.Tensor((n,), dtype="int32"), y: R.Tensor((n,), dtype="int32")) -> R.Tensor((n,), dtype="int32"):
        cls = Module
        with R.dataflow():
            s = R.call_tir(cls.fused, (x, y), out_ty=R.Tensor((n,), dtype="int32"))
            R.output(s)
        return s
"""

REGROUPED = """\
n = TypeVar("n")
@R.function
def main(x: R.Tensor((n,), dtype="float32"), y: R.Tensor((n,), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
    with R.dataflow():
        z = R.multiply(R.add(x, y), R.add(y, x))
        R.output(z)
    return z
"""

SCHEDULE = """\
n = TypeVar("n")
@T.prim_func(private=True)
def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
    for i in range(n):
        B[i] = A[i] + T.float32(1)
"""

ROUND = """\
@R.function
def main(x: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
    return R.round(x)
"""
