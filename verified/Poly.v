(** Integer polynomials over numbered atoms, and the facts that are stated with them.

    A polynomial is a sorted list of monomials, a monomial a sorted list of atoms: equal ones look the same. *)

From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Open Scope Z_scope.

(** * Polynomials *)

Definition mono := list nat.
Definition poly := list (mono * Z).
Definition val := nat -> Z.

Fixpoint meval (r : val) (m : mono) : Z := match m with [] => 1 | a :: m' => r a * meval r m' end.
Fixpoint peval (r : val) (p : poly) : Z := match p with [] => 0 | (m, c) :: p' => c * meval r m + peval r p' end.

Fixpoint mcmp (m n : mono) : comparison :=
  match m, n with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | a :: m', b :: n' => match Nat.compare a b with Eq => mcmp m' n' | c => c end
  end.

Fixpoint mput (a : nat) (m : mono) : mono :=
  match m with [] => [a] | b :: m' => if Nat.leb a b then a :: m else b :: mput a m' end.
Definition mmul (m n : mono) : mono := fold_right mput n m.

Fixpoint pput (m : mono) (c : Z) (p : poly) : poly :=
  if c =? 0 then p else
  match p with
  | [] => [(m, c)]
  | (n, d) :: q =>
      match mcmp m n with
      | Eq => if c + d =? 0 then q else (n, c + d) :: q
      | Lt => (m, c) :: p
      | Gt => (n, d) :: pput m c q
      end
  end.

Definition padd (p q : poly) : poly := fold_right (fun t acc => pput (fst t) (snd t) acc) q p.
Definition pscale (m : mono) (c : Z) (p : poly) : poly :=
  fold_right (fun t acc => pput (mmul m (fst t)) (c * snd t) acc) [] p.
Definition pmul (p q : poly) : poly := fold_right (fun t acc => padd (pscale (fst t) (snd t) q) acc) [] p.
Definition pconst (c : Z) : poly := pput [] c [].
Definition pvar (a : nat) : poly := [([a], 1)].
Definition pneg (p : poly) : poly := pscale [] (-1) p.
Definition psub (p q : poly) : poly := padd p (pneg q).
Definition pconstant (p : poly) : option Z :=
  match p with [] => Some 0 | [([], c)] => Some c | _ => None end.
Definition poly_eq_dec (p q : poly) : {p = q} + {p <> q}.
Proof. repeat (decide equality). Defined.
Definition peqb (p q : poly) : bool := if poly_eq_dec p q then true else false.

Lemma mcmp_eq m n : mcmp m n = Eq -> m = n.
Proof.
  revert n; induction m as [|a m IH]; destruct n as [|b n]; simpl; try discriminate; auto.
  destruct (Nat.compare_spec a b); try discriminate. intro E; f_equal; auto.
Qed.

Section Eval.
  Variable r : val.
  Lemma mput_ok a m : meval r (mput a m) = r a * meval r m.
  Proof. induction m as [|b m IH]; simpl; auto. destruct (Nat.leb a b); simpl; try rewrite IH; ring. Qed.
  Lemma mmul_ok m n : meval r (mmul m n) = meval r m * meval r n.
  Proof. induction m as [|a m IH]; cbn [mmul fold_right meval]; [ring|]. fold (mmul m n). rewrite mput_ok, IH. ring. Qed.
  Lemma pput_ok m c p : peval r (pput m c p) = c * meval r m + peval r p.
  Proof.
    induction p as [|[n d] q IH]; simpl; destruct (Z.eqb_spec c 0) as [->|_]; simpl; try ring.
    destruct (mcmp m n) eqn:E.
    - apply mcmp_eq in E; subst. destruct (Z.eqb_spec (c + d) 0) as [H|_]; simpl; [|ring].
      replace d with (- c) by lia. ring.
    - simpl; ring.
    - simpl; rewrite IH; ring.
  Qed.
  Lemma padd_ok p q : peval r (padd p q) = peval r p + peval r q.
  Proof. induction p as [|[m c] p IH]; auto. change (padd ((m, c) :: p) q) with (pput m c (padd p q)).
    rewrite pput_ok, IH. simpl. ring. Qed.
  Lemma pscale_ok m c p : peval r (pscale m c p) = c * meval r m * peval r p.
  Proof. induction p as [|[n d] p IH]; [simpl; ring|].
    change (pscale m c ((n, d) :: p)) with (pput (mmul m n) (c * d) (pscale m c p)).
    rewrite pput_ok, mmul_ok, IH. simpl. ring. Qed.
  Lemma pmul_ok p q : peval r (pmul p q) = peval r p * peval r q.
  Proof. induction p as [|[m c] p IH]; auto. change (pmul ((m, c) :: p) q) with (padd (pscale m c q) (pmul p q)).
    rewrite padd_ok, pscale_ok, IH. simpl. ring. Qed.
  Lemma pconst_ok c : peval r (pconst c) = c.
  Proof. unfold pconst. rewrite pput_ok. simpl. ring. Qed.
  Lemma pvar_ok a : peval r (pvar a) = r a.
  Proof. cbn [pvar peval meval]; ring. Qed.
  Lemma pneg_ok p : peval r (pneg p) = - peval r p.
  Proof. unfold pneg. rewrite pscale_ok. simpl meval. ring. Qed.
  Lemma psub_ok p q : peval r (psub p q) = peval r p - peval r q.
  Proof. unfold psub. rewrite padd_ok, pneg_ok. ring. Qed.
  Lemma pconstant_ok p c : pconstant p = Some c -> peval r p = c.
  Proof.
    destruct p as [|[[|a m] d] [|t p]]; simpl; try discriminate; intro E; injection E as <-; ring.
  Qed.
End Eval.

Global Hint Rewrite padd_ok psub_ok pneg_ok pmul_ok pconst_ok pvar_ok : pol.

(** * Facts *)

Inductive formula :=
| FGe (p : poly) (* p >= 0 *)
| FEq (p : poly) (* p == 0 *)
| FAnd (l : list formula)
| FOr (l : list formula).

Fixpoint feval (r : val) (f : formula) : bool :=
  match f with
  | FGe p => 0 <=? peval r p
  | FEq p => peval r p =? 0
  | FAnd l => forallb (feval r) l
  | FOr l => existsb (feval r) l
  end.

Definition formula_eq_dec : forall f g : formula, {f = g} + {f <> g}.
Proof. fix rec 1. decide equality; try apply poly_eq_dec; apply (list_eq_dec rec). Defined.
Definition feqb (f g : formula) : bool := if formula_eq_dec f g then true else false.

Lemma feqb_eq f g : feqb f g = true -> f = g.
Proof. unfold feqb. destruct (formula_eq_dec f g); congruence. Qed.
Lemma peqb_eq p q : peqb p q = true -> p = q.
Proof. unfold peqb. destruct (poly_eq_dec p q); congruence. Qed.

Definition ands (f : formula) := match f with FAnd l => l | _ => [f] end.
Definition ors (f : formula) := match f with FOr l => l | _ => [f] end.
Definition one (make : list formula -> formula) (l : list formula) := match l with [f] => f | _ => make l end.
Definition both (l : list formula) : formula := one FAnd (flat_map ands l).
Definition some (l : list formula) : formula := one FOr (flat_map ors l).

Fixpoint negated (f : formula) : formula :=
  match f with
  | FGe p => FGe (psub (pneg p) (pconst 1))
  | FEq p => some [FGe (psub p (pconst 1)); FGe (psub (pneg p) (pconst 1))]
  | FAnd l => some (map negated l)
  | FOr l => both (map negated l)
  end.

Definition flattened (l : list formula) : list formula :=
  map (fun f => match f with FOr [] => FGe (pconst (-1)) | _ => f end) (flat_map ands l).

Section Formulas.
  Variable r : val.

  Lemma one_and l : feval r (one FAnd l) = forallb (feval r) l.
  Proof. destruct l as [|f [|g l]]; simpl; auto. now rewrite andb_true_r. Qed.
  Lemma one_or l : feval r (one FOr l) = existsb (feval r) l.
  Proof. destruct l as [|f [|g l]]; simpl; auto. now rewrite orb_false_r. Qed.
  Lemma ands_ok f : forallb (feval r) (ands f) = feval r f.
  Proof. destruct f; simpl; auto using andb_true_r. Qed.
  Lemma ors_ok f : existsb (feval r) (ors f) = feval r f.
  Proof. destruct f; simpl; auto using orb_false_r. Qed.
  Lemma flat_ands_ok l : forallb (feval r) (flat_map ands l) = forallb (feval r) l.
  Proof. induction l as [|f l IH]; simpl; auto. now rewrite forallb_app, ands_ok, IH. Qed.
  Lemma both_ok l : feval r (both l) = forallb (feval r) l.
  Proof. unfold both. now rewrite one_and, flat_ands_ok. Qed.
  Lemma some_ok l : feval r (some l) = existsb (feval r) l.
  Proof.
    unfold some. rewrite one_or. induction l as [|f l IH]; simpl; auto. now rewrite existsb_app, ors_ok, IH.
  Qed.
  Lemma flattened_ok l : forallb (feval r) (flattened l) = forallb (feval r) l.
  Proof.
    unfold flattened. rewrite <- (flat_ands_ok l). induction (flat_map ands l) as [|f k IH]; simpl; auto.
    rewrite IH. f_equal. destruct f as [| | |[|]]; auto.
  Qed.

  Lemma negated_ok : forall f, feval r (negated f) = negb (feval r f).
  Proof.
    fix rec 1. destruct f as [p|p|l|l]; cbn [negated].
    - cbn [feval]. autorewrite with pol. lia.
    - rewrite some_ok. cbn [existsb feval]. autorewrite with pol. lia.
    - rewrite some_ok. cbn [feval]. induction l as [|f l IH]; simpl; auto. now rewrite negb_andb, rec, IH.
    - rewrite both_ok. cbn [feval]. induction l as [|f l IH]; simpl; auto. now rewrite negb_orb, rec, IH.
  Qed.
End Formulas.

Definition minus1 (p : poly) : poly := psub (pneg p) (pconst 1).

(** As it stands in a file: rows of a coefficient and atoms, in any order. *)
Definition poly_of (rows : list (Z * list nat)) : poly :=
  fold_right (fun row p => pput (fold_right mput [] (snd row)) (fst row) p) [] rows.
