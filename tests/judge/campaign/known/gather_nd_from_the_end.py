# source: facts, surprises 9; apache/tvm#20297
# shows: value
# strict: ONNX counts a negative index of GatherND from the end
# wrong: -1 reads in front of the data
# arg: float32 [[1, 2], [3, 4]]
# arg: int64 [[-1], [0]]
# right: float32 [[3, 4], [1, 2]]
# operator: R.gather_nd
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), i: R.Tensor((2, 1), "int64")):
        with R.dataflow():
            lv = R.nn.relu(x)
            gv = R.gather_nd(lv, i)
            R.output(gv)
        return gv
