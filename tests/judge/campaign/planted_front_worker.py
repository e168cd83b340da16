"""The worker that imports, with one fault in TVM's importer: softmax goes along the first axis, whatever was asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3] / "refrelax" / "interop" / "tvm"))

import front_worker  # type: ignore[import-not-found]
import serve  # type: ignore[import-not-found]


def plant() -> None:
    from tvm import relax
    from tvm.relax.frontend.torch.base_fx_graph_translator import BaseFXGraphImporter

    def softmax(self: Any, node: Any) -> Any:
        return self.block_builder.emit(relax.op.nn.softmax(self.env[node.args[0]], 0))

    BaseFXGraphImporter._softmax = softmax
    front_worker.warm()


if __name__ == "__main__":
    serve.serve(front_worker.answer, plant, torch=True)
