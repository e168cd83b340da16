# source: spec/deviations.md, R.mean, R.variance, R.std … along no elements
# shows: refused
# wrong: a mean over an axis of no elements ends the lowering with "Divide by zero"
# arg: float32 [[], []]
# operator: R.std
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 0), "float32")):
        with R.dataflow():
            lv = R.std(x, axis=[1])
            gv = R.exp(lv)
            R.output(gv)
        return gv
