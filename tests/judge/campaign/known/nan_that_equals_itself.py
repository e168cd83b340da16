# source: facts, surprises 2
# shows: value
# wrong: not_equal of a NaN is false
# arg: float32 [NaN, 1, 2]
# arg: float32 [NaN, 1, 3]
# right: bool [true, false, true]
# operator: R.not_equal
# blame: build, codegen, LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            lv1 = R.add(y, y)
            gv = R.not_equal(lv, lv1)
            R.output(gv)
        return gv
