# source: facts, semantics C
# shows: value
# strict: NumPy and PyTorch give the position of the NaN; at the least no element may win that is below another
# wrong: the element behind a NaN is chosen, though one before it is greater
# arg: float32 [5, NaN, 3, -1]
# right: int64 1
# operator: R.argmax
# blame: LegalizeOps
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            lv = R.add(x, x)
            gv = R.argmax(lv, axis=0)
            R.output(gv)
        return gv
