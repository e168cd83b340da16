# source: apache/tvm#17768
# shows: refused
# wrong: a slice of no elements fails in its lowering
# arg: float32 [1, 2, 3, 4]
# right: float32 []
# operator: R.strided_slice
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.strided_slice(lv, axes=[0], begin=[3], end=[1])
            R.output(gv)
        return gv
