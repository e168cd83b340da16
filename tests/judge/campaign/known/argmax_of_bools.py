# source: apache/tvm#18602
# shows: refused
# wrong: argmax of bools is typed and does not become code
# arg: bool [false, true]
# right: int64 1
# operator: R.argmax
# blame: LegalizeOps, codegen, build
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "bool")):
        with R.dataflow():
            lv = R.logical_not(x)
            lv1 = R.logical_not(lv)
            gv = R.argmax(lv1, axis=0)
            R.output(gv)
        return gv
