# arg: float32 [1, 2, 3]
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        with R.dataflow():
            gv = R.nn.dropout(x, rate=0.5)
            R.output(gv)
        return gv
