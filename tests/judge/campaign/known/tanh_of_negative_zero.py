# source: facts, surprises 20
# shows: value
# strict: IEEE 754 and the array API give -0
# wrong: the sign of the zero is lost
# arg: float32 [-0.0, 2]
# right: float32 [-Infinity, 1.0373147]
# operator: R.tanh
# blame: LegalizeOps, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        with R.dataflow():
            lv = R.tanh(x)
            gv = R.divide(R.const(1, "float32"), lv)
            R.output(gv)
        return gv
