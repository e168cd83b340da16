# arg: float32 [-0.5, 0, 1, 2.5]
# arg: float32 [0, 1, 2]
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), b: R.Tensor((3,), "float32")):
        with R.dataflow():
            gv = R.bucketize(x, b)
            R.output(gv)
        return gv
