# source: apache/tvm#17479
# shows: refused
# wrong: after InlinePrivateFunctions the symbols of the callee are not computed
# arg: float32 [[1, 2], [3, 4]]
# pipeline: InlinePrivateFunctions
# blame: InlinePrivateFunctions, VMShapeLower
@I.ir_module
class Module:
    @R.function(private=True)
    def flat(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n * m",), "float32"):
        n = T.int64()
        m = T.int64()
        r = R.reshape(x, (n * m,))
        return r

    @R.function
    def main(y: R.Tensor(("p", "q"), "float32")):
        p = T.int64()
        q = T.int64()
        cls = Module
        a: R.Tensor((p * q,), "float32") = cls.flat(y)
        b = R.add(a, a)
        return b
