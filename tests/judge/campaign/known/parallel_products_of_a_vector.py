# source: apache/tvm#20197
# shows: refused
# wrong: the joined product of a vector has rank 1, and is split along the axis 1
# arg: float32 [1, 2, 3]
# arg: float32 [[1, 0], [0, 1], [1, 1]]
# arg: float32 [[2, 0], [0, 2], [2, 2]]
# pipeline: CombineParallelMatmul
# blame: CombineParallelMatmul
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), w1: R.Tensor((3, 2), "float32"), w2: R.Tensor((3, 2), "float32")):
        with R.dataflow():
            m1 = R.matmul(x, w1)
            m2 = R.matmul(x, w2)
            gv = R.subtract(m1, m2)
            R.output(gv)
        return gv
