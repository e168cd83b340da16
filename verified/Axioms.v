(** The table of axioms about atoms, and the proof of each row. The rows are those of checker/schemas.py (a test holds
    that they are the same). *)

From Coq Require Import ZArith List Bool String Lia.
From Verified Require Import Meaning Poly Reading.
Import ListNotations.
Open Scope Z_scope.

Inductive sch := V (n : nat) | C (z : Z) | SAdd (a b : sch) | SSub (a b : sch) | SMul (a b : sch).
Declare Scope sch_scope.
Delimit Scope sch_scope with sch.
Coercion C : Z >-> sch.
Notation "a + b" := (SAdd a b) : sch_scope.
Notation "a - b" := (SSub a b) : sch_scope.
Notation "a * b" := (SMul a b) : sch_scope.

Fixpoint spoly (ps : list poly) (s : sch) : poly :=
  match s with
  | V n => nth n ps [] | C z => pconst z
  | SAdd a b => padd (spoly ps a) (spoly ps b)
  | SSub a b => psub (spoly ps a) (spoly ps b)
  | SMul a b => pmul (spoly ps a) (spoly ps b)
  end.
Fixpoint sval (xs : list Z) (s : sch) : Z :=
  match s with
  | V n => nth n xs 0 | C z => z
  | SAdd a b => sval xs a + sval xs b
  | SSub a b => sval xs a - sval xs b
  | SMul a b => sval xs a * sval xs b
  end.
Lemma spoly_ok r ps s : peval r (spoly ps s) = sval (map (peval r) ps) s.
Proof.
  induction s; cbn [spoly sval]; autorewrite with pol; try congruence.
  change 0 with (peval r []). now rewrite map_nth.
Qed.

Inductive fact := Nonneg (s : sch) | Null (s : sch).
Definition finst (ps : list poly) (f : fact) : formula :=
  match f with Nonneg s => FGe (spoly ps s) | Null s => FEq (spoly ps s) end.
Definition fval (xs : list Z) (f : fact) : Prop := match f with Nonneg s => 0 <= sval xs s | Null s => sval xs s = 0 end.

(** [ax_count] atoms of [ax_kind]; variables: their values, then their operands. *)
Record axiom := { ax_kind : kind; ax_count : nat; ax_needs : list sch; ax_gives : fact }.

Definition valid (x : axiom) : Prop := forall args : list (list Z),
  List.length args = ax_count x -> Forall (fun l => fits_arity (ax_kind x) (List.length l) = true) args ->
  let xs := map (kval (ax_kind x)) args ++ List.concat args in
  Forall (fun s => 0 <= sval xs s) (ax_needs x) -> fval xs (ax_gives x).

Section Axioms.
  Local Open Scope sch_scope.
  Definition v := V 0. Definition a := V 1. Definition b := V 2.
  Let neg (s : sch) := 0 - s.
  Let ax1 k needs gives := {| ax_kind := k; ax_count := 1; ax_needs := needs; ax_gives := gives |}.
  Local Open Scope string_scope.
  Definition axioms : list (string * axiom) := (
    ("define", ax1 DEFINE [] (Null (v - a))) ::
    ("fd/low", ax1 FD [b - 1] (Nonneg (a - b * v))) ::
    ("fd/high", ax1 FD [b - 1] (Nonneg (b * v + b - 1 - a))) ::
    ("fd/low-negative", ax1 FD [neg b - 1] (Nonneg (b * v - a))) ::
    ("fd/high-negative", ax1 FD [neg b - 1] (Nonneg (a - b * v - b - 1))) ::
    ("td/low-pp", ax1 TD [a; b - 1] (Nonneg (a - b * v))) ::
    ("td/high-pp", ax1 TD [a; b - 1] (Nonneg (b * v + b - 1 - a))) ::
    ("td/low-np", ax1 TD [neg a; b - 1] (Nonneg (b * v - a))) ::
    ("td/high-np", ax1 TD [neg a; b - 1] (Nonneg (a - b * v + b - 1))) ::
    ("td/low-pn", ax1 TD [a; neg b - 1] (Nonneg (a - b * v))) ::
    ("td/high-pn", ax1 TD [a; neg b - 1] (Nonneg (b * v - b - 1 - a))) ::
    ("td/low-nn", ax1 TD [neg a; neg b - 1] (Nonneg (b * v - a))) ::
    ("td/high-nn", ax1 TD [neg a; neg b - 1] (Nonneg (a - b * v - b - 1))) ::
    ("truth/low-ge", ax1 GE [] (Nonneg v)) ::
    ("truth/high-ge", ax1 GE [] (Nonneg (1 - v))) ::
    ("truth/low-eq", ax1 EQ [] (Nonneg v)) ::
    ("truth/high-eq", ax1 EQ [] (Nonneg (1 - v))) ::
    ("p2/positive", ax1 P2 [a] (Nonneg (v - 1))) ::
    ("p2/growth", ax1 P2 [a] (Nonneg (v - a - 1))) ::
    ("and/low-left", ax1 AND [a] (Nonneg v)) ::
    ("and/low-right", ax1 AND [b] (Nonneg v)) ::
    ("and/high-left", ax1 AND [a] (Nonneg (a - v))) ::
    ("and/high-right", ax1 AND [b] (Nonneg (b - v))) ::
    ("and/least-left", ax1 AND [neg b - 1] (Nonneg (a - v))) ::
    ("and/least-right", ax1 AND [neg a - 1] (Nonneg (b - v))) ::
    ("and/same", ax1 AND [a - b; b - a] (Null (v - a))) ::
    ("and/opposite", ax1 AND [a + b + 1; neg a - b - 1] (Null v)) ::
    ("p2/order", {| ax_kind := P2; ax_count := 2; ax_needs := [V 3; V 2 - V 3]; ax_gives := Nonneg (V 0 - V 1) |}) ::
    ("p2/double", {| ax_kind := P2; ax_count := 2; ax_needs := [V 3; V 2 - V 3 - 1]; ax_gives := Nonneg (V 0 - 2 * V 1) |}) ::
    ("p2/product", {| ax_kind := P2; ax_count := 3; ax_needs := [V 4; V 5; V 3 - V 4 - V 5; V 4 + V 5 - V 3];
                      ax_gives := Null (V 0 - V 1 * V 2) |}) ::
    ("and/commute", {| ax_kind := AND; ax_count := 2; ax_needs := [V 2 - V 5; V 5 - V 2; V 3 - V 4; V 4 - V 3];
                       ax_gives := Null (V 0 - V 1) |}) ::
    ("and/and", {| ax_kind := AND; ax_count := 2; ax_needs := [V 2 - V 1; V 1 - V 2; V 3 - V 5; V 5 - V 3];
                   ax_gives := Null (V 0 - V 1) |}) ::
    ("and/or", {| ax_kind := AND; ax_count := 2;
                  ax_needs := [V 2 + V 1 - V 4 - V 5; V 4 + V 5 - V 1 - V 2; V 3 - V 5; V 5 - V 3];
                  ax_gives := Null (V 0 - V 5) |}) ::
    ("and/xor", {| ax_kind := AND; ax_count := 2;
                   ax_needs := [V 2 + 2 * V 1 - V 4 - V 5; V 4 + V 5 - 2 * V 1 - V 2; V 3 - V 5; V 5 - V 3];
                   ax_gives := Null (V 0 + V 1 - V 5) |}) ::
    ("and/not", {| ax_kind := AND; ax_count := 2;
                   ax_needs := [V 2 + V 4 + 1; 0 - V 2 - V 4 - 1; V 3 - V 5; V 5 - V 3];
                   ax_gives := Null (V 0 + V 1 - V 5) |}) ::
    ("and/signs", {| ax_kind := AND; ax_count := 2;
                     ax_needs := [V 2 + V 4; 0 - V 2 - V 4; V 3 + V 5; 0 - V 3 - V 5; V 4; 1 - V 4; V 5; 1 - V 5];
                     ax_gives := Null (V 0 + V 1) |}) :: [])%list.
  Definition power_shift (n : nat) : axiom :=
    let step := C (Z.of_nat n) in
    {| ax_kind := P2; ax_count := 2; ax_needs := [V 3; V 2 - V 3 - step; V 3 + step - V 2];
       ax_gives := Null (V 0 - C (2 ^ Z.of_nat n)%Z * V 1) |}.
  (** An exponent that is at most, or at least, [n]. *)
  Definition power_below (n : nat) : axiom :=
    {| ax_kind := P2; ax_count := 1; ax_needs := [a; C (Z.of_nat n) - a]; ax_gives := Nonneg (C (2 ^ Z.of_nat n)%Z - v) |}.
  Definition power_above (n : nat) : axiom :=
    {| ax_kind := P2; ax_count := 1; ax_needs := [a - C (Z.of_nat n)]; ax_gives := Nonneg (v - C (2 ^ Z.of_nat n)%Z) |}.
  (** Bits below [2 ^ n] stay there. *)
  Definition bits_below (n : nat) : axiom :=
    let ones := C (2 ^ Z.of_nat n - 1)%Z in
    {| ax_kind := AND; ax_count := 1; ax_needs := [a; ones - a; b; ones - b]; ax_gives := Nonneg (ones - a - b + v) |}.
  (** Bits below [2 ^ n] meet none of a multiple of it, whose factor is an operand of the second atom. *)
  Definition bits_apart (n : nat) : axiom :=
    let power := C (2 ^ Z.of_nat n)%Z in
    {| ax_kind := AND; ax_count := 2; ax_needs := [V 2 - power * V 4; power * V 4 - V 2; V 3; power - 1 - V 3];
       ax_gives := Null (V 0) |}.
  (** What is past the lowest [n] bits of both operands, and these bits. *)
  Definition bits_split (n : nat) : axiom :=
    let power := C (2 ^ Z.of_nat n)%Z in
    {| ax_kind := AND; ax_count := 3;
       ax_needs := [V 3 - power * V 5 - V 7; power * V 5 + V 7 - V 3; V 4 - power * V 6 - V 8; power * V 6 + V 8 - V 4;
                    V 7; power - 1 - V 7; V 8; power - 1 - V 8];
       ax_gives := Null (V 0 - power * V 1 - V 2) |}.
  (** Rows that take a number, up to 256. *)
  Definition numbered : list (string * (nat -> axiom)) :=
    [("p2/shift", power_shift); ("p2/below", power_below); ("p2/above", power_above);
     ("and/below", bits_below); ("and/apart", bits_apart); ("and/split", bits_split)]%list.
End Axioms.

Lemma div_pos x y : 0 < y -> y * (x / y) <= x < y * (x / y) + y.
Proof. intro. pose proof (Z.div_mod x y). pose proof (Z.mod_pos_bound x y). lia. Qed.
Lemma div_neg x y : y < 0 -> y * (x / y) + y < x <= y * (x / y).
Proof. intro. pose proof (Z.div_mod x y). pose proof (Z.mod_neg_bound x y). lia. Qed.
Lemma quot_all x y : y <> 0 -> x = y * Z.quot x y + Z.rem x y /\ Z.abs (Z.rem x y) < Z.abs y /\
  (0 <= x -> 0 <= Z.rem x y) /\ (x <= 0 -> Z.rem x y <= 0).
Proof.
  intro H. pose proof (Z.quot_rem' x y). pose proof (Z.rem_bound_abs x y H). pose proof (Z.rem_sign_mul x y H).
  destruct (Z.eq_dec x 0) as [->|]; [rewrite Z.rem_0_l in * by auto; lia|]. repeat split; auto; nia.
Qed.
Lemma land_le x y : 0 <= x -> Z.land x y <= x.
Proof.
  intro. pose proof (Z.lor_ldiff_and x y). assert (0 <= Z.ldiff x y) by (apply Z.ldiff_nonneg; auto).
  assert (Z.land (Z.ldiff x y) (Z.land x y) = 0).
  { apply Z.bits_inj; intro n. rewrite !Z.land_spec, Z.ldiff_spec, Z.bits_0.
    destruct (Z.testbit x n), (Z.testbit y n); reflexivity. }
  pose proof (add_lor_land (Z.ldiff x y) (Z.land x y)). lia.
Qed.
Ltac bitwise :=
  apply Z.bits_inj'; intros;
  repeat first [rewrite Z.land_spec | rewrite Z.lor_spec | rewrite Z.lxor_spec | rewrite Z.bits_0 | rewrite Z.lnot_spec by assumption];
  repeat match goal with |- context [Z.testbit ?x ?n] => destruct (Z.testbit x n) end; reflexivity.
Lemma land_or x y : Z.land (x + y - Z.land x y) y = y.
Proof. replace (x + y - Z.land x y) with (Z.lor x y) by (pose proof (add_lor_land x y); lia). bitwise. Qed.
Lemma land_xor x y : Z.land (x + y - 2 * Z.land x y) y + Z.land x y = y.
Proof.
  replace (x + y - 2 * Z.land x y) with (Z.lxor x y) by (pose proof (add_lor_land x y); pose proof (lor_lxor_land x y); lia).
  rewrite add_lor_land. replace (Z.land (Z.land (Z.lxor x y) y) (Z.land x y)) with 0.
  - rewrite Z.add_0_r. bitwise.
  - symmetry. bitwise.
Qed.
Lemma land_lnot x y : Z.land (- x - 1) y + Z.land x y = y.
Proof.
  replace (- x - 1) with (Z.lnot x) by (unfold Z.lnot; lia). rewrite add_lor_land.
  replace (Z.land (Z.land (Z.lnot x) y) (Z.land x y)) with 0.
  - rewrite Z.add_0_r. bitwise.
  - symmetry. bitwise.
Qed.
Lemma land_negative x y : y < 0 -> Z.land x y <= x.
Proof.
  intro. pose proof (land_lnot y x). assert (0 <= Z.land (- y - 1) x) by (apply Z.land_nonneg; lia).
  rewrite (Z.land_comm x y). lia.
Qed.
Lemma land_land x y : Z.land (Z.land x y) y = Z.land x y.
Proof. bitwise. Qed.
Lemma land_opposite x y : x + y + 1 = 0 -> Z.land x y = 0.
Proof. intro. replace x with (- y - 1) by lia. pose proof (land_lnot y y). rewrite Z.land_diag in H0. lia. Qed.
Lemma pow_growth k : 0 <= k -> 2 ^ k >= k + 1.
Proof. intro. pose proof (Z.pow_gt_lin_r 2 k). lia. Qed.

Ltac plain := cbn -[Z.add Z.sub Z.mul Z.div Z.quot Z.pow Z.land Z.leb Z.eqb] in *.
Ltac shape :=
  intros args L F;
  repeat match goal with
  | L : List.length ?l = _ |- _ => destruct l; cbn [List.length] in L; try discriminate L
  | L : S _ = S _ |- _ => injection L as L
  | F : Forall _ (_ :: _) |- _ => inversion F; clear F; subst
  | H : fits_arity _ (List.length ?l) = true |- _ =>
      destruct l as [|? [|? [|? ?]]]; cbn in H; try discriminate H; clear H
  end; plain; intro N;
  repeat match goal with F : Forall _ (_ :: _) |- _ => inversion F; clear F; subst end;
  repeat match goal with F : Forall _ [] |- _ => clear F end; plain.

Lemma axioms_valid : Forall (fun t => valid (snd t)) axioms.
Proof.
  unfold axioms. repeat constructor; unfold valid; cbn [snd ax_kind ax_count ax_needs ax_gives]; shape.
  all: try match goal with |- context [?x / ?y] => first [pose proof (div_pos x y); lia | pose proof (div_neg x y); lia] end.
  all: try match goal with |- context [Z.quot ?x ?y] => pose proof (quot_all x y); lia end.
  all: try match goal with |- context [if ?c then _ else _] => destruct c; lia end.
  all: try match goal with |- Z.land ?x ?y - _ = 0 => replace y with x by lia; rewrite Z.land_diag; lia end.
  all: try match goal with |- Z.land ?x ?y = 0 => apply land_opposite; lia end.
  all: try match goal with |- context [Z.land ?x ?y] => rewrite ?Z.land_nonneg; lia end.
  all: try match goal with |- context [Z.land ?x ?y] =>
    first [pose proof (land_le x y); lia | rewrite Z.land_comm; pose proof (land_le y x); lia] end.
  all: try match goal with |- context [Z.land ?x ?y] =>
    first [pose proof (land_negative x y); lia | rewrite Z.land_comm; pose proof (land_negative y x); lia] end.
  all: try lia.
  all: try match goal with |- context [2 ^ ?k] => pose proof (pow_growth k); lia end.
  - pose proof (Z.pow_le_mono_r 2 z z0). lia.
  - pose proof (Z.pow_le_mono_r 2 (z + 1) z0). rewrite Z.pow_add_r in H by lia. lia.
  - rewrite <- Z.pow_add_r by lia. replace z1 with (z0 + z) by lia. lia.
  - replace z1 with z0 by lia. replace z2 with z by lia. rewrite Z.land_comm. lia.
  - replace z2 with z0 by lia. replace z1 with (Z.land z z0) by lia. rewrite land_land. lia.
  - replace z2 with z0 by lia. replace z1 with (z + z0 - Z.land z z0) by lia. pose proof (land_or z z0). lia.
  - replace z2 with z0 by lia. replace z1 with (z + z0 - 2 * Z.land z z0) by lia. pose proof (land_xor z z0). lia.
  - replace z2 with z0 by lia. replace z1 with (- z - 1) by lia. pose proof (land_lnot z z0). lia.
  - replace z1 with (- z) by lia. replace z2 with (- z0) by lia.
    assert (A : z = 0 \/ z = 1) by lia. assert (B : z0 = 0 \/ z0 = 1) by lia. now destruct A as [->| ->], B as [->| ->].
Qed.

Lemma power_shift_valid n : valid (power_shift n).
Proof.
  unfold valid, power_shift; cbn [ax_kind ax_count ax_needs ax_gives]; intros args L F.
  assert (0 <= Z.of_nat n) by lia. revert args L F. generalize dependent (Z.of_nat n). intros k K. shape.
  rewrite <- Z.pow_add_r by lia. replace z0 with (k + z) by lia. lia.
Qed.

Lemma power_below_valid n : valid (power_below n).
Proof.
  unfold valid, power_below; cbn [ax_kind ax_count ax_needs ax_gives]; intros args L F.
  assert (0 <= Z.of_nat n) by lia. revert args L F. generalize dependent (Z.of_nat n). intros k K. shape.
  pose proof (Z.pow_le_mono_r 2 z k). lia.
Qed.

Lemma power_above_valid n : valid (power_above n).
Proof.
  unfold valid, power_above; cbn [ax_kind ax_count ax_needs ax_gives]; intros args L F.
  assert (0 <= Z.of_nat n) by lia. revert args L F. generalize dependent (Z.of_nat n). intros k K. shape.
  pose proof (Z.pow_le_mono_r 2 k z). lia.
Qed.

Lemma below_bits n x : 0 <= n -> 0 <= x -> (x <= 2 ^ n - 1 <-> Z.land x (2 ^ n - 1) = x).
Proof.
  intros N X. replace (2 ^ n - 1) with (Z.ones n) by (rewrite Z.ones_equiv; lia). rewrite Z.land_ones by auto.
  rewrite Z.ones_equiv. pose proof (Z.pow_pos_nonneg 2 n). split; intro H'.
  - apply Z.mod_small. lia.
  - pose proof (Z.mod_pos_bound x (2 ^ n)). lia.
Qed.

Lemma bits_below_valid n : valid (bits_below n).
Proof.
  unfold valid, bits_below; cbn [ax_kind ax_count ax_needs ax_gives]; intros args L F.
  assert (0 <= Z.of_nat n) by lia. revert args L F. generalize dependent (Z.of_nat n). intros k K. shape.
  pose proof (add_lor_land z z0). assert (Z.lor z z0 <= 2 ^ k - 1); [|lia].
  apply below_bits; auto; [apply Z.lor_nonneg; lia|].
  assert (Z.land z (2 ^ k - 1) = z) by (apply below_bits; lia).
  assert (Z.land z0 (2 ^ k - 1) = z0) by (apply below_bits; lia).
  rewrite Z.land_lor_distr_l. congruence.
Qed.

Lemma bits_apart_valid n : valid (bits_apart n).
Proof.
  unfold valid, bits_apart; cbn [ax_kind ax_count ax_needs ax_gives]; intros args L F.
  assert (0 <= Z.of_nat n) by lia. revert args L F. generalize dependent (Z.of_nat n). intros k K. shape.
  assert (B : Z.land z2 (2 ^ k - 1) = z2) by (apply below_bits; lia).
  replace z1 with (z * 2 ^ k) by lia. rewrite <- B. rewrite <- Z.shiftl_mul_pow2 by auto.
  replace (2 ^ k - 1) with (Z.ones k) by (rewrite Z.ones_equiv; lia).
  apply Z.bits_inj'; intros i I. rewrite !Z.land_spec, Z.bits_0. destruct (Z.ltb_spec i k).
  - rewrite Z.shiftl_spec_low by auto. reflexivity.
  - rewrite Z.ones_spec_high by lia. rewrite andb_false_r. apply andb_false_r.
Qed.

Lemma land_split k a b c d : 0 <= k -> 0 <= c < 2 ^ k -> 0 <= d < 2 ^ k ->
  Z.land (2 ^ k * a + c) (2 ^ k * b + d) = 2 ^ k * Z.land a b + Z.land c d.
Proof.
  intros K C' D. set (p := 2 ^ k * a + c). set (q := 2 ^ k * b + d).
  assert (P : p / 2 ^ k = a) by (symmetry; apply Z.div_unique with c; lia).
  assert (P' : p mod 2 ^ k = c) by (symmetry; apply Z.mod_unique with a; lia).
  assert (Q : q / 2 ^ k = b) by (symmetry; apply Z.div_unique with d; lia).
  assert (Q' : q mod 2 ^ k = d) by (symmetry; apply Z.mod_unique with b; lia).
  rewrite (Z.div_mod (Z.land p q) (2 ^ k)) by lia.
  assert (H : Z.land p q / 2 ^ k = Z.land a b).
  { rewrite <- Z.shiftr_div_pow2, Z.shiftr_land, !Z.shiftr_div_pow2 by auto. now rewrite P, Q. }
  assert (L : Z.land p q mod 2 ^ k = Z.land c d).
  { rewrite <- P', <- Q', <- !Z.land_ones by auto. apply Z.bits_inj'; intros i I. rewrite !Z.land_spec.
    now destruct (Z.testbit p i), (Z.testbit q i), (Z.testbit (Z.ones k) i). }
  now rewrite H, L.
Qed.

Lemma bits_split_valid n : valid (bits_split n).
Proof.
  unfold valid, bits_split; cbn [ax_kind ax_count ax_needs ax_gives]; intros args L F.
  assert (0 <= Z.of_nat n) by lia. revert args L F. generalize dependent (Z.of_nat n). intros k K. shape.
  match goal with |- Z.land ?p ?q - _ * Z.land ?a ?b - Z.land ?c ?d = 0 =>
    replace p with (2 ^ k * a + c) by lia; replace q with (2 ^ k * b + d) by lia; rewrite land_split by lia; lia
  end.
Qed.

Lemma numbered_valid n : Forall (fun t => valid (snd t n)) numbered.
Proof.
  unfold numbered. repeat constructor; cbn [snd]; auto using power_shift_valid, power_below_valid, power_above_valid, bits_below_valid, bits_apart_valid, bits_split_valid.
Qed.
