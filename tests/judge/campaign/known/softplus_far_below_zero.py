# source: spec/deviations.md, relax.nn.softplus far below zero
# shows: value
# wrong: log(1 + exp(x)) is 0 where exp(x) is lost beside 1
# arg: float32 [-10, -3.5, 0.5]
# right: float32 [-2.0611537e-08, -0.0031901323, 0.65663084]
# operator: R.nn.softplus
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            lv1 = R.nn.softplus(lv)
            gv = R.multiply(lv1, x)
            R.output(gv)
        return gv
