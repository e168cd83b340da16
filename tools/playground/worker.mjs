// Python in a worker: what is asked comes as plain data and is answered as plain data. Everything comes from this folder.
import { loadPyodide } from "./pyodide.mjs";

const ready = (async () => {
  const packed = fetch("./packages.zip").then(got => got.arrayBuffer()); // while Python is loaded
  const python = await loadPyodide({ indexURL: "./", lockFileURL: "./pyodide-lock.json" });
  python.unpackArchive(await packed, "zip", { extractDir: "/packages" });
  python.runPython(`
import sys, json
sys.path.insert(0, "/packages")
from refrelax.play import answer
def asked(request):
    return json.dumps(answer(json.loads(request)))
`);
  return python.globals.get("asked");
})();

ready.then(() => postMessage({ ready: true }), error => postMessage({ failed: String(error) }));
onmessage = async event => {
  try {
    const asked = await ready;
    postMessage({ id: event.data.id, answer: JSON.parse(asked(JSON.stringify(event.data.request))) });
  } catch (error) {
    postMessage({ id: event.data.id, answer: { text: `a fault of refrelax, please report it:\n${error}` } });
  }
};
