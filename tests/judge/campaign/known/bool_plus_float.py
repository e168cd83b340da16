# source: spec/deviations.md, op.binary/equal-dtypes; facts, surprises 5
# shows: value
# wrong: typed as bool, the dtype of the first operand; runs as float32
# arg: bool [true, false]
# arg: float32 [2.5, 0]
# right: bool [true, false]
# operator: R.add
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((2,), "bool"), x: R.Tensor((2,), "float32")):
        with R.dataflow():
            lv = R.logical_not(c)
            lv1 = R.logical_not(lv)
            gv = R.add(lv1, x)
            R.output(gv)
        return gv
