# arg: float32 [1, 2, 3]
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        a = R.add(x, R.const(0.25, "float32"))
        b = R.match_cast(a, R.Tensor((3,), "float32"))
        c = R.add(x, R.const(0.125, "float32"))
        d = R.add(b, c)
        return d
