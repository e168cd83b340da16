(** The checker as OCaml: [nat] as [int] (the front door refuses numbers past a million), strings as OCaml's, [Z] as Coq
    defines it. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlNativeString.
From Verified Require Import Poly Checker.
Extraction Language OCaml.
Extraction "core.ml" check poly_of.
