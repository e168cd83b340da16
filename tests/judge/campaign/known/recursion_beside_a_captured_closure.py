# source: facts, surprises 17
# shows: illformed
# wrong: a recursive local function that captures another one is lifted to a function with an undefined variable
# arg: float32 3
# right: float32 0
# pipeline: LambdaLift
# blame: LambdaLift
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((), "float32")) -> R.Tensor((), "float32"):
        @R.function
        def less(y: R.Tensor((), "float32")) -> R.Tensor((), "float32"):
            d = R.subtract(y, R.const(1, "float32"))
            return d

        @R.function
        def down(y: R.Tensor((), "float32")) -> R.Tensor((), "float32"):
            c = R.greater(y, R.const(0, "float32"))
            if c:
                z = less(y)
                r = down(z)
            else:
                r = y
            return r

        gv = down(x)
        return gv
