# arg: float32 [[], []]
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 0), "float32")):
        with R.dataflow():
            a = R.exp(x)
            b = R.squeeze(a)
            c = R.exp(b)
            R.output(c)
        return c
