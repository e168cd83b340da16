# source: facts, surprises 17
# shows: refused
# wrong: the default build has no LambdaLift: a local function, which is well-formed, does not compile
# arg: float32 [1, 2]
# blame: VMShapeLower
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        @R.function
        def inner(y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            s = R.add(y, y)
            return s

        gv = inner(x)
        return gv
