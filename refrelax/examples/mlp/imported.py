# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import relax as R

n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 6), dtype="float32")) -> R.Tuple(R.Tensor((n, 4), dtype="float32")):
        R.func_attr({"tir_var_lower_bound": {"n": 1}})
        with R.dataflow():
            lv: R.Tensor((6, 10), dtype="float32") = R.permute_dims(metadata["ir.GenericConst"][0], axes=[1, 0])
            lv1: R.Tensor((n, 10), dtype="float32") = R.matmul(x, lv, out_dtype="float32")
            lv2: R.Tensor((n, 10), dtype="float32") = R.add(metadata["ir.GenericConst"][1], lv1)
            lv3: R.Tensor((n, 10), dtype="float32") = R.nn.relu(lv2)
            lv4: R.Tensor((10, 4), dtype="float32") = R.permute_dims(metadata["ir.GenericConst"][2], axes=[1, 0])
            lv5: R.Tensor((n, 4), dtype="float32") = R.matmul(lv3, lv4, out_dtype="float32")
            lv6: R.Tensor((n, 4), dtype="float32") = R.add(metadata["ir.GenericConst"][3], lv5)
            lv7: R.Tensor((n, 4), dtype="float32") = R.nn.softmax(lv6, axis=-1)
            gv: R.Tuple(R.Tensor((n, 4), dtype="float32")) = (lv7,)
            R.output(gv)
        return gv

# Metadata omitted. Use show_meta=True in script() method to show it.
