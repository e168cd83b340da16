# source: spec/deviations.md, a scan along an empty axis stores outside
# shows: oob
# wrong: the first element is copied before the loop, though there is none
# arg: float32 []
# pipeline: cpu_generic
# operator: R.cumsum
# blame: DispatchSortScan
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((0,), "float32")) -> R.Tensor((0,), "float32"):
        with R.dataflow():
            lv = R.exp(x)
            gv = R.cumsum(lv, axis=0)
            R.output(gv)
        return gv
