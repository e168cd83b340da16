# arg: float32 [[], []]
# arg: float32 []
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((2, 0), "float32"), b: R.Tensor((0,), "float32")):
        with R.dataflow():
            gv = R.matmul(a, b)
            R.output(gv)
        return gv
