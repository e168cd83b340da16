# source: facts, surprises 7
# shows: refused
# wrong: add of (n,) and (m,) is typed, and code generation has no such operator
# arg: float32 [1, 2, 3]
# arg: float32 [10]
# operator: R.add
# blame: VMCodeGen
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        with R.dataflow():
            lv = R.negative(y)
            gv = R.add(x, lv)
            R.output(gv)
        return gv
