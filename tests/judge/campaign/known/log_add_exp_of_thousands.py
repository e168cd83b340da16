# source: facts, surprises 20
# shows: value
# wrong: log(exp(a) + exp(b)) overflows
# arg: float32 [500, 1]
# arg: float32 [1000, 2]
# right: float32 [1000.6931, 2.6931472]
# operator: R.log_add_exp
# blame: LegalizeOps, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.log_add_exp(lv, y)
            R.output(gv)
        return gv
