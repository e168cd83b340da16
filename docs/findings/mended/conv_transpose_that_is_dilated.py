# arg: float32 [[[1, 2, 3]]]
# arg: float32 [[[1, 10]]]
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 1, 3), "float32"), w: R.Tensor((1, 1, 2), "float32")):
        with R.dataflow():
            gv = R.nn.conv1d_transpose(x, w, dilation=2)
            R.output(gv)
        return gv
