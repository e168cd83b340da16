# source: spec/deviations.md, R.sign of a NaN; apache/tvm#19543
# shows: value
# wrong: the sign of a NaN is 0
# arg: float32 [NaN, -3, 0]
# right: float32 [NaN, -1, 0]
# operator: R.sign
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            lv = R.multiply(x, R.const(2, "float32"))
            lv1 = R.sign(lv)
            gv = R.abs(lv1)
            gv1 = R.multiply(gv, lv1)
            R.output(gv1)
        return gv1
