# source: spec/deviations.md, R.index_tensor, negative index
# shows: value
# wrong: -1 is not the last element, but memory in front of the first
# arg: float32 [[1, 2], [3, 4], [5, 6]]
# arg: int64 [-1, 0]
# right: float32 [[5, 6], [1, 2]]
# operator: R.index_tensor
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 2), "float32"), i: R.Tensor((2,), "int64")):
        with R.dataflow():
            lv = R.nn.relu(x)
            gv = R.index_tensor(lv, (i,))
            R.output(gv)
        return gv
