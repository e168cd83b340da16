# source: apache/tvm#20192
# shows: refused
# wrong: FoldConstant learns a shape after LegalizeOps ran, and nothing lowers the operator that follows
# arg: float32 [1, 2, 3, 4]
# right: float32 [[2, 4], [6, 8]]
# pipeline: cpu_generic
# operator: R.add
# blame: VMCodeGen, FoldConstant
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        t = R.full((2,), R.const(2, "int64"), "int64")
        u: R.Shape(ndim=2) = R.tensor_to_shape(t)
        v = R.reshape(x, u)
        gv = R.add(v, v)
        return gv
