# source: apache/tvm#19579
# shows: value
# strict: ONNX keeps a NaN
# wrong: relu of a NaN is 0
# arg: float32 [NaN, -1, 2]
# right: float32 [NaN, 0, 4]
# operator: R.nn.relu
# blame: LegalizeOps, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            lv = R.nn.relu(x)
            gv = R.add(lv, lv)
            R.output(gv)
        return gv
