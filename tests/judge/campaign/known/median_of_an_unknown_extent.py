# source: spec/deviations.md, relax.median of a vector of unknown extent
# shows: refused
# wrong: the type of a median along one axis is its first field alone, so that the pair cannot be taken apart
# arg: float32 [3, 1, 2]
# operator: R.median
# blame: read
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1)):
        lv = R.median(x, axis=[0])
        gv = lv[0]
        return gv
