# source: facts, surprises 19
# shows: accepted at run time
# wrong: a tensor of two elements is a condition, and its first element decides
# arg: bool [true, false]
# arg: float32 [1, 2]
# blame: ev/return-mismatch, ev/if-condition, if
@I.ir_module
class Module:
    @R.function
    def main(c: R.Tensor(dtype="bool"), x: R.Tensor((2,), "float32")):
        if c:
            r = R.add(x, x)
        else:
            r = R.subtract(x, x)
        return r
