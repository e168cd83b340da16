// Signatures of functions (spec 05 "Signatures").
"use strict";
const { tensor, prim, ANY, VOID } = require("./build");
const { isPureFunction } = require("../purity");

const functionType = (f, ret) => ({ node: "FuncType", params: f.params.map((p) => p.type ?? ANY), ret, purity: f.pure, derive_func: null });

/** A library function: nothing is known of its parameters, and each call says its result (ty/leaf). */
const opaque = (purity = false) => ({ node: "FuncType", params: null, ret: ANY, purity, derive_func: "tvm.relax.type.infer_by_ty_args" });

/** A buffer is a tensor, a scalar has its prim type, a bare handle is anything (ty/prim-func-signature). */
function primFuncSignature(module, name, f) {
  const params = f.params.map((p) => {
    if (p.node === "BufferParam") return tensor(p.buffer.shape, p.buffer.dtype);
    return p.var.dtype.startsWith("handle") ? ANY : prim(p.var.dtype);
  });
  return { node: "FuncType", params, ret: f.ret === null ? VOID : prim(f.ret), purity: isPureFunction(module, name), derive_func: null };
}

module.exports = { functionType, opaque, primFuncSignature };
