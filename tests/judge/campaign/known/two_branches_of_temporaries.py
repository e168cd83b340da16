# source: spec/deviations.md, a storage used where it is not defined; apache/tvm#20191
# shows: crash
# wrong: the else branch uses the storage that the then branch allocates
# arg: bool false
# arg: float32 [[1, 2, 3, 4]]
# right: float32 [1, 4, 9, 16]
# blame: StaticPlanBlockMemory
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((1, 4), "float32")) -> R.Tensor((4,), "float32"):
        if c:
            a = R.add(x, x)
            b = R.subtract(a, x)
            r = R.reshape(b, (4,))
        else:
            p = R.multiply(x, x)
            q = R.abs(p)
            r = R.reshape(q, (4,))
        return r
