# source: spec/deviations.md, axes that transpose nothing are taken for a transposition
# shows: dispatch cublas.matmul_transposed
# wrong: permute_dims with the axes 0, 1 transposes nothing; cuBLAS is told to transpose
# arg: float32 [[1, 2], [3, 4]]
# arg: float32 [[1, 0], [5, 1]]
# right: float32 [[11, 2], [23, 4]]
# pipeline: tests/lower/tvm_dispatch_passes.py:cublas
# blame: FuseOpsByPattern
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 2), "float32")):
        with R.dataflow():
            lv = R.permute_dims(w, axes=[0, 1])
            gv = R.matmul(x, lv)
            R.output(gv)
        return gv
