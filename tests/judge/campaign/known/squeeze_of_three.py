# source: facts, semantics C
# shows: accepted at run time
# wrong: an extent that is squeezed is taken for 1, unchecked; the rest is dropped
# arg: float32 [[1, 2], [3, 4], [5, 6]]
# operator: R.squeeze
# blame: R.squeeze
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32")):
        with R.dataflow():
            lv = R.squeeze(x, axis=[0])
            gv = R.add(lv, lv)
            R.output(gv)
        return gv
