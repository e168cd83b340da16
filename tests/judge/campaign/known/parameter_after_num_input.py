# source: facts, semantics D
# shows: accepted at run time
# wrong: the static shape of a parameter after num_input is not checked: 2 elements come for 4
# arg: float32 [1, 2, 3, 4]
# arg: float32 [1, 2]
# blame: ev/param-shape, VMShapeLower, ev/argument-mismatch
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            gv = R.add(x, x)
            R.output(gv)
        return (gv, w)
