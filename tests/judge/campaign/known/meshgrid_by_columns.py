# source: spec/deviations.md, relax.meshgrid, "xy"
# shows: refused
# wrong: the value of "xy" has its first two axes swapped, the type has not, so that an operand of the shape of the value is refused
# arg: float32 [1, 2]
# arg: float32 [3, 4, 5]
# arg: float32 [[0, 0], [0, 0], [0, 0]]
# operator: R.meshgrid
# blame: read
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((2,), "float32"), b: R.Tensor((3,), "float32"), c: R.Tensor((3, 2), "float32")):
        with R.dataflow():
            lv = R.meshgrid((a, b), indexing="xy")
            lv1 = lv[0]
            gv = R.add(lv1, c)
            R.output(gv)
        return gv
