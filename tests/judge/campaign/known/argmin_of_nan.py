# source: apache/tvm#19540
# shows: value
# strict: NumPy, PyTorch and ONNX Runtime give the position of the NaN
# wrong: the least of the rest is chosen
# arg: float32 [8, NaN, 3, 1, 5]
# right: int64 1
# operator: R.argmin
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((5,), "float32")):
        with R.dataflow():
            lv = R.negative(x)
            lv1 = R.negative(lv)
            gv = R.argmin(lv1, axis=0)
            R.output(gv)
        return gv
