#!/bin/sh
# All that needs a CUDA device, in eight minutes at most: the tests, some of them under compute-sanitizer, and the
# measurements, which go to $OUT (or benchmarks/results). Usage: sh tools/on_gpu.sh [PYTHON]
# It installs nothing: PYTHON has CuPy, NumPy, ml_dtypes, mpmath, rich, pytest and hypothesis (z3 and torch if it can).
set -u
cd "$(dirname "$0")/.." || exit 2
python=${1:-python3}
out=${OUT:-benchmarks/results}
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1
failed=0

missing=$("$python" -c '
from refrelax.errors import UsageError
from refrelax.backends.cupy_.device import find_cupy
try:
    find_cupy()
except UsageError as error:
    print(error)
')
if [ -n "$missing" ]; then
  echo "no device: $missing"
  "$python" benchmarks/gpu.py
  exit $?
fi

echo "== tests"
timeout 200 "$python" -m pytest -q -m gpu -p no:cacheprovider tests/backends/cupy_ || failed=1
if command -v compute-sanitizer >/dev/null; then
  echo "== compute-sanitizer"
  for tool in memcheck racecheck; do
    timeout 60 compute-sanitizer --tool "$tool" --error-exitcode 9 "$python" -m pytest -q -m gpu -x -p no:cacheprovider \
      tests/backends/cupy_/test_on_device.py -k "test_attention or (test_row_programs and float32 and softmax)" \
      > "$out/sanitizer-$tool.txt" 2>&1
    found=$?
    tail -3 "$out/sanitizer-$tool.txt"
    [ $found = 9 ] && failed=1
  done
else
  echo "no compute-sanitizer on this machine"
fi
echo "== measurements"
timeout 150 "$python" benchmarks/gpu.py --seconds 100 --out "$out/gpu.json" || failed=1
exit $failed
