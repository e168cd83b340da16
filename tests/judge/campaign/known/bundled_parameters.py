# source: apache/tvm#20335
# shows: crash
# wrong: the tuple that BundleModelParams makes has fields without shapes, for which VMShapeLower dies
# arg: float32 [1, 2]
# arg: int64 2
# arg: float32 [3, 4]
# pipeline: BundleModelParams
# blame: VMShapeLower, BundleModelParams
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), k: R.Prim("int64"), w: R.Tensor((k,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.add(w, w)
            R.output(lv, gv)
        return (lv, gv)
