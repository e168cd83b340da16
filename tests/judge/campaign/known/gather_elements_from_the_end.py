# source: apache/tvm#20297
# shows: value
# strict: ONNX counts a negative index of GatherElements from the end
# wrong: gather_elements of -1 reads in front of the data
# arg: float32 [[1, 2], [3, 4]]
# arg: int64 [[-1, 0], [0, -1]]
# right: float32 [[2, 1], [3, 4]]
# operator: R.gather_elements
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), i: R.Tensor((2, 2), "int64")):
        with R.dataflow():
            lv = R.nn.relu(x)
            gv = R.gather_elements(lv, i, axis=1)
            R.output(gv)
        return gv
