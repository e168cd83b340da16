# source: facts, surprises 2; apache/tvm#19579
# shows: value
# strict: the array API keeps a NaN in clip
# wrong: NaN becomes the upper bound
# arg: float32 [NaN, 3, 0.25]
# right: float32 [NaN, 1, 0.25]
# operator: R.clip
# blame: LegalizeOps, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            lv = R.negative(x)
            lv1 = R.negative(lv)
            gv = R.clip(lv1, R.prim_value(-1.0), R.prim_value(1.0))
            R.output(gv)
        return gv
