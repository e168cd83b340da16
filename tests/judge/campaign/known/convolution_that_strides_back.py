# source: spec/deviations.md, op.conv/window
# shows: accepted
# wrong: a stride of -1 has no meaning, and is taken
# arg: float32 [[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]
# arg: float32 [[[[1, 0], [0, 1]]]]
# operator: R.nn.conv2d
# blame: op.conv/window
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 1, 3, 3), "float32"), w: R.Tensor((1, 1, 2, 2), "float32")):
        with R.dataflow():
            gv = R.nn.conv2d(x, w, strides=[-1, 1])
            R.output(gv)
        return gv
