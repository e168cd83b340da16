(** Reading: a question as facts over a table of atoms, and the proof that the facts say what the question means.

    The table is shipped with the log and nobody has to trust it: reading only looks atoms up in it, and a table whose
    atoms mention nothing but atoms before them has one valuation for each environment ([table_good]). *)

From Coq Require Import ZArith List Bool Lia.
From Verified Require Import Meaning Poly.
Import ListNotations.
Open Scope Z_scope.

(** * Evaluation without a range, as an option *)

Definition bindo {A B} (x : option A) (f : A -> option B) : option B := match x with Some a => f a | None => None end.

Fixpoint iopt (v : env) (e : iexpr) : option Z :=
  match e with
  | INum z => Some z
  | ISym k => Some (ints v k)
  | IBin o a b => bindo (iopt v a) (fun x => bindo (iopt v b) (bin o x))
  | IAbs a => bindo (iopt v a) (fun x => Some (Z.abs x))
  | INot a => bindo (iopt v a) (fun x => Some (- x - 1))
  | IIf c a b => bindo (bopt v c) (fun t => if t then iopt v a else iopt v b)
  | IWrap d a => bindo (iopt v a) (fun x => Some (wrap d x))
  end
with bopt (v : env) (e : bexpr) : option bool :=
  match e with
  | BConst t => Some t
  | BSym k => Some (bools v k)
  | BNot a => bindo (bopt v a) (fun t => Some (negb t))
  | BAnd a b => bindo (bopt v a) (fun t => if t : bool then bopt v b else Some false)
  | BOr a b => bindo (bopt v a) (fun t => if t : bool then Some true else bopt v b)
  | BImp a b => bindo (bopt v a) (fun t => if t : bool then bopt v b else Some true)
  | BIff a b => bindo (bopt v a) (fun x => bindo (bopt v b) (fun y => Some (Bool.eqb x y)))
  | BIf c a b => bindo (bopt v c) (fun t => if t : bool then bopt v a else bopt v b)
  | BCmp o a b => bindo (iopt v a) (fun x => bindo (iopt v b) (fun y => Some (compare o x y)))
  end.

Scheme iexpr_mut := Induction for iexpr Sort Prop with bexpr_mut := Induction for bexpr Sort Prop.
Combined Scheme expr_ind from iexpr_mut, bexpr_mut.

Definition plain {A} (x : option A) : outcome A := match x with Some a => Val a | None => NoValue end.

Lemma plain_ok v : (forall e, ieval None v e = plain (iopt v e)) /\ (forall e, beval None v e = plain (bopt v e)).
Proof.
  apply expr_ind; intros; cbn [ieval beval iopt bopt];
    repeat match goal with H : _ None v _ = plain _ |- _ => rewrite H; clear H end;
    repeat match goal with |- context [bindo (?f v ?x) _] => destruct (f v x); cbn [plain andthen bindo ranged] end; auto.
  all: try match goal with |- context [bin ?o ?x ?y] => destruct (bin o x y); reflexivity end.
  all: match goal with |- context [if ?t then _ else _] => destruct t; auto end.
Qed.

(** * Atoms *)

Inductive kind := FD | TD | MIN | AND | GE | EQ | P2 | DEFINE.
Definition kind_eq_dec (j k : kind) : {j = k} + {j <> k}. Proof. decide equality. Defined.

Definition kval (k : kind) (args : list Z) : Z :=
  match k, args with
  | FD, [a; b] => a / b
  | TD, [a; b] => Z.quot a b
  | AND, [a; b] => Z.land a b
  | GE, [a] => if 0 <=? a then 1 else 0
  | EQ, [a] => if a =? 0 then 1 else 0
  | P2, [a] => 2 ^ a
  | DEFINE, [a] => a
  | MIN, a :: l => fold_right Z.min a l
  | _, _ => 0
  end.
Definition fits_arity (k : kind) (n : nat) : bool :=
  match k with FD | TD | AND => Nat.eqb n 2 | GE | EQ | P2 | DEFINE => Nat.eqb n 1 | MIN => Nat.leb 2 n end.

Inductive atom :=
| ASym (truth : bool) (k : nat)
| AKind (k : kind) (args : list poly)
| AIte (c : bexpr) (yes no : formula) (a b : poly).

Definition aval (v : env) (r : val) (x : atom) : Z :=
  match x with
  | ASym false k => ints v k
  | ASym true k => if bools v k then 1 else 0
  | AKind k args => kval k (map (peval r) args)
  | AIte _ yes _ a b => if feval r yes then peval r a else peval r b
  end.

Definition polys_eq_dec := list_eq_dec poly_eq_dec.
Definition same_atom (x y : atom) : bool :=
  match x, y with
  | ASym b s, ASym c t => Bool.eqb b c && Nat.eqb s t
  | AKind j l, AKind k m => (if kind_eq_dec j k then true else false) && (if polys_eq_dec l m then true else false)
  | AIte _ y n a b, AIte _ y' n' a' b' => feqb y y' && feqb n n' && peqb a a' && peqb b b'
  | _, _ => false
  end.

Lemma same_atom_ok v r x y : same_atom x y = true -> aval v r x = aval v r y.
Proof.
  destruct x, y; simpl; try discriminate; intro H; repeat rewrite andb_true_iff in H.
  - destruct H as [H1 H2]. apply eqb_prop in H1. apply Nat.eqb_eq in H2. now subst.
  - destruct (kind_eq_dec _ _), (polys_eq_dec _ _); try (destruct H; discriminate). now subst.
  - destruct H as [[[H1 H2] H3] H4]. apply feqb_eq in H1. apply peqb_eq in H3. apply peqb_eq in H4. now subst.
Qed.

(** * Reading *)

Inductive res (A : Type) := Ok (a : A) | Bad.
Arguments Ok {A}. Arguments Bad {A}.
Definition bind {A B} (x : res A) (f : A -> res B) : res B :=
  match x with Ok a => f a | Bad => Bad end.
Notation "'let*' x := e 'in' f" := (bind e (fun x => f)) (at level 200, x name, e at level 100, f at level 200).

Definition table := list atom.

Fixpoint find (x : atom) (T : table) (k : nat) : res poly :=
  match T with [] => Bad | y :: T' => if same_atom y x then Ok (pvar k) else find x T' (S k) end.
Definition lookup (T : table) (x : atom) : res poly := find x T 0%nat.

Definition minimum T a b := lookup T (AKind MIN [a; b]).
Definition two_to T k :=
  match pconstant k with
  | Some c => if (0 <=? c) && (c <=? 4096) then Ok (pconst (2 ^ c)) else lookup T (AKind P2 [k])
  | None => lookup T (AKind P2 [k])
  end.
(** [x land mask] for a constant: a sum over the runs of ones in [mask]. The runs are guessed, and checked. *)
Fixpoint ones (fuel : nat) (m : Z) : Z :=
  match fuel with O => 0 | S fuel' => if Z.odd m then 1 + ones fuel' (m / 2) else 0 end.
Fixpoint runs (fuel : nat) (at_ m : Z) : list (Z * Z) :=
  match fuel with
  | O => []
  | S fuel' =>
      if m =? 0 then [] else if Z.even m then runs fuel' (at_ + 1) (m / 2)
      else let w := ones fuel m in (at_, w) :: runs fuel' (at_ + w) (m / 2 ^ w)
  end.
Definition run_mask (x : Z * Z) : Z := Z.shiftl (Z.ones (snd x)) (fst x).
Definition runs_mask (l : list (Z * Z)) : Z := fold_right (fun x m => run_mask x + m) 0 l.
Fixpoint disjoint (l : list (Z * Z)) : bool :=
  match l with
  | [] => true
  | x :: l' => (0 <=? fst x) && (0 <=? snd x) && (Z.land (run_mask x) (runs_mask l') =? 0) && disjoint l'
  end.
Fixpoint masked (T : table) (p : poly) (l : list (Z * Z)) : res poly :=
  match l with
  | [] => Ok (pconst 0)
  | x :: l' =>
      let* q := if fst x =? 0 then Ok p else lookup T (AKind FD [p; pconst (2 ^ fst x)]) in
      let* h := lookup T (AKind FD [q; pconst (2 ^ snd x)]) in
      let* rest := masked T p l' in
      Ok (padd (pmul (pconst (2 ^ fst x)) (psub q (pmul (pconst (2 ^ snd x)) h))) rest)
  end.
Definition mask_by (T : table) (p : poly) (m : Z) : res poly :=
  let l := runs (Z.to_nat (2 * Z.log2 m + 2)) 0 m in
  if disjoint l && (runs_mask l =? m) then masked T p l else Bad.
Definition bit_mask (T : table) (p : poly) (m : Z) : res poly :=
  if m <? 0 then let* q := mask_by T p (Z.lnot m) in Ok (psub p q) else mask_by T p m.
Definition bit_and T a b :=
  match pconstant a, pconstant b with
  | Some x, Some y => Ok (pconst (Z.land x y))
  | None, None => lookup T (AKind AND [a; b])
  | None, Some y => bit_mask T a y
  | Some x, None => bit_mask T b x
  end.

Definition rbin (T : table) (o : op) (a b : poly) : res poly :=
  match o with
  | Add => Ok (padd a b)
  | Sub => Ok (psub a b)
  | Mul => Ok (pmul a b)
  | FloorDiv => lookup T (AKind FD [a; b])
  | FloorMod => let* q := lookup T (AKind FD [a; b]) in Ok (psub a (pmul b q))
  | TruncDiv => lookup T (AKind TD [a; b])
  | TruncMod => let* q := lookup T (AKind TD [a; b]) in Ok (psub a (pmul b q))
  | Min => minimum T a b
  | Max => let* m := minimum T (pneg a) (pneg b) in Ok (pneg m)
  | Shl => let* k := two_to T b in Ok (pmul a k)
  | Shr => let* k := two_to T b in lookup T (AKind FD [a; k])
  | BitAnd => bit_and T a b
  | BitOr => let* c := bit_and T a b in Ok (psub (padd a b) c)
  | BitXor => let* c := bit_and T a b in Ok (psub (psub (padd a b) c) c)
  end.

Definition compared (o : cmp) (a b : poly) (v : bool) : formula :=
  let f := match o with
           | CEq => FEq (psub a b)
           | CNe => negated (FEq (psub a b))
           | CLt => FGe (psub (psub b a) (pconst 1))
           | CLe => FGe (psub b a)
           | CGt => FGe (psub (psub a b) (pconst 1))
           | CGe => FGe (psub a b)
           end in
  if v then f else negated f.

Definition rwrap (T : table) (d : dtype) (p : poly) : res poly :=
  let m := pconst (high d - low d + 1) in
  let* q := lookup T (AKind FD [psub p (pconst (low d)); m]) in Ok (psub p (pmul m q)).

Fixpoint term (T : table) (e : iexpr) : res poly :=
  match e with
  | INum z => Ok (pconst z)
  | ISym k => lookup T (ASym false k)
  | IBin o a b => let* p := term T a in let* q := term T b in rbin T o p q
  | IAbs a => let* p := term T a in let* m := minimum T p (pneg p) in Ok (pneg m)
  | INot a => let* p := term T a in Ok (minus1 p)
  | IIf c a b =>
      let* p := term T a in let* q := term T b in
      let* y := truth T c true in let* n := truth T c false in lookup T (AIte c y n p q)
  | IWrap d a => let* p := term T a in rwrap T d p
  end
with truth (T : table) (e : bexpr) (v : bool) : res formula :=
  match e with
  | BConst t => Ok (if Bool.eqb t v then FAnd [] else FOr [])
  | BSym k => let* p := lookup T (ASym true k) in Ok (FEq (psub p (pconst (if v then 1 else 0))))
  | BNot a => truth T a (negb v)
  | BAnd a b => let* f := truth T a v in let* g := truth T b v in Ok ((if v then both else some) [f; g])
  | BOr a b => let* f := truth T a v in let* g := truth T b v in Ok ((if v then some else both) [f; g])
  | BImp a b => let* f := truth T a (negb v) in let* g := truth T b v in Ok ((if v then some else both) [f; g])
  | BIff a b =>
      let* at_ := truth T a true in let* bt := truth T b v in
      let* af := truth T a false in let* bf := truth T b (negb v) in
      Ok (some [both [at_; bt]; both [af; bf]])
  | BIf c a b =>
      let* ct := truth T c true in let* f := truth T a v in
      let* cf := truth T c false in let* g := truth T b v in
      Ok (some [both [ct; f]; both [cf; g]])
  | BCmp o a b => let* p := term T a in let* q := term T b in Ok (compared o p q v)
  end.

Definition own (T : table) (o : op) (b : iexpr) : res (list formula) :=
  match o with
  | FloorDiv | FloorMod | TruncDiv | TruncMod =>
      let* p := term T b in
      Ok match pconstant p with
         | Some c => if c =? 0 then [negated (FEq p)] else []
         | None => [negated (FEq p)]
         end
  | Shl | Shr =>
      let* p := term T b in
      Ok match pconstant p with Some c => if 0 <=? c then [] else [FGe p] | None => [FGe p] end
  | _ => Ok []
  end.

(** [guard f (truth of a condition)]: [f] is needed only where the condition does not hold. *)
Definition guard (needed : formula) (excuse : res formula) : res (list formula) :=
  match needed with FAnd [] => Ok [] | _ => let* x := excuse in Ok [some [x; needed]] end.

Fixpoint idefined (T : table) (e : iexpr) : res formula :=
  match e with
  | INum _ | ISym _ => Ok (FAnd [])
  | IBin o a b => let* f := idefined T a in let* g := idefined T b in let* h := own T o b in Ok (both (f :: g :: h))
  | IAbs a | INot a | IWrap _ a => idefined T a
  | IIf c a b =>
      let* f := idefined T a in let* g := idefined T b in
      let* x := guard f (truth T c false) in let* y := guard g (truth T c true) in
      let* d := bdefined T c in Ok (both (d :: x ++ y))
  end
with bdefined (T : table) (e : bexpr) : res formula :=
  match e with
  | BConst _ | BSym _ => Ok (FAnd [])
  | BNot a => bdefined T a
  | BAnd a b | BImp a b =>
      let* g := bdefined T b in let* x := guard g (truth T a false) in let* f := bdefined T a in Ok (both (f :: x))
  | BOr a b =>
      let* g := bdefined T b in let* x := guard g (truth T a true) in let* f := bdefined T a in Ok (both (f :: x))
  | BIff a b => let* f := bdefined T a in let* g := bdefined T b in Ok (both [f; g])
  | BIf c a b =>
      let* f := bdefined T a in let* g := bdefined T b in
      let* x := guard f (truth T c false) in let* y := guard g (truth T c true) in
      let* d := bdefined T c in Ok (both (d :: x ++ y))
  | BCmp _ a b => let* f := idefined T a in let* g := idefined T b in Ok (both [f; g])
  end.

(** That [e] has a value here and is [v]. *)
Fixpoint settled (T : table) (e : bexpr) (v : bool) : res formula :=
  match e with
  | BNot a => settled T a (negb v)
  | BAnd a b =>
      if v then let* f := settled T a v in let* g := settled T b v in Ok (both [f; g])
      else let* f := settled T a v in let* x := settled T a (negb v) in let* g := settled T b v in
           Ok (some [f; both [x; g]])
  | BOr a b =>
      if v then let* f := settled T a v in let* x := settled T a (negb v) in let* g := settled T b v in
           Ok (some [f; both [x; g]])
      else let* f := settled T a v in let* g := settled T b v in Ok (both [f; g])
  | BImp a b =>
      if v then let* f := settled T a false in let* x := settled T a true in let* g := settled T b true in
           Ok (some [f; both [x; g]])
      else let* f := settled T a true in let* g := settled T b false in Ok (both [f; g])
  | _ => let* d := bdefined T e in let* f := truth T e v in Ok (both [d; f])
  end.

(** A table is well formed if operands come before the atoms they occur in. *)
Definition pbelow (k : nat) (p : poly) : bool := forallb (fun t => forallb (fun a => Nat.ltb a k) (fst t)) p.
Fixpoint fbelow (k : nat) (f : formula) : bool :=
  match f with FGe p | FEq p => pbelow k p | FAnd l | FOr l => forallb (fbelow k) l end.

Definition atom_ok (T : table) (k : nat) (x : atom) : bool :=
  match x with
  | ASym _ _ => true
  | AKind j args => fits_arity j (List.length args) && forallb (pbelow k) args
  | AIte c yes no a b =>
      fbelow k yes && pbelow k a && pbelow k b &&
      match truth T c true, truth T c false with Ok y, Ok n => feqb y yes && feqb n no | _, _ => false end
  end.
Fixpoint atoms_ok (T : table) (k : nat) (rest : list atom) : bool :=
  match rest with [] => true | x :: rest' => atom_ok T k x && atoms_ok T (S k) rest' end.
Definition table_ok (T : table) : bool := atoms_ok T 0 T.

Fixpoint values (v : env) (rest : list atom) (acc : list Z) : list Z :=
  match rest with [] => acc | x :: rest' => values v rest' (acc ++ [aval v (fun n => nth n acc 0) x]) end.
Definition valuation (v : env) (T : table) : val := fun n => nth n (values v T []) 0.

Definition good (v : env) (T : table) (r : val) : Prop := forall k x, nth_error T k = Some x -> r k = aval v r x.

Lemma values_prefix v rest : forall acc n, (n < List.length acc)%nat -> nth n (values v rest acc) 0 = nth n acc 0.
Proof.
  induction rest as [|x rest IH]; simpl; auto; intros acc n H.
  rewrite IH by (rewrite app_length; lia). now apply app_nth1.
Qed.

Lemma pbelow_ext r s k p : (forall n, (n < k)%nat -> r n = s n) -> pbelow k p = true -> peval r p = peval s p.
Proof.
  intros E; induction p as [|[m c] p IH]; simpl; auto. rewrite andb_true_iff; intros [H1 H2].
  rewrite IH by auto. f_equal. f_equal. clear -E H1. induction m as [|a m IH]; simpl in *; auto.
  rewrite andb_true_iff in H1; destruct H1 as [H1 H2]. rewrite IH by auto. rewrite E; auto. now apply Nat.ltb_lt.
Qed.
Lemma fbelow_ext r s k : (forall n, (n < k)%nat -> r n = s n) -> forall f, fbelow k f = true -> feval r f = feval s f.
Proof.
  intro E. fix rec 1. destruct f as [p|p|l|l]; cbn [fbelow feval]; intro H.
  - now rewrite (pbelow_ext r s k).
  - now rewrite (pbelow_ext r s k).
  - induction l as [|f l IH]; simpl in *; auto. rewrite andb_true_iff in H; destruct H as [H1 H2].
    rewrite (rec f H1), IH; auto.
  - induction l as [|f l IH]; simpl in *; auto. rewrite andb_true_iff in H; destruct H as [H1 H2].
    rewrite (rec f H1), IH; auto.
Qed.
Lemma aval_ext v r s T k x :
  (forall n, (n < k)%nat -> r n = s n) -> atom_ok T k x = true -> aval v r x = aval v s x.
Proof.
  intros E. destruct x as [b n|j args|c yes no a b]; cbn [atom_ok aval]; auto.
  - rewrite andb_true_iff; intros [_ H]. f_equal. induction args as [|p l IH]; simpl in *; auto.
    rewrite andb_true_iff in H; destruct H as [H1 H2]. rewrite (pbelow_ext r s k), IH; auto.
  - repeat rewrite andb_true_iff; intros [[[H1 H2] H3] _].
    now rewrite (fbelow_ext r s k), (pbelow_ext r s k a), (pbelow_ext r s k b).
Qed.

Lemma table_good v T : table_ok T = true -> good v T (valuation v T).
Proof.
  unfold table_ok, good, valuation.
  assert (G : forall rest acc, atoms_ok T (List.length acc) rest = true -> forall k x, nth_error rest k = Some x ->
    nth (List.length acc + k) (values v rest acc) 0 = aval v (fun n => nth n (values v rest acc) 0) x).
  { induction rest as [|y rest IH]; intros acc H k x Hk; [now destruct k|].
    simpl in H; apply andb_true_iff in H; destruct H as [H1 H2]. destruct k as [|k]; simpl in Hk.
    - injection Hk as ->. simpl. rewrite Nat.add_0_r, values_prefix by (rewrite app_length; simpl; lia).
      rewrite app_nth2, Nat.sub_diag by lia. simpl. apply (aval_ext _ _ _ T (List.length acc)); auto.
      intros n Hn. rewrite values_prefix by (rewrite app_length; lia). now rewrite app_nth1.
    - specialize (IH (acc ++ [aval v (fun n => nth n acc 0) y])). rewrite app_length in IH. simpl in IH.
      rewrite Nat.add_1_r in IH. specialize (IH H2 k x Hk). simpl. rewrite <- IH. f_equal. lia. }
  intros H k x Hk. apply (G T [] H k x Hk).
Qed.

(** * The reading is right *)

Lemma Ok_inj {A} (a b : A) : Ok a = Ok b -> a = b.
Proof. congruence. Qed.
Lemma Some_inj {A} (a b : A) : Some a = Some b -> a = b.
Proof. congruence. Qed.
Ltac inv H := first [apply Ok_inj in H | apply Some_inj in H]; subst.
Ltac okay := repeat match goal with
  | H : bind ?x _ = Ok _ |- _ => destruct x eqn:?; cbn [bind] in H; try discriminate H
  | H : bindo ?x _ = Some _ |- _ => destruct x eqn:?; cbn [bindo] in H; try discriminate H
  | H : Ok _ = Ok _ |- _ => inv H
  | H : Some _ = Some _ |- _ => inv H
  | H : Bad = Ok _ |- _ => discriminate H
  end.
Ltac two := repeat rewrite ?both_ok, ?some_ok; cbn [forallb existsb]; repeat rewrite ?both_ok, ?some_ok; cbn [forallb existsb].

Lemma compared_ok r o p q v : feval r (compared o p q v) = Bool.eqb (compare o (peval r p) (peval r q)) v.
Proof.
  assert (H : feval r (compared o p q true) = compare o (peval r p) (peval r q)).
  { destruct o; cbn [compared compare]; rewrite ?negated_ok; cbn [feval]; autorewrite with pol; lia. }
  destruct v; [rewrite H; now destruct compare|].
  change (compared o p q false) with (negated (compared o p q true)). rewrite negated_ok, H. now destruct compare.
Qed.

Lemma add_lor_land a b : a + b = Z.lor a b + Z.land a b.
Proof.
  assert (D : Z.ldiff a b + b = Z.lor a b).
  { rewrite Z.add_nocarry_lxor.
    - apply Z.bits_inj; intro n. rewrite Z.lxor_spec, Z.ldiff_spec, Z.lor_spec.
      destruct (Z.testbit a n), (Z.testbit b n); reflexivity.
    - apply Z.bits_inj; intro n. rewrite Z.land_spec, Z.ldiff_spec, Z.bits_0.
      destruct (Z.testbit a n), (Z.testbit b n); reflexivity. }
  assert (E : Z.ldiff a b + Z.land a b = a).
  { rewrite Z.add_nocarry_lxor.
    - apply Z.bits_inj; intro n. rewrite Z.lxor_spec, Z.ldiff_spec, Z.land_spec.
      destruct (Z.testbit a n), (Z.testbit b n); reflexivity.
    - apply Z.bits_inj; intro n. rewrite !Z.land_spec, Z.ldiff_spec, Z.bits_0.
      destruct (Z.testbit a n), (Z.testbit b n); reflexivity. }
  lia.
Qed.
Lemma lor_lxor_land a b : Z.lor a b = Z.lxor a b + Z.land a b.
Proof.
  rewrite Z.add_nocarry_lxor.
  - apply Z.bits_inj; intro n. rewrite !Z.lxor_spec, Z.land_spec, Z.lor_spec.
    destruct (Z.testbit a n), (Z.testbit b n); reflexivity.
  - apply Z.bits_inj; intro n. rewrite !Z.land_spec, Z.lxor_spec, Z.bits_0.
    destruct (Z.testbit a n), (Z.testbit b n); reflexivity.
Qed.

Lemma land_run x s w : 0 <= s -> 0 <= w -> Z.land x (run_mask (s, w)) = 2 ^ s * ((x / 2 ^ s) mod 2 ^ w).
Proof.
  intros S W. unfold run_mask; cbn [fst snd]. rewrite <- Z.land_ones, <- Z.shiftr_div_pow2, Z.mul_comm, <- Z.shiftl_mul_pow2 by auto.
  apply Z.bits_inj'. intros n N. rewrite Z.land_spec, !Z.shiftl_spec, Z.land_spec by auto.
  destruct (Z.ltb_spec n s).
  - rewrite !Z.testbit_neg_r with (n := n - s) by lia. now rewrite andb_false_r.
  - rewrite Z.shiftr_spec by lia. now replace (n - s + s) with n by lia.
Qed.
Lemma land_disjoint x a b : Z.land a b = 0 -> Z.land x (a + b) = Z.land x a + Z.land x b.
Proof.
  intro D. rewrite (add_lor_land a b), D, Z.add_0_r, (add_lor_land (Z.land x a)).
  replace (Z.land (Z.land x a) (Z.land x b)) with 0.
  - rewrite Z.add_0_r. apply Z.bits_inj; intro n. rewrite !Z.land_spec, !Z.lor_spec, !Z.land_spec.
    destruct (Z.testbit x n), (Z.testbit a n), (Z.testbit b n); reflexivity.
  - apply Z.bits_inj; intro n. assert (E : Z.testbit (Z.land a b) n = false) by (rewrite D; apply Z.bits_0).
    rewrite Z.bits_0. rewrite !Z.land_spec in *. destruct (Z.testbit x n), (Z.testbit a n), (Z.testbit b n); auto.
Qed.
Lemma land_lnot x m : Z.land x (Z.lnot m) = x - Z.land x m.
Proof.
  rewrite <- Z.ldiff_land. assert (Z.ldiff x m + Z.land x m = x); [|lia].
  rewrite Z.add_nocarry_lxor.
  - apply Z.bits_inj; intro n. rewrite Z.lxor_spec, Z.ldiff_spec, Z.land_spec.
    destruct (Z.testbit x n), (Z.testbit m n); reflexivity.
  - apply Z.bits_inj; intro n. rewrite !Z.land_spec, Z.ldiff_spec, Z.bits_0.
    destruct (Z.testbit x n), (Z.testbit m n); reflexivity.
Qed.

Section Right.
  Variables (v : env) (T : table) (r : val).
  Hypothesis G : good v T r.

  Lemma lookup_ok x p : lookup T x = Ok p -> peval r p = aval v r x.
  Proof.
    unfold lookup.
    assert (F : forall rest k, find x rest k = Ok p ->
      exists n y, nth_error rest n = Some y /\ p = pvar (k + n) /\ same_atom y x = true).
    { induction rest as [|y rest IH]; simpl; [discriminate|]. intros k. destruct (same_atom y x) eqn:E; intro H.
      - inv H. exists 0%nat, y. now rewrite Nat.add_0_r.
      - destruct (IH _ H) as (n & z & H1 & H2 & H3). exists (S n), z. now rewrite Nat.add_succ_r. }
    intro H. destruct (F T 0%nat H) as (n & y & H1 & -> & H3).
    rewrite pvar_ok. change (0 + n)%nat with n. rewrite (G _ _ H1). now apply same_atom_ok.
  Qed.

  Lemma minimum_ok a b p : minimum T a b = Ok p -> peval r p = Z.min (peval r a) (peval r b).
  Proof. intro H. apply lookup_ok in H. rewrite H. cbn. lia. Qed.
  Lemma two_to_ok k p : two_to T k = Ok p -> peval r p = 2 ^ peval r k.
  Proof.
    unfold two_to. destruct (pconstant k) as [c|] eqn:E.
    - destruct (_ && _) eqn:B; intro H; [inv H; rewrite pconst_ok; now rewrite (pconstant_ok r k c E)|].
      apply lookup_ok in H. now rewrite H.
    - intro H. apply lookup_ok in H. now rewrite H.
  Qed.
  Lemma masked_ok p l : forall q, disjoint l = true -> masked T p l = Ok q -> peval r q = Z.land (peval r p) (runs_mask l).
  Proof.
    induction l as [|[s w] l IH]; cbn [masked disjoint runs_mask fold_right fst snd]; intros q D H.
    - inv H. now rewrite Z.land_0_r, pconst_ok.
    - repeat rewrite andb_true_iff in D; destruct D as [[[D1 D2] D3] D4]; okay. fold (runs_mask l) in *.
      rewrite land_disjoint, land_run by lia. autorewrite with pol. rewrite (IH _ D4 eq_refl).
      apply lookup_ok in Heqr1. rewrite Heqr1. cbn [aval kval map]. autorewrite with pol.
      assert (E : peval r a = peval r p / 2 ^ s).
      { destruct (Z.eqb_spec s 0) as [->|]; okay; [now rewrite Z.div_1_r|].
        apply lookup_ok in Heqr0. rewrite Heqr0. cbn [aval kval map]. now autorewrite with pol. }
      rewrite E. f_equal. f_equal. pose proof (Z.pow_pos_nonneg 2 w). pose proof (Z.div_mod (peval r p / 2 ^ s) (2 ^ w)). lia.
  Qed.
  Lemma mask_by_ok p m q : mask_by T p m = Ok q -> peval r q = Z.land (peval r p) m.
  Proof.
    unfold mask_by. destruct (disjoint _ && _) eqn:E; [|discriminate]. apply andb_true_iff in E. destruct E as [E F].
    apply Z.eqb_eq in F. intro H. rewrite (masked_ok _ _ _ E H). now rewrite F.
  Qed.
  Lemma bit_mask_ok p m q : bit_mask T p m = Ok q -> peval r q = Z.land (peval r p) m.
  Proof.
    unfold bit_mask. destruct (m <? 0); intro H; okay; [|now apply mask_by_ok].
    apply mask_by_ok in Heqr0. pose proof (land_lnot (peval r p) (Z.lnot m)) as E.
    rewrite Z.lnot_involutive in E. rewrite psub_ok. lia.
  Qed.
  Lemma bit_and_ok a b p : bit_and T a b = Ok p -> peval r p = Z.land (peval r a) (peval r b).
  Proof.
    unfold bit_and. destruct (pconstant a) as [x|] eqn:E, (pconstant b) as [y|] eqn:F; intro H.
    - inv H. now rewrite pconst_ok, (pconstant_ok r a x E), (pconstant_ok r b y F).
    - rewrite (bit_mask_ok _ _ _ H), (pconstant_ok r a x E). apply Z.land_comm.
    - now rewrite (bit_mask_ok _ _ _ H), (pconstant_ok r b y F).
    - apply lookup_ok in H. now rewrite H.
  Qed.

  Lemma rbin_ok o p q w z : rbin T o p q = Ok w -> bin o (peval r p) (peval r q) = Some z -> peval r w = z.
  Proof.
    destruct o; cbn [rbin bin]; intros H K; okay; autorewrite with pol; auto;
      repeat match goal with
      | K : (if ?c then None else _) = Some _ |- _ => destruct c eqn:?; [discriminate K|]
      | K : Some _ = Some _ |- _ => inv K
      | K : lookup T _ = Ok _ |- _ => apply lookup_ok in K; cbn in K
      | K : minimum T _ _ = Ok _ |- _ => apply minimum_ok in K
      | K : two_to T _ = Ok _ |- _ => apply two_to_ok in K
      | K : bit_and T _ _ = Ok _ |- _ => apply bit_and_ok in K
      end; autorewrite with pol in *; try congruence; try lia.
    - pose proof (Z.div_mod (peval r p) (peval r q)). lia.
    - pose proof (Z.quot_rem' (peval r p) (peval r q)). lia.
    - pose proof (add_lor_land (peval r p) (peval r q)). lia.
    - pose proof (add_lor_land (peval r p) (peval r q)). pose proof (lor_lxor_land (peval r p) (peval r q)). lia.
  Qed.

  Lemma truth_neg : forall b f g, truth T b true = Ok f -> truth T b false = Ok g -> feval r g = negb (feval r f).
  Proof.
    induction b; cbn [truth negb]; intros f g Hf Hg; okay; two; rewrite ?andb_true_r, ?orb_false_r.
    - destruct t; reflexivity.
    - cbn [feval]. autorewrite with pol. rewrite (lookup_ok _ _ Heqr0). cbn. destruct bools; reflexivity.
    - rewrite (IHb g f); auto. now rewrite negb_involutive.
    - erewrite (IHb1 _ _ eq_refl eq_refl), (IHb2 _ _ eq_refl eq_refl). now rewrite negb_andb.
    - erewrite (IHb1 _ _ eq_refl eq_refl), (IHb2 _ _ eq_refl eq_refl). now rewrite negb_orb.
    - erewrite (IHb1 _ _ eq_refl eq_refl), (IHb2 _ _ eq_refl eq_refl). now rewrite negb_orb, negb_involutive.
    - erewrite (IHb1 _ _ eq_refl eq_refl), (IHb2 _ _ eq_refl eq_refl).
      repeat match goal with |- context [feval r ?x] => destruct (feval r x) end; reflexivity.
    - erewrite (IHb1 _ _ eq_refl eq_refl), (IHb2 _ _ eq_refl eq_refl), (IHb3 _ _ eq_refl eq_refl).
      repeat match goal with |- context [feval r ?x] => destruct (feval r x) end; reflexivity.
    - rewrite !compared_ok. now destruct compare.
  Qed.

  Ltac use := repeat match goal with
    | IH : forall s f, truth T ?a s = Ok f -> forall t, _ = Some t -> _, H : truth T ?a ?s = Ok ?f
      |- context [feval r ?f] => erewrite (IH s f H) by eauto
    end.

  Lemma read_ok :
    (forall e p, term T e = Ok p -> forall x, iopt v e = Some x -> peval r p = x) /\
    (forall e s f, truth T e s = Ok f -> forall t, bopt v e = Some t -> feval r f = Bool.eqb t s).
  Proof.
    apply expr_ind; cbn [term truth iopt bopt].
    - intros; okay. now rewrite pconst_ok.
    - intros; okay. apply lookup_ok in H. now rewrite H.
    - intros; okay. eapply rbin_ok; eauto. erewrite H, H0; eauto.
    - intros; okay. rewrite pneg_ok. apply minimum_ok in Heqr1. rewrite Heqr1, pneg_ok. erewrite H; eauto. lia.
    - intros; okay. unfold minus1. autorewrite with pol. erewrite H; eauto.
    - intros c IHc a IHa b IHb p H x K; okay. apply lookup_ok in H. rewrite H. cbn [aval].
      erewrite IHc by eauto; cbn [Bool.eqb]. destruct b0; cbn [Bool.eqb]; eauto.
    - intros d a IHa p H x K; okay. unfold rwrap in H. okay.
      autorewrite with pol. apply lookup_ok in Heqr1. rewrite Heqr1. cbn [aval kval map]. autorewrite with pol. unfold wrap.
      erewrite IHa by eauto. destruct (Z.eq_dec (high d - low d + 1) 0) as [E|E].
      + rewrite E. rewrite Zmod_0_r. lia.
      + pose proof (Z.div_mod (z - low d) _ E). lia.
    - intros; okay. match goal with |- context [if Bool.eqb ?a ?b then _ else _] => destruct a, b end; reflexivity.
    - intros; okay. apply lookup_ok in Heqr0. cbn [feval]. autorewrite with pol. rewrite Heqr0. cbn.
      destruct bools, s; reflexivity.
    - intros; okay. erewrite H by eauto. now destruct b, s.
    - intros a IHa b IHb s f H t K; okay.
      destruct s; two; erewrite IHa by eauto; destruct b0; okay; try (erewrite IHb by eauto); try destruct t; try reflexivity;
        destruct (feval r _); reflexivity.
    - intros a IHa b IHb s f H t K; okay.
      destruct s; two; erewrite IHa by eauto; destruct b0; okay; try (erewrite IHb by eauto); try destruct t; try reflexivity;
        destruct (feval r _); reflexivity.
    - intros a IHa b IHb s f H t K; okay.
      destruct s; two; erewrite IHa by eauto; destruct b0; okay; try (erewrite IHb by eauto); try destruct t; try reflexivity;
        destruct (feval r _); reflexivity.
    - intros a IHa b IHb s f H t K; okay. two. use. destruct b0, b1, s; reflexivity.
    - intros c IHc a IHa b IHb s f H t K; okay. two.
      destruct b0; use; destruct t, s; simpl; auto using andb_false_r; destruct (feval r _); reflexivity.
    - intros; okay. rewrite compared_ok. erewrite H, H0; eauto.
  Qed.
  Definition term_ok := proj1 read_ok.
  Definition truth_ok := proj2 read_ok.

  Definition has {A} (x : option A) : bool := match x with Some _ => true | None => false end.

  Lemma own_ok o a b l x y : own T o b = Ok l -> iopt v a = Some x -> iopt v b = Some y ->
    forallb (feval r) l = has (bin o x y).
  Proof.
    intros H Ha Hb.
    assert (D : forall p, term T b = Ok p -> peval r p = y) by (intros p K; eapply term_ok; eauto).
    destruct o; cbn [own bin] in *; okay; auto; specialize (D _ eq_refl);
      destruct (pconstant _) as [c|] eqn:C; try (apply (pconstant_ok r) in C; rewrite D in C; subst c);
      repeat match goal with |- context [if ?c then _ else _] => destruct c eqn:? end;
      cbn [forallb has]; rewrite ?negated_ok; cbn [feval]; rewrite ?D; try lia.
  Qed.

  Lemma guard_ok needed e s l :
    guard needed (truth T e s) = Ok l -> forall t, bopt v e = Some t ->
    forallb (feval r) l = Bool.eqb t s || feval r needed.
  Proof.
    intros H t E. assert (D : l = [] /\ needed = FAnd [] \/ exists x, truth T e s = Ok x /\ l = [some [x; needed]]).
    { unfold guard in H. destruct needed as [p|p|[|f k]|k]; okay; eauto. }
    destruct D as [[-> ->]|(x & K & ->)]; cbn [forallb feval].
    - now rewrite orb_true_r.
    - two. rewrite (truth_ok _ _ _ K _ E). now rewrite orb_false_r, andb_true_r.
  Qed.

  Ltac defs := repeat match goal with
    | IH : forall f, Ok ?a = Ok f -> _ |- context [feval r ?a] => rewrite (IH a eq_refl)
    | IH : forall f, idefined T ?a = Ok f -> _, H : idefined T ?a = Ok ?f |- context [feval r ?f] => rewrite (IH f H)
    | IH : forall f, bdefined T ?a = Ok f -> _, H : bdefined T ?a = Ok ?f |- context [feval r ?f] => rewrite (IH f H)
    end.

  Lemma defined_ok :
    (forall e f, idefined T e = Ok f -> feval r f = has (iopt v e)) /\
    (forall e f, bdefined T e = Ok f -> feval r f = has (bopt v e)).
  Proof.
    apply expr_ind; cbn [idefined bdefined iopt bopt]; intros; okay; auto.
    - two. defs. destruct (iopt v a) eqn:A; auto. destruct (iopt v b) eqn:B; auto. cbn [bindo has andb].
      eapply own_ok; eauto.
    - rewrite (H f) by auto. now destruct (iopt v a).
    - rewrite (H f) by auto. now destruct (iopt v a).
    - two; defs. destruct (bopt v c) as [t|] eqn:C; auto. cbn [bindo has andb]. rewrite forallb_app.
      rewrite (guard_ok _ _ _ _ Heqr2 _ C), (guard_ok _ _ _ _ Heqr3 _ C). defs. destruct t; cbn; auto using andb_true_r.
    - rewrite (H f) by auto. now destruct (iopt v a).
    - rewrite (H f) by auto. now destruct (bopt v a).
    - two. defs. destruct (bopt v a) as [t|] eqn:C; auto. cbn [bindo has andb].
      rewrite (guard_ok _ _ _ _ Heqr1 _ C). defs. now destruct t.
    - two. defs. destruct (bopt v a) as [t|] eqn:C; auto. cbn [bindo has andb].
      rewrite (guard_ok _ _ _ _ Heqr1 _ C). defs. now destruct t.
    - two. defs. destruct (bopt v a) as [t|] eqn:C; auto. cbn [bindo has andb].
      rewrite (guard_ok _ _ _ _ Heqr1 _ C). defs. now destruct t.
    - two. defs. destruct (bopt v a); auto. destruct (bopt v b); auto.
    - two; defs. destruct (bopt v c) as [t|] eqn:C; auto. cbn [bindo has andb]. rewrite forallb_app.
      rewrite (guard_ok _ _ _ _ Heqr2 _ C), (guard_ok _ _ _ _ Heqr3 _ C). defs. destruct t; cbn; auto using andb_true_r.
    - two. defs. destruct (iopt v a); auto. destruct (iopt v b); auto.
  Qed.

  Definition is (x : option bool) (s : bool) : bool := match x with Some t => Bool.eqb t s | None => false end.

  Lemma unsplit_ok e s f :
    (let* d := bdefined T e in let* g := truth T e s in Ok (both [d; g])) = Ok f -> feval r f = is (bopt v e) s.
  Proof.
    intro H; okay. two. rewrite (proj2 defined_ok _ _ Heqr0). destruct (bopt v e) as [t|] eqn:E; auto.
    cbn [has is]. rewrite (truth_ok _ _ _ Heqr1 _ E). now rewrite andb_true_r.
  Qed.

  Lemma settled_ok : forall e s f, settled T e s = Ok f -> feval r f = is (bopt v e) s.
  Proof.
    induction e; intros s f H; try exact (unsplit_ok _ _ _ H); cbn [settled] in H.
    - rewrite (IHe _ _ H). cbn [bopt]. destruct (bopt v e) as [t|]; auto. now destruct t, s.
    - destruct s; okay; two; cbn [bopt];
      repeat match goal with K : settled T ?x ?s = Ok ?f |- context [feval r ?f] => first [rewrite (IHe1 _ _ K)|rewrite (IHe2 _ _ K)] end.
      all: destruct (bopt v e1) as [[|]|]; cbn; auto; destruct (bopt v e2) as [[|]|]; auto.
    - destruct s; okay; two; cbn [bopt];
      repeat match goal with K : settled T ?x ?s = Ok ?f |- context [feval r ?f] => first [rewrite (IHe1 _ _ K)|rewrite (IHe2 _ _ K)] end.
      all: destruct (bopt v e1) as [[|]|]; cbn; auto; destruct (bopt v e2) as [[|]|]; auto.
    - destruct s; okay; two; cbn [bopt];
      repeat match goal with K : settled T ?x ?s = Ok ?f |- context [feval r ?f] => first [rewrite (IHe1 _ _ K)|rewrite (IHe2 _ _ K)] end.
      all: destruct (bopt v e1) as [[|]|]; cbn; auto; destruct (bopt v e2) as [[|]|]; auto.
  Qed.
End Right.
