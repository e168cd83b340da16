(** What a question means: all that a reader has to believe about the statement of [check_sound] (Checker.v).

    The names in square brackets at the ends of comments are rules of spec/06*.md: each definition says the same
    as the rule that it cites. A test holds that every rule that is cited here exists. *)

From Coq Require Import ZArith List Bool.
Import ListNotations.
Open Scope Z_scope.

(** * Terms of two sorts: integers and truths  [sh/certificate] *)

Record dtype := { signed : bool; bits : Z }.

Inductive op :=
| Add | Sub | Mul | FloorDiv | FloorMod | TruncDiv | TruncMod | Min | Max | Shl | Shr | BitAnd | BitOr | BitXor.

Inductive cmp := CEq | CNe | CLt | CLe | CGt | CGe.

Inductive iexpr :=
| INum (z : Z)
| ISym (k : nat)                       (* the symbol number k, an integer *)
| IBin (o : op) (a b : iexpr)
| IAbs (a : iexpr)
| INot (a : iexpr)                     (* bitwise *)
| IIf (c : bexpr) (a b : iexpr)
| IWrap (d : dtype) (a : iexpr)
with bexpr :=
| BConst (t : bool)
| BSym (k : nat)                       (* the symbol number k, a truth *)
| BNot (a : bexpr)
| BAnd (a b : bexpr)
| BOr (a b : bexpr)
| BImp (a b : bexpr)
| BIff (a b : bexpr)
| BIf (c a b : bexpr)
| BCmp (o : cmp) (a b : iexpr).

(** * Values *)

(** The values of all symbols. *)
Record env := { ints : nat -> Z; bools : nat -> bool }.

(** What evaluation ends with: a value, none, or a step that left the range that is asked for. *)
Inductive outcome (A : Type) := Val (a : A) | NoValue | Outside.
Arguments Val {A}. Arguments NoValue {A}. Arguments Outside {A}.

(** Operands before operators, left before right: the first that ends otherwise decides.  [sh/value] [sh/overflow-first] *)
Definition andthen {A B} (x : outcome A) (f : A -> outcome B) : outcome B :=
  match x with Val a => f a | NoValue => NoValue | Outside => Outside end.

(** The range of a dtype: two's complement for the signed ones. *)
Definition low (d : dtype) : Z := if signed d then - 2 ^ (bits d - 1) else 0.
Definition high (d : dtype) : Z := if signed d then 2 ^ (bits d - 1) - 1 else 2 ^ bits d - 1.
Definition within (d : dtype) (x : Z) : bool := (low d <=? x) && (x <=? high d).

(** A conversion wraps: the value of the dtype that differs by a multiple of [2 ^ bits].  [sh/value] [sh/claim-syntax] *)
Definition wrap (d : dtype) (x : Z) : Z := (x - low d) mod (high d - low d + 1) + low d.

(** Exact integers. [/] and [mod] of Coq round towards minus infinity and take the sign of the divisor, [Z.quot] and
    [Z.rem] round towards zero and take that of the dividend.  [sh/value]
    [Z.land], [Z.lor], [Z.lxor]: two's complement of any width. A shift is a product or a quotient with a power of
    two. [None]: division by zero, a shift by a negative count.  [sh/definedness] *)
Definition bin (o : op) (x y : Z) : option Z :=
  match o with
  | Add => Some (x + y)
  | Sub => Some (x - y)
  | Mul => Some (x * y)
  | FloorDiv => if y =? 0 then None else Some (x / y)
  | FloorMod => if y =? 0 then None else Some (x mod y)
  | TruncDiv => if y =? 0 then None else Some (Z.quot x y)
  | TruncMod => if y =? 0 then None else Some (Z.rem x y)
  | Min => Some (Z.min x y)
  | Max => Some (Z.max x y)
  | Shl => if y <? 0 then None else Some (x * 2 ^ y)
  | Shr => if y <? 0 then None else Some (x / 2 ^ y)
  | BitAnd => Some (Z.land x y)
  | BitOr => Some (Z.lor x y)
  | BitXor => Some (Z.lxor x y)
  end.

Definition compare (o : cmp) (x y : Z) : bool :=
  match o with
  | CEq => x =? y | CNe => negb (x =? y) | CLt => x <? y | CLe => x <=? y | CGt => y <? x | CGe => y <=? x
  end.

(** A step is held to a range only where one is asked for.  [sh/overflow-first] *)
Definition ranged (fits : option dtype) (x : Z) : outcome Z :=
  match fits with Some d => if within d x then Val x else Outside | None => Val x end.

(** Evaluation, every integer step within [fits]. The connectives and [IIf], [BIf] evaluate what they need, from the
    left.  [sh/definedness] *)
Fixpoint ieval (fits : option dtype) (v : env) (e : iexpr) : outcome Z :=
  match e with
  | INum z => ranged fits z
  | ISym k => ranged fits (ints v k)
  | IBin o a b =>
      andthen (ieval fits v a) (fun x => andthen (ieval fits v b) (fun y =>
      match bin o x y with Some z => ranged fits z | None => NoValue end))
  | IAbs a => andthen (ieval fits v a) (fun x => ranged fits (Z.abs x))
  | INot a => andthen (ieval fits v a) (fun x => ranged fits (- x - 1))
  | IIf c a b => andthen (beval fits v c) (fun t => if t : bool then ieval fits v a else ieval fits v b)
  | IWrap d a => andthen (ieval fits v a) (fun x => ranged fits (wrap d x))
  end
with beval (fits : option dtype) (v : env) (e : bexpr) : outcome bool :=
  match e with
  | BConst t => Val t
  | BSym k => Val (bools v k)
  | BNot a => andthen (beval fits v a) (fun t => Val (negb t))
  | BAnd a b => andthen (beval fits v a) (fun t => if t : bool then beval fits v b else Val false)
  | BOr a b => andthen (beval fits v a) (fun t => if t : bool then Val true else beval fits v b)
  | BImp a b => andthen (beval fits v a) (fun t => if t : bool then beval fits v b else Val true)
  | BIff a b => andthen (beval fits v a) (fun x => andthen (beval fits v b) (fun y => Val (Bool.eqb x y)))
  | BIf c a b => andthen (beval fits v c) (fun t => if t : bool then beval fits v a else beval fits v b)
  | BCmp o a b => andthen (ieval fits v a) (fun x => andthen (ieval fits v b) (fun y => Val (compare o x y)))
  end.

(** * Questions *)

(** [symbols]: which of them are truths. *)
Record question := {
  symbols : list bool; assumptions : list bexpr; claim : bexpr; fits : option dtype; require : bool
}.

(** Where the assumptions have values and hold (and the symbols lie in the dtype of [fits]), the claim has the value
    true, or it has none and that is not asked for. No step of it leaves the dtype of [fits].  [sh/prove] *)
Definition claimed (q : question) : Prop :=
  forall v : env,
  (forall d k, fits q = Some d -> within d (ints v k) = true) ->
  Forall (fun a => beval None v a = Val true) (assumptions q) ->
  match beval (fits q) v (claim q) with
  | Val t => t = true
  | NoValue => require q = false
  | Outside => False
  end.

(** Every symbol that occurs is declared, with its sort. *)
Fixpoint iscoped (s : list bool) (e : iexpr) : bool :=
  match e with
  | INum _ => true
  | ISym k => match nth_error s k with Some t => negb t | None => false end
  | IBin _ a b => iscoped s a && iscoped s b
  | IAbs a | INot a | IWrap _ a => iscoped s a
  | IIf c a b => bscoped s c && iscoped s a && iscoped s b
  end
with bscoped (s : list bool) (e : bexpr) : bool :=
  match e with
  | BConst _ => true
  | BSym k => match nth_error s k with Some t => t | None => false end
  | BNot a => bscoped s a
  | BAnd a b | BOr a b | BImp a b | BIff a b => bscoped s a && bscoped s b
  | BIf c a b => bscoped s c && bscoped s a && bscoped s b
  | BCmp _ a b => iscoped s a && iscoped s b
  end.
Definition scoped (q : question) : bool := forallb (bscoped (symbols q)) (claim q :: assumptions q).
