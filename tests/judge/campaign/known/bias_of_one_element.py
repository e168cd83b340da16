# source: spec/deviations.md, a bias of one element is taken for a bias
# shows: dispatch cublas.matmul_bias
# wrong: one element that is added to all columns passes for a vector of an element a column
# arg: float32 [[1, 2], [3, 4]]
# arg: float32 [[1, 0, 1], [0, 1, 1]]
# arg: float32 [10]
# right: float32 [[11, 12, 13], [13, 14, 17]]
# pipeline: tests/lower/tvm_dispatch_passes.py:cublas
# blame: FuseOpsByPattern
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32"), w: R.Tensor((2, 3), "float32"), b: R.Tensor((1,), "float32")):
        with R.dataflow():
            lv = R.matmul(x, w)
            gv = R.add(lv, b)
            R.output(gv)
        return gv
