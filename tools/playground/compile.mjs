// At build time, in node: the package as byte code of the very Python that runs in the browser, so that nothing is
// compiled there; what the playground asks is asked once.  node compile.mjs FOLDER
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]) + "/";
const { loadPyodide } = await import(pathToFileURL(folder + "pyodide.mjs"));
const python = await loadPyodide({ indexURL: folder });
python.unpackArchive(new Uint8Array(await readFile(folder + "packages.zip")), "zip", { extractDir: "/packages" });
python.runPython(`
import compileall, zipfile
from pathlib import Path
from py_compile import PycInvalidationMode
done = compileall.compile_dir("/packages", quiet=1, legacy=True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
assert done, "not everything compiles"
with zipfile.ZipFile("/packages.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(Path("/packages").rglob("*")):
        if path.is_file() and path.suffix != ".py":
            archive.write(path, path.relative_to("/packages"))

import sys
sys.path.insert(0, "/packages")
from refrelax.exercises import starts
from refrelax.play import ACTIONS, answer
for action in ACTIONS:
    asked = {"program": starts.UNFUSED, "second": starts.FUSED, "claim": "n >= n", "exercise": "8", "rule": "ev/call-tir"}
    found = answer(asked | {"action": action})
    assert found["text"] and not found.get("marks"), (action, found)
`);
await writeFile(folder + "packages.zip", python.FS.readFile("/packages.zip"));
