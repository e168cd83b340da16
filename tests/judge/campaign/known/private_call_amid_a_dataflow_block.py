# source: spec/deviations.md, a dataflow variable used outside of its block
# shows: illformed
# wrong: the block is split around the inlined call, and what the second half uses is not output
# arg: float32 [1, 2, 3]
# pipeline: InlinePrivateFunctions
# blame: InlinePrivateFunctions
@I.ir_module
class Module:
    @R.function(private=True)
    def twice(a: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        b = R.add(a, a)
        return b

    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        with R.dataflow():
            e = R.exp(x)
            t = cls.twice(x)
            r = R.subtract(e, t)
            R.output(r)
        return r
