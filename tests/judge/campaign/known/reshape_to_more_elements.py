# source: facts, surprises 9
# shows: accepted at run time
# wrong: 6 elements become 8, two of them from outside of the tensor, and no check says so
# arg: float32 [1, 2, 3, 4, 5, 6]
# arg: shape [4, 2]
# operator: R.reshape
# blame: R.reshape
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m",), "float32"), s: R.Shape(["a", "b"])):
        a = T.int64()
        b = T.int64()
        with R.dataflow():
            gv = R.reshape(x, R.shape([a, b]))
            R.output(gv)
        return gv
