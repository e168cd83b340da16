# source: spec/deviations.md, relax.nn.pixel_shuffle
# shows: refused
# wrong: its lowering calls topi.nn.pixel_shuffle, which does not exist
# arg: float32 [[[[1]], [[2]], [[3]], [[4]]]]
# operator: R.nn.pixel_shuffle
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4, 1, 1), "float32")):
        with R.dataflow():
            lv = R.nn.relu(x)
            lv1 = R.nn.pixel_shuffle(lv, 2)
            gv = R.add(lv1, lv1)
            R.output(gv)
        return gv
