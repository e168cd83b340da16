# source: spec/deviations.md, relax.image.grid_sample
# shows: refused
# wrong: reflection with align_corners divides by an extent less one, also where the extent is 1
# arg: float32 [[[[[1, 2], [3, 4]]]]]
# arg: float32 [[[[[0, 0.5]]], [[[0, 0.5]]], [[[0, 0.5]]]]]
# operator: R.image.grid_sample
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 1, 1, 2, 2), "float32"), g: R.Tensor((1, 3, 1, 1, 2), "float32")):
        with R.dataflow():
            lv = R.negative(x)
            lv1 = R.image.grid_sample(lv, g, method="bilinear", layout="NCDHW", padding_mode="reflection", align_corners=True)
            gv = R.negative(lv1)
            R.output(gv)
        return gv
