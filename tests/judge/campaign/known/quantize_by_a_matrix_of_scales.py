# source: spec/deviations.md, op.quantize/parameter-dims
# shows: accepted
# wrong: a scale of rank 2 is taken if its first dim is that of the axis
# arg: float32 [[1, 2], [3, 4]]
# arg: float32 [[1, 1, 1], [1, 1, 1]]
# arg: int8 [[0, 0, 0], [0, 0, 0]]
# operator: R.quantize
# blame: op.quantize/parameter-dims
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), s: R.Tensor((2, 3), "float32"), z: R.Tensor((2, 3), "int8")):
        with R.dataflow():
            gv = R.quantize(x, s, z, axis=0, out_dtype="int8")
            R.output(gv)
        return gv
