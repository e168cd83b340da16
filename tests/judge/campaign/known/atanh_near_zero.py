# source: spec/deviations.md, R.atanh near zero
# shows: value
# wrong: a logarithm of a quotient is 0 for 1e-8
# arg: float32 [2e-8, 0.5, -1e-6]
# right: float32 [1e-8, 0.25541282, -5e-7]
# operator: R.atanh
# blame: LegalizeOps, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            lv = R.multiply(x, R.const(0.5, "float32"))
            gv = R.atanh(lv)
            R.output(gv)
        return gv
