#!/bin/sh
# Builds the verified checker into build/ and says what it rests on.
#   coqc     checks the proofs, that they use no axiom, and that the OCaml in ocaml/ is what Coq extracts
#   ocamlopt compiles it
# Without coqc the OCaml that is committed is compiled as it stands; without ocamlopt there is nothing to do.
# Debian: apt-get install coq libcoq-stdlib ocaml-nox
set -eu
cd "$(dirname "$0")"
if ! command -v ocamlopt >/dev/null; then
  echo "verified: skipped, there is no ocamlopt here (Debian: apt-get install coq libcoq-stdlib ocaml-nox)"
  exit 0
fi
mkdir -p build
if command -v coqc >/dev/null; then
  for file in Meaning Poly Reading Axioms Bits Carries Rules Fits Log Points Checker Extract; do
    cp "$file.v" build/
    (cd build && coqc -q -Q . Verified "$file.v") >"build/$file.out" 2>&1 || { cat "build/$file.out"; exit 1; }
  done
  grep -q '^Closed under the global context$' build/Checker.out || { echo "verified: the proof uses an axiom:"; cat build/Checker.out; exit 1; }
  if grep -nE '\b(Admitted|admit|Axiom|Parameter|Conjecture)\b' ./*.v; then echo "verified: something is not proved"; exit 1; fi
  for file in core.ml core.mli; do
    if [ "${1:-}" = --update ]; then cp "build/$file" ocaml/; fi
    cmp -s "build/$file" "ocaml/$file" || { echo "verified: ocaml/$file is not what Coq extracts (sh verified/build.sh --update)"; exit 1; }
  done
  echo "verified: proofs checked, no axioms; ocaml/core.ml is what Coq extracts"
else
  echo "verified: no coqc here; the proofs are not checked, ocaml/core.ml is compiled as it is"
fi
cp ocaml/*.ml ocaml/*.mli build/
(cd build && ocamlopt -w -a+8 -warn-error +8 -o refrelax-verified core.mli core.ml json.ml door.ml main.ml)
echo "verified: verified/build/refrelax-verified"
