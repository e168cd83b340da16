# source: apache/tvm#19572
# shows: value
# strict: the array API and ONNX Runtime keep a NaN
# wrong: a NaN that comes first is lost
# arg: float32 [[NaN, 1], [2, 3]]
# right: float32 [NaN, 3]
# operator: R.max
# blame: LegalizeOps, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32")):
        with R.dataflow():
            lv = R.negative(x)
            lv1 = R.negative(lv)
            gv = R.max(lv1, axis=[1])
            R.output(gv)
        return gv
