# source: facts, semantics C
# shows: refused
# wrong: integers pass the type rule of logical_and, and fail in its lowering
# arg: int32 [0, 2, 3]
# arg: int32 [1, 1, 0]
# operator: R.logical_and
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "int32"), y: R.Tensor((3,), "int32")):
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.logical_and(lv, y)
            R.output(gv)
        return gv
