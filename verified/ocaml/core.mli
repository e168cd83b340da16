
val negb : bool -> bool

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> int

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

val compOpp : comparison -> comparison

val add : int -> int -> int

val mul : int -> int -> int

val sub : int -> int -> int

val bool_dec : bool -> bool -> bool

val eqb : bool -> bool -> bool

module Nat :
 sig
  val ltb : int -> int -> bool

  val compare : int -> int -> comparison
 end

type positive =
| XI of positive
| XO of positive
| XH

type n =
| N0
| Npos of positive

type z =
| Z0
| Zpos of positive
| Zneg of positive

module Pos :
 sig
  type mask =
  | IsNul
  | IsPos of positive
  | IsNeg
 end

module Coq_Pos :
 sig
  val succ : positive -> positive

  val add : positive -> positive -> positive

  val add_carry : positive -> positive -> positive

  val pred_double : positive -> positive

  val pred_N : positive -> n

  type mask = Pos.mask =
  | IsNul
  | IsPos of positive
  | IsNeg

  val succ_double_mask : mask -> mask

  val double_mask : mask -> mask

  val double_pred_mask : positive -> mask

  val sub_mask : positive -> positive -> mask

  val sub_mask_carry : positive -> positive -> mask

  val mul : positive -> positive -> positive

  val iter : ('a1 -> 'a1) -> 'a1 -> positive -> 'a1

  val div2 : positive -> positive

  val div2_up : positive -> positive

  val size : positive -> positive

  val compare_cont : comparison -> positive -> positive -> comparison

  val compare : positive -> positive -> comparison

  val eqb : positive -> positive -> bool

  val coq_Nsucc_double : n -> n

  val coq_Ndouble : n -> n

  val coq_lor : positive -> positive -> positive

  val coq_land : positive -> positive -> n

  val ldiff : positive -> positive -> n

  val coq_lxor : positive -> positive -> n

  val iter_op : ('a1 -> 'a1 -> 'a1) -> positive -> 'a1 -> 'a1

  val to_nat : positive -> int

  val of_succ_nat : int -> positive

  val eq_dec : positive -> positive -> bool
 end

module N :
 sig
  val succ_double : n -> n

  val double : n -> n

  val succ_pos : n -> positive

  val sub : n -> n -> n

  val compare : n -> n -> comparison

  val leb : n -> n -> bool

  val pos_div_eucl : positive -> n -> n * n

  val coq_lor : n -> n -> n

  val coq_land : n -> n -> n

  val ldiff : n -> n -> n

  val coq_lxor : n -> n -> n
 end

val hd : 'a1 -> 'a1 list -> 'a1

val tl : 'a1 list -> 'a1 list

val nth : int -> 'a1 list -> 'a1 -> 'a1

val nth_error : 'a1 list -> int -> 'a1 option

val rev_append : 'a1 list -> 'a1 list -> 'a1 list

val concat : 'a1 list list -> 'a1 list

val list_eq_dec : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list -> bool

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val find : ('a1 -> bool) -> 'a1 list -> 'a1 option

val seq : int -> int -> int list

module Z :
 sig
  val double : z -> z

  val succ_double : z -> z

  val pred_double : z -> z

  val pos_sub : positive -> positive -> z

  val add : z -> z -> z

  val opp : z -> z

  val pred : z -> z

  val sub : z -> z -> z

  val mul : z -> z -> z

  val pow_pos : z -> positive -> z

  val pow : z -> z -> z

  val compare : z -> z -> comparison

  val leb : z -> z -> bool

  val ltb : z -> z -> bool

  val eqb : z -> z -> bool

  val max : z -> z -> z

  val min : z -> z -> z

  val abs : z -> z

  val to_nat : z -> int

  val of_nat : int -> z

  val of_N : n -> z

  val pos_div_eucl : positive -> z -> z * z

  val div_eucl : z -> z -> z * z

  val div : z -> z -> z

  val modulo : z -> z -> z

  val quotrem : z -> z -> z * z

  val quot : z -> z -> z

  val rem : z -> z -> z

  val even : z -> bool

  val odd : z -> bool

  val div2 : z -> z

  val log2 : z -> z

  val shiftl : z -> z -> z

  val coq_lor : z -> z -> z

  val coq_land : z -> z -> z

  val coq_lxor : z -> z -> z

  val eq_dec : z -> z -> bool

  val b2z : bool -> z

  val lnot : z -> z

  val ones : z -> z
 end

type mono = int list

type poly = (mono * z) list

type val0 = int -> z

val meval : val0 -> mono -> z

val peval : val0 -> poly -> z

val mcmp : mono -> mono -> comparison

val mput : int -> mono -> mono

val mmul : mono -> mono -> mono

val pput : mono -> z -> poly -> poly

val padd : poly -> poly -> poly

val pscale : mono -> z -> poly -> poly

val pmul : poly -> poly -> poly

val pconst : z -> poly

val pvar : int -> poly

val pneg : poly -> poly

val psub : poly -> poly -> poly

val pconstant : poly -> z option

val poly_eq_dec : poly -> poly -> bool

val peqb : poly -> poly -> bool

type formula =
| FGe of poly
| FEq of poly
| FAnd of formula list
| FOr of formula list

val feval : val0 -> formula -> bool

val formula_eq_dec : formula -> formula -> bool

val feqb : formula -> formula -> bool

val ands : formula -> formula list

val ors : formula -> formula list

val one : (formula list -> formula) -> formula list -> formula

val both : formula list -> formula

val some : formula list -> formula

val negated : formula -> formula

val flattened : formula list -> formula list

val minus1 : poly -> poly

val poly_of : (z * int list) list -> poly

type dtype = { signed : bool; bits : z }

type op =
| Add
| Sub
| Mul
| FloorDiv
| FloorMod
| TruncDiv
| TruncMod
| Min
| Max
| Shl
| Shr
| BitAnd
| BitOr
| BitXor

type cmp =
| CEq
| CNe
| CLt
| CLe
| CGt
| CGe

type iexpr =
| INum of z
| ISym of int
| IBin of op * iexpr * iexpr
| IAbs of iexpr
| INot of iexpr
| IIf of bexpr * iexpr * iexpr
| IWrap of dtype * iexpr
and bexpr =
| BConst of bool
| BSym of int
| BNot of bexpr
| BAnd of bexpr * bexpr
| BOr of bexpr * bexpr
| BImp of bexpr * bexpr
| BIff of bexpr * bexpr
| BIf of bexpr * bexpr * bexpr
| BCmp of cmp * iexpr * iexpr

type env = { ints : (int -> z); bools : (int -> bool) }

type 'a outcome =
| Val of 'a
| NoValue
| Outside

val low : dtype -> z

val high : dtype -> z

val within : dtype -> z -> bool

val wrap : dtype -> z -> z

val bin : op -> z -> z -> z option

val compare0 : cmp -> z -> z -> bool

val ranged : dtype option -> z -> z outcome

type question = { symbols : bool list; assumptions : bexpr list;
                  claim : bexpr; fits : dtype option; require : bool }

val iscoped : bool list -> iexpr -> bool

val bscoped : bool list -> bexpr -> bool

val scoped : question -> bool

type kind =
| FD
| TD
| MIN
| AND
| GE
| EQ
| P2
| DEFINE

val kind_eq_dec : kind -> kind -> bool

val fits_arity : kind -> int -> bool

type atom =
| ASym of bool * int
| AKind of kind * poly list
| AIte of bexpr * formula * formula * poly * poly

val polys_eq_dec : poly list -> poly list -> bool

val same_atom : atom -> atom -> bool

type 'a res =
| Ok of 'a
| Bad

val bind : 'a1 res -> ('a1 -> 'a2 res) -> 'a2 res

type table = atom list

val find0 : atom -> table -> int -> poly res

val lookup : table -> atom -> poly res

val minimum : table -> poly -> poly -> poly res

val two_to : table -> poly -> poly res

val ones0 : int -> z -> z

val runs : int -> z -> z -> (z * z) list

val run_mask : (z * z) -> z

val runs_mask : (z * z) list -> z

val disjoint : (z * z) list -> bool

val masked : table -> poly -> (z * z) list -> poly res

val mask_by : table -> poly -> z -> poly res

val bit_mask : table -> poly -> z -> poly res

val bit_and : table -> poly -> poly -> poly res

val rbin : table -> op -> poly -> poly -> poly res

val compared : cmp -> poly -> poly -> bool -> formula

val rwrap : table -> dtype -> poly -> poly res

val term : table -> iexpr -> poly res

val truth : table -> bexpr -> bool -> formula res

val own : table -> op -> iexpr -> formula list res

val guard : formula -> formula res -> formula list res

val idefined : table -> iexpr -> formula res

val bdefined : table -> bexpr -> formula res

val settled : table -> bexpr -> bool -> formula res

val pbelow : int -> poly -> bool

val fbelow : int -> formula -> bool

val atom_ok : table -> int -> atom -> bool

val atoms_ok : table -> int -> atom list -> bool

val table_ok : table -> bool

type sch =
| V of int
| C of z
| SAdd of sch * sch
| SSub of sch * sch
| SMul of sch * sch

val spoly : poly list -> sch -> poly

type fact =
| Nonneg of sch
| Null of sch

val finst : poly list -> fact -> formula

type axiom = { ax_kind : kind; ax_count : int; ax_needs : sch list;
               ax_gives : fact }

val v : sch

val a : sch

val b : sch

val axioms : (string * axiom) list

val power_shift : int -> axiom

val power_below : int -> axiom

val power_above : int -> axiom

val bits_below : int -> axiom

val bits_apart : int -> axiom

val bits_split : int -> axiom

val numbered : (string * (int -> axiom)) list

type entry = poly * z list

type sum = (z * int) list

val assignments : int -> z list list

val zip : (z -> z -> z) -> z list -> z list -> z list

val weighed : z list -> entry list -> sum -> entry option

val is_bit : z -> bool

val operand : z list -> entry list -> sum -> poly -> z list option

val opened :
  table -> z list -> entry list -> int list -> sum list -> poly option

val leaf_entries : z list list -> int -> poly list -> entry list

val bits_zero : table -> poly list -> int list -> sum list -> poly option

type stream =
| SLeaf of poly
| SSum of (z * int) list * z
| SAnd of int * z * int * int
| SFloor of int * z * int * int

val sum_poly : poly list -> (z * int) list -> z -> poly option

val power_of_two : z -> bool

val stream_poly : table -> poly list -> stream -> poly option

val polys : table -> poly list -> stream list -> poly list option

val place : poly list -> poly -> int

val indexed : poly list -> formula -> formula

val equated : formula -> int list

val get : z list -> int -> z

type state = z list * bool list

val state_eq_dec : state -> state -> bool

val same_state : state -> state -> bool

val got : z list -> int -> int -> z

val weighed0 : (z * int) list -> z list -> int -> z

val went : stream list -> z list -> z list -> z list -> int -> z list * z list

val flagged : bool list -> bool list -> z list -> bool list

val leaf_count : stream list -> int

val starts : stream list -> z list

val maybe : bool list -> int -> z

val signed0 : bool list -> z list -> int -> z

val step : stream list -> bool list -> state -> z list -> z list * state

val possible : formula -> state -> bool

val accepted : formula -> state -> (z list * state) -> bool

val mem : state -> state list -> bool

val closed :
  stream list -> bool list -> formula -> z list list -> state list -> bool

val reach :
  stream list -> bool list -> formula -> z list list -> int -> state list ->
  state list -> state list

val narrow : z -> bool

val all_narrow : stream list -> bool

val most : int -> int

val refuted : table -> stream list -> formula list -> bool

type choice =
| ChSign of poly
| ChOr of int
| ChAtom of int

type factor =
| Prem of int
| Square of poly
| Negated

type step0 =
| Combine of (poly * factor list) list * formula
| Equal of int * int * formula
| Congruence of int * int * int option list * formula
| Schema of string * int option * int list * int option list * formula
| Bitwise of poly list * int list * sum list * formula
| Carried of stream list * int list * formula
| Cases of choice * step0 list list * formula

val absurd : formula

val is_absurd : formula -> bool

type facts = formula list

val product : facts -> poly -> poly -> factor list -> (poly * bool) option

val positive0 : poly -> bool

val total : facts -> poly -> (poly * factor list) list -> poly option

val combined : facts -> (poly * factor list) list -> formula -> bool

val known_facts : facts -> int list -> formula list option

val equation : facts -> int -> poly option

val same_args : facts -> poly list -> poly list -> int option list -> bool

val premise_ok : facts -> poly -> int option -> bool

val premises_ok : facts -> poly list -> int option list -> bool

val operands : table -> kind -> int list -> poly list list option

val instance :
  table -> facts -> axiom -> int list -> int option list -> formula option

val find_axiom : string -> int option -> axiom option

val same : formula -> formula -> formula option

val simple : table -> facts -> step0 -> formula option

val alternatives : table -> facts -> choice -> facts list option

val closes : facts -> formula -> bool

type verdict =
| Accepted
| Fails of int list

val each_branch :
  (facts -> step0 list -> verdict) -> facts list -> step0 list list -> int ->
  verdict

val run : int -> table -> facts -> step0 list -> formula -> int -> verdict

type hazards = (bool * bexpr) list

val under : bexpr -> hazards -> hazards

val inside : dtype -> iexpr -> hazards

val own_hazards : dtype -> iexpr -> op -> iexpr -> hazards

val ihaz : dtype -> iexpr -> hazards

val bhaz : dtype -> bexpr -> hazards

val op_dec : op -> op -> bool

val cmp_dec : cmp -> cmp -> bool

val dtype_dec : dtype -> dtype -> bool

val isame : iexpr -> iexpr -> bool

val bsame : bexpr -> bexpr -> bool

val distinct : bexpr list -> hazards -> hazards

val refuting : table -> bool -> formula -> hazards -> formula res

val settled_all : table -> bexpr list -> formula list res

val symbol_facts : dtype option -> table -> int -> facts

val failing : table -> question -> formula res

val start : table -> question -> facts res

val range_ok : question -> bool

val check_log : int -> question -> table -> step0 list -> verdict

type row =
| RSym of bool * int
| RKind of kind * poly list
| RChoice of bexpr * poly * poly

val atom_of : table -> row -> atom res

val fill : table -> row list -> table res

val max_shift : z

val max_bits : z

val max_points : z

val max_work : z

val thent :
  'a1 outcome option -> ('a1 -> 'a2 outcome option) -> 'a2 outcome option

val kept : z outcome -> z outcome option

val shifted : op -> z -> z -> z option option

val itry : dtype option -> env -> iexpr -> z outcome option

val btry : dtype option -> env -> bexpr -> bool outcome option

val hold : env -> bexpr list -> bool option

val point_ok : question -> env -> bool

type span = z option * z option

val at_least : z -> span -> span

val at_most : z -> span -> span

val tightened : cmp -> z -> span -> span

val mirrored : cmp -> cmp

val bounded : int -> bexpr -> span -> span

val first_span : dtype option -> span

val span_of : question -> int -> span

val values_of : question -> int -> bool -> (z * z) option

val box : question -> int -> bool list -> (z * z) list option

val upto : int -> z -> (z -> bool) -> bool

val everywhere : (z * z) list -> (z list -> bool) -> bool

val env_of : z list -> env

val inodes : iexpr -> z

val bnodes : bexpr -> z

val affordable : question -> (z * z) list -> bool

val check_points : question -> bool

type evidence =
| ByLog of row list * step0 list
| ByPoints

type answer =
| Certified
| Unscoped
| NoTable
| Step of int list
| NotEverywhere

val check : int -> question -> evidence -> answer
