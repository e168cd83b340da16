(* From JSON to the question and the evidence that the verified checker takes, and the question back in words.
   Trusted of it: that it reads the question as written; [said] shows what was read. *)
open Core
open Json

let max_nodes = 50_000
let max_depth = 200

let rec int_of_pos = function XH -> 1 | XO p -> 2 * int_of_pos p | XI p -> (2 * int_of_pos p) + 1
let rec size = function XH -> 1 | XO p | XI p -> 1 + size p

(* A number of something: small, so that OCaml's integers are as good as natural numbers. *)
let nat = function
  | Int Z0 -> 0
  | Int (Zpos p) when size p <= 20 -> int_of_pos p
  | _ -> bad "expected a number from 0 to a million"
let below limit found = let n = nat found in if n < limit then n else bad "expected a number below %d, found %d" limit n
let integer = function
  | Int z -> (match z with Z0 -> () | Zpos p | Zneg p -> if size p > 8_192 then bad "expected an integer of at most 8192 bits"); z
  | _ -> bad "expected an integer"

(* --- questions *)

let dtype = function
  | Str text ->
    let digits_from = if String.length text > 0 && text.[0] = 'u' then 4 else 3 in
    let count = String.length text - digits_from in
    let name = if digits_from = 4 then "uint" else "int" in
    if count < 1 || count > 3 || String.sub text 0 digits_from <> name then bad "expected an integer dtype, found %S" text;
    let digits = String.sub text digits_from count in
    String.iteri (fun i c -> if c < (if i = 0 then '1' else '0') || c > '9' then bad "expected an integer dtype, found %S" text) digits;
    { signed = (digits_from = 3); bits = z_of_int (int_of_string digits) }
  | _ -> bad "expected an integer dtype"

let binary = [ "add", Add; "sub", Sub; "mul", Mul; "floordiv", FloorDiv; "floormod", FloorMod; "truncdiv", TruncDiv;
               "truncmod", TruncMod; "min", Min; "max", Max; "shl", Shl; "shr", Shr; "and", BitAnd; "or", BitOr; "xor", BitXor ]
let comparisons = [ "lt", CLt; "le", CLe; "gt", CGt; "ge", CGe; "eq", CEq; "ne", CNe ]

type reader = { sorts : bool list; mutable nodes : int }

let visit r depth =
  r.nodes <- r.nodes + 1;
  if r.nodes > max_nodes then bad "expected at most %d nodes" max_nodes;
  if depth = 0 then bad "expected at most %d levels" max_depth
let symbol r truth found =
  let k = below (List.length r.sorts) found in
  if List.nth r.sorts k = truth then k else bad "expected a symbol of sort %s, found number %d" (if truth then "bool" else "int") k

let rec iexpr r depth e =
  visit r depth;
  let int_ = iexpr r (depth - 1) and bool_ = bexpr r (depth - 1) in
  match e with
  | Arr [ Str "const"; z ] -> INum (integer z)
  | Arr [ Str "sym"; k ] -> ISym (symbol r false k)
  | Arr [ Str "wrap"; d; a ] -> let d = dtype d in IWrap (d, int_ a)
  | Arr [ Str "abs"; a ] -> IAbs (int_ a)
  | Arr [ Str "not"; a ] -> INot (int_ a)
  | Arr [ Str "select"; c; a; b ] -> let c = bool_ c in let a = int_ a in IIf (c, a, int_ b)
  | Arr [ Str op; a; b ] when List.mem_assoc op binary -> let a = int_ a in IBin (List.assoc op binary, a, int_ b)
  | _ -> bad "expected an integer term"
and bexpr r depth e =
  visit r depth;
  let int_ = iexpr r (depth - 1) and bool_ = bexpr r (depth - 1) in
  match e with
  | Arr [ Str "true" ] -> BConst true
  | Arr [ Str "false" ] -> BConst false
  | Arr [ Str "sym"; k ] -> BSym (symbol r true k)
  | Arr [ Str "not"; a ] -> BNot (bool_ a)
  | Arr [ Str "and"; a; b ] -> let a = bool_ a in BAnd (a, bool_ b)
  | Arr [ Str "or"; a; b ] -> let a = bool_ a in BOr (a, bool_ b)
  | Arr [ Str "implies"; a; b ] -> let a = bool_ a in BImp (a, bool_ b)
  | Arr [ Str "iff"; a; b ] -> let a = bool_ a in BIff (a, bool_ b)
  | Arr [ Str "select"; c; a; b ] -> let c = bool_ c in let a = bool_ a in BIf (c, a, bool_ b)
  | Arr [ Str op; a; b ] when List.mem_assoc op comparisons -> let a = int_ a in BCmp (List.assoc op comparisons, a, int_ b)
  | _ -> bad "expected a truth"

let question found =
  only [ "symbols"; "assumptions"; "claim"; "fits"; "division" ] found;
  let sort = function Str "int" -> false | Str "bool" -> true | _ -> bad "expected a sort: int or bool" in
  let r = { sorts = list sort (field "symbols" found); nodes = 0 } in
  if List.length r.sorts > max_nodes then bad "expected at most %d symbols" max_nodes;
  let assumptions = list (bexpr r max_depth) (field "assumptions" found) in
  let claim = bexpr r max_depth (field "claim" found) in
  let fits = match field "fits" found with Null -> None | d -> Some (dtype d) in
  (match fits with
   | Some { signed = true; bits = Zpos XH } -> bad "expected a dtype that holds 0 and 1, found int1"
   | _ -> ());
  let require = match field "division" found with
    | Str "require" -> true | Str "assume" -> false | _ -> bad "expected division: assume or require" in
  r, { symbols = r.sorts; assumptions; claim; fits; require }

(* --- evidence *)

let poly atoms found =
  let term = function
    | Arr [ c; mono ] -> integer c, list (below atoms) mono
    | _ -> bad "expected [coefficient, [atom, ...]]" in
  poly_of (list term found)

let kinds = [ "fd", FD; "td", TD; "min", MIN; "and", AND; "ge", GE; "eq", EQ; "p2", P2; "define", DEFINE ]
let row r place = function
  | Arr [ Str "sym"; k ] ->
    let k = below (List.length r.sorts) k in
    RSym (List.nth r.sorts k, k)
  | Arr [ Str "ite"; c; a; b ] -> let c = bexpr r max_depth c in RChoice (c, poly place a, poly place b)
  | Arr (Str kind :: args) when List.mem_assoc kind kinds -> RKind (List.assoc kind kinds, List.map (poly place) args)
  | _ -> bad "expected an atom at place %d of the table" place

let fact atoms = function
  | Arr [ Str "ge"; rows ] -> FGe (poly atoms rows)
  | Arr [ Str "eq"; rows ] -> FEq (poly atoms rows)
  | _ -> bad "expected a fact"
let maybe = function Null -> None | n -> Some (nat n)
let factor atoms = function Str "not" -> Negated | Int _ as n -> Prem (nat n) | rows -> Square (poly atoms rows)
let summand atoms = function
  | Arr [ (Int _ as c); l ] -> poly_of [ integer c, [] ], list (factor atoms) l
  | Arr [ rows; l ] -> poly atoms rows, list (factor atoms) l
  | _ -> bad "expected [factor, [fact, ...]]"
let choice atoms = function
  | Obj [ "sign", rows ] -> ChSign (poly atoms rows)
  | Obj [ "or", n ] -> ChOr (nat n)
  | Obj [ "atom", n ] -> ChAtom (nat n)
  | _ -> bad "expected a choice"

let rec step atoms s =
  let gives () = fact atoms (field "gives" s) in
  match field "rule" s with
  | Str "combine" ->
    only [ "rule"; "terms"; "gives" ] s;
    Combine (list (summand atoms) (field "terms" s), gives ())
  | Str "equal" ->
    only [ "rule"; "premises"; "gives" ] s;
    (match list nat (field "premises" s) with [ i; j ] -> Equal (i, j, gives ()) | _ -> bad "expected two premises")
  | Str "congruence" ->
    only [ "rule"; "atoms"; "premises"; "gives" ] s;
    (match list nat (field "atoms" s) with
     | [ a; b ] -> Congruence (a, b, list maybe (field "premises" s), gives ())
     | _ -> bad "expected two atoms")
  | Str "bits" ->
    only [ "rule"; "leaves"; "atoms"; "sums"; "gives" ] s;
    let weight = function Arr [ c; n ] -> (integer c, nat n) | _ -> bad "expected [factor, number]" in
    Bitwise (list (poly atoms) (field "leaves" s), list nat (field "atoms" s), list (list weight) (field "sums" s), gives ())
  | Str "carries" ->
    only [ "rule"; "streams"; "premises"; "gives" ] s;
    let weight = function Arr [ c; n ] -> (integer c, nat n) | _ -> bad "expected [factor, number]" in
    let stream = function
      | Arr [ Str "leaf"; rows ] -> SLeaf (poly atoms rows)
      | Arr [ Str "sum"; l; c ] -> SSum (list weight l, integer c)
      | Arr [ Str "and"; n; e; i; j ] -> SAnd (nat n, integer e, nat i, nat j)
      | Arr [ Str "floor"; n; e; i; j ] -> SFloor (nat n, integer e, nat i, nat j)
      | _ -> bad "expected a stream" in
    Carried (list stream (field "streams" s), list nat (field "premises" s), gives ())
  | Str "cases" ->
    only [ "rule"; "on"; "branches"; "gives" ] s;
    Cases (choice atoms (field "on" s), list (list (step atoms)) (field "branches" s), gives ())
  | Str name ->
    only [ "rule"; "atoms"; "premises"; "number"; "gives" ] s;
    let number = match s with Obj fields when List.mem_assoc "number" fields -> maybe (field "number" s) | _ -> None in
    Schema (name, number, list nat (field "atoms" s), list maybe (field "premises" s), gives ())
  | _ -> bad "expected a rule"

type read = Evidence of question * evidence | Script of question

let certificate found =
  only [ "format"; "version"; "question"; "names"; "stages"; "evidence" ] found;
  if field "format" found <> Str "refrelax-certificate" then bad "expected the format refrelax-certificate";
  if field "version" found <> Int (z_of_int 2) then bad "expected version 2 of the format";
  let r, asked = question (field "question" found) in
  let evidence = field "evidence" found in
  match field "kind" evidence with
  | Str "points" -> only [ "kind" ] evidence; Evidence (asked, ByPoints)
  | Str "smt2" -> Script asked
  | Str "log" ->
    only [ "kind"; "atoms"; "steps" ] evidence;
    let rows = match field "atoms" evidence with Arr rows -> List.mapi (row r) rows | _ -> bad "expected a table of atoms" in
    Evidence (asked, ByLog (rows, list (step (List.length rows)) (field "steps" evidence)))
  | _ -> bad "expected evidence: a log, points or a script"

(* --- the question in words: the same as checker/words.py *)

let decimal z =
  let nine = z_of_int 1_000_000_000 in
  let rec chunks z = if z = Z0 then [] else let q, m = Z.div_eucl z nine in (match m with Zpos p -> int_of_pos p | _ -> 0) :: chunks q in
  let spelled z = match List.rev (chunks z) with
    | [] -> "0"
    | first :: rest -> String.concat "" (string_of_int first :: List.map (Printf.sprintf "%09d") rest) in
  match z with Zneg p -> "-" ^ spelled (Zpos p) | _ -> spelled z

let plain name =
  let letter c = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c = '_' in
  let digit c = c >= '0' && c <= '9' in
  let all f from = let ok = ref true in String.iteri (fun i c -> if i >= from && not (f c) then ok := false) name; !ok in
  let starts text = String.length name > String.length text && String.sub name 0 (String.length text) = text
                    && all digit (String.length text) in
  let taken = [ "and"; "or"; "not"; "if"; "fits"; "True"; "False"; "min"; "max"; "abs"; "select"; "implies"; "truncdiv"; "truncmod" ] in
  String.length name >= 1 && String.length name <= 64 && letter name.[0] && all (fun c -> letter c || digit c) 0
  && not (List.mem name taken || starts "s" || starts "int" || starts "uint")

let display q found =
  let own = List.mapi (fun k _ -> Printf.sprintf "s%d" k) q.symbols in
  match found with
  | Arr names when List.length names = List.length own && List.for_all (function Str _ -> true | _ -> false) names ->
    let names = List.map (function Str name -> name | _ -> "") names in
    let once name = List.length (List.filter (( = ) name) names) = 1 in
    Array.of_list (List.map2 (fun name s -> if plain name && once name then name else s) names own)
  | _ -> Array.of_list own

let infix = [ Add, "+"; Sub, "-"; Mul, "*"; FloorDiv, "//"; FloorMod, "%"; Shl, "<<"; Shr, ">>"; BitAnd, "&"; BitOr, "|"; BitXor, "^" ]
let compared = [ CEq, "=="; CNe, "!="; CLt, "<"; CLe, "<="; CGt, ">"; CGe, ">=" ]
let named op = fst (List.find (fun (_, each) -> each = op) binary)
let dtype_said d = (if d.signed then "int" else "uint") ^ decimal d.bits

let rec truth names = function
  | BConst t -> if t then "True" else "False"
  | BSym k -> names.(k)
  | BNot a -> Printf.sprintf "not (%s)" (truth names a)
  | BIf (c, a, b) -> Printf.sprintf "select(%s, %s, %s)" (truth names c) (truth names a) (truth names b)
  | BImp (a, b) -> Printf.sprintf "implies(%s, %s)" (truth names a) (truth names b)
  | BAnd (a, b) -> Printf.sprintf "(%s) and (%s)" (truth names a) (truth names b)
  | BOr (a, b) -> Printf.sprintf "(%s) or (%s)" (truth names a) (truth names b)
  | BIff (a, b) -> Printf.sprintf "(%s) == (%s)" (truth names a) (truth names b)
  | BCmp (o, a, b) -> Printf.sprintf "%s %s %s" (operand names a) (List.assoc o compared) (operand names b)
and integer_said names = function
  | INum z -> decimal z
  | ISym k -> names.(k)
  | IWrap (d, a) -> Printf.sprintf "%s(%s)" (dtype_said d) (integer_said names a)
  | IIf (c, a, b) -> Printf.sprintf "select(%s, %s, %s)" (truth names c) (integer_said names a) (integer_said names b)
  | IAbs a -> Printf.sprintf "abs(%s)" (integer_said names a)
  | INot a -> "~" ^ operand names a
  | IBin (o, a, b) when List.mem_assoc o infix -> Printf.sprintf "%s %s %s" (operand names a) (List.assoc o infix) (operand names b)
  | IBin (o, a, b) -> Printf.sprintf "%s(%s, %s)" (named o) (integer_said names a) (integer_said names b)
and operand names e =
  let text = integer_said names e in
  let inner = match e with IBin (o, _, _) -> List.mem_assoc o infix | INot _ -> true | _ -> text.[0] = '-' in
  if inner then "(" ^ text ^ ")" else text

let said q names =
  let names = display q names in
  let given = List.map (fun a -> ", if " ^ truth names a) q.assumptions in
  let fits = match q.fits with Some d -> ", fits " ^ dtype_said d | None -> "" in
  String.concat "" ((truth names q.claim :: given) @ [ fits; (if q.require then ", defined" else "") ])
