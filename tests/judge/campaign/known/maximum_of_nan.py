# source: facts, surprises 2; apache/tvm#19579
# shows: value
# strict: the array API and IEEE 754 keep a NaN
# wrong: a NaN in the first operand is lost
# arg: float32 [NaN, 1]
# arg: float32 [0, NaN]
# right: float32 [NaN, NaN]
# operator: R.maximum
# blame: LegalizeOps, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.maximum(lv, y)
            R.output(gv)
        return gv
