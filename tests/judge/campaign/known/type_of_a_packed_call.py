# source: facts, surprises 9
# shows: accepted at run time
# wrong: a library function returns 2 elements where its type says 3, and nothing checks it
# arg: float32 [1, 2]
# blame: ev/packed-result, ev/call-result, ev/return-mismatch, R.call_pure_packed
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((3,), "float32"):
        with R.dataflow():
            gv = R.call_pure_packed("vm.builtin.copy", x, ty_args=(R.Tensor((3,), dtype="float32"),))
            R.output(gv)
        return gv
