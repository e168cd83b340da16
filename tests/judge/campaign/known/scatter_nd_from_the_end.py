# source: apache/tvm#20297
# shows: value
# strict: ONNX counts a negative index of ScatterND from the end
# wrong: the element that -1 counts to is left as it was
# arg: float32 [1, 2, 3]
# arg: int64 [[-1]]
# arg: float32 [9]
# right: float32 [1, 2, 9]
# operator: R.scatter_nd
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), i: R.Tensor((1, 1), "int64"), u: R.Tensor((1,), "float32")):
        with R.dataflow():
            lv = R.abs(x)
            gv = R.scatter_nd(lv, i, u)
            R.output(gv)
        return gv
