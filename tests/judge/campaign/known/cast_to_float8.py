# source: facts, surprises 20
# shows: value
# wrong: small numbers, -0 and NaN come out as others
# arg: float32 [0.015625, 0.0009765625, -0.0, 1.5]
# right: float32 [0.015625, 0.0, -0.0, 1.5]
# operator: R.astype
# blame: LegalizeOps, tirx.FP8ComputeLegalize, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            lv = R.astype(x, "float8_e4m3fn")
            gv = R.astype(lv, "float32")
            R.output(gv)
        return gv
