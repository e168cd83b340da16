# arg: float32 [[[[1, 2], [3, 4]], [[1, 2], [3, 4]]]]
# arg: float32 [[[[1]]], [[[2]]]]
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "c", 2, 2), "float32"), w: R.Tensor((2, 1, 1, 1), "float32")):
        g = R.nn.conv2d(x, w, groups=2)
        return g
