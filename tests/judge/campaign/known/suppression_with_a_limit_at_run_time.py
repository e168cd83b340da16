# source: spec/deviations.md, relax.vision.all_class_non_max_suppression, limit
# shows: value
# wrong: the limit of boxes a class is read only where it is a constant
# arg: float32 [[[0, 0, 1, 1], [0, 3, 1, 4], [0, 6, 1, 7]]]
# arg: float32 [[[0.9, 0.8, 0.7]]]
# arg: int64 1
# arg: float32 0.5
# arg: float32 0
# right-of: 1 int64 [1]
# operator: R.vision.all_class_non_max_suppression
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((1, 3, 4), "float32"), b: R.Tensor((1, 1, 3), "float32"), c: R.Tensor((), "int64"), d: R.Tensor((), "float32"), e: R.Tensor((), "float32")):
        with R.dataflow():
            gv = R.vision.all_class_non_max_suppression(a, b, c, d, e, output_format="onnx")
            R.output(gv)
        return gv
