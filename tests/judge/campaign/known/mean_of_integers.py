# source: spec/deviations.md, R.mean, R.variance of integers; facts, semantics C
# shows: value
# wrong: typed int32, computed as int64
# arg: int32 [[1, 2], [5, 6]]
# right: int32 [3, 4]
# operator: R.mean
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "int32")):
        with R.dataflow():
            lv = R.negative(x)
            lv1 = R.negative(lv)
            gv = R.mean(lv1, axis=[0])
            R.output(gv)
        return gv
