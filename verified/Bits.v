(** What holds of the bits at every place holds of the integers: the rule [bits] of a log, and its proof.

    Leaves have any bits. A sum of what is known, whose bits make 0 or 1 whatever the leaves have, has these bits; so
    has [a land b], for two such sums; and a sum whose bits make 0 everywhere is 0. *)

From Coq Require Import ZArith List Bool Lia.
From Verified Require Import Meaning Poly Reading.
Import ListNotations.
Open Scope Z_scope.

(** A polynomial and its bit, for each assignment of bits to the leaves. *)
Definition entry := (poly * list Z)%type.
(** A sum: factors, and numbers of what is known. *)
Definition sum := list (Z * nat).

Fixpoint assignments (k : nat) : list (list Z) :=
  match k with O => [[]] | S k' => flat_map (fun a => [0 :: a; 1 :: a]) (assignments k') end.
Fixpoint zip (f : Z -> Z -> Z) (u v : list Z) : list Z :=
  match u, v with x :: u', y :: v' => f x y :: zip f u' v' | _, _ => [] end.

Fixpoint weighed (zero : list Z) (known : list entry) (s : sum) : option entry :=
  match s with
  | [] => Some ([], zero)
  | (c, i) :: s' =>
      match nth_error known i, weighed zero known s' with
      | Some (p, v), Some (q, w) => Some (padd (pscale [] c p) q, zip Z.add (map (Z.mul c) v) w)
      | _, _ => None
      end
  end.
Definition is_bit (x : Z) : bool := (x =? 0) || (x =? 1).
Definition operand (zero : list Z) (known : list entry) (s : sum) (p : poly) : option (list Z) :=
  match weighed zero known s with
  | Some (q, v) => if peqb q p && forallb is_bit v then Some v else None
  | None => None
  end.

Fixpoint opened (T : table) (zero : list Z) (known : list entry) (atoms : list nat) (sums : list sum) : option poly :=
  match atoms, sums with
  | [], [s] =>
      match weighed zero known s with
      | Some (p, v) => if forallb (Z.eqb 0) v then Some p else None
      | None => None
      end
  | n :: atoms', s :: t :: sums' =>
      match nth_error T n with
      | Some (AKind AND [p; q]) =>
          match operand zero known s p, operand zero known t q with
          | Some v, Some w => opened T zero (known ++ [(pvar n, zip Z.mul v w)]) atoms' sums'
          | _, _ => None
          end
      | _ => None
      end
  | _, _ => None
  end.

Fixpoint leaf_entries (all : list (list Z)) (k : nat) (leaves : list poly) : list entry :=
  match leaves with
  | [] => []
  | p :: leaves' => (p, map (fun a => nth k a 0) all) :: leaf_entries all (S k) leaves'
  end.

(** What is 0, if all sums are what they should be; the first thing known is -1. At most 6 leaves. *)
Definition bits_zero (T : table) (leaves : list poly) (atoms : list nat) (sums : list sum) : option poly :=
  if Nat.leb (List.length leaves) 6 then
    let all := assignments (List.length leaves) in
    opened T (map (fun _ => 0) all) ((pconst (-1), map (fun _ => 1) all) :: leaf_entries all 0 leaves) atoms sums
  else None.

(** * It is sound *)

Definition bit (x n : Z) : Z := Z.b2z (Z.testbit x n).
Fixpoint value (l : list (Z * Z)) : Z := match l with [] => 0 | (c, x) :: l' => c * x + value l' end.
Fixpoint digit (l : list (Z * Z)) (n : Z) : Z := match l with [] => 0 | (c, x) :: l' => c * bit x n + digit l' n end.
Definition half (l : list (Z * Z)) : list (Z * Z) := map (fun t => (fst t, Z.div2 (snd t))) l.

Lemma value_half l : value l = 2 * value (half l) + digit l 0.
Proof.
  induction l as [|[c x] l IH]; [reflexivity|]. cbn [value digit half map fst snd]. fold (half l). rewrite IH.
  unfold bit. rewrite Z.bit0_odd. pose proof (Z.div2_odd x) as E. rewrite E at 1. ring.
Qed.
Lemma digit_half l n : 0 <= n -> digit (half l) n = digit l (Z.succ n).
Proof.
  intro N. induction l as [|[c x] l IH]; [reflexivity|]. cbn [digit half map fst snd]. fold (half l). rewrite IH.
  unfold bit. rewrite Z.div2_spec, Z.shiftr_spec by auto. reflexivity.
Qed.

(** The bits of a sum, where the bits make 0 or 1 at every place. *)
Lemma digit_ok n : 0 <= n -> forall l, (forall m, 0 <= m -> is_bit (digit l m) = true) -> bit (value l) n = digit l n.
Proof.
  revert n. apply (natlike_ind (fun n => forall l, (forall m, 0 <= m -> is_bit (digit l m) = true) -> bit (value l) n = digit l n)).
  - intros l B. specialize (B 0 ltac:(lia)). rewrite value_half. unfold bit.
    assert (E : exists b, digit l 0 = Z.b2z b).
    { unfold is_bit in B. apply orb_true_iff in B. rewrite !Z.eqb_eq in B.
      destruct B as [-> | ->]; [now exists false | now exists true]. }
    destruct E as [b ->]. rewrite Z.add_comm, Z.add_b2z_double_bit0. reflexivity.
  - intros n N IH l B. rewrite <- digit_half by auto. rewrite <- IH.
    + specialize (B 0 ltac:(lia)). rewrite value_half. unfold bit.
      assert (E : exists b, digit l 0 = Z.b2z b).
      { unfold is_bit in B. apply orb_true_iff in B. rewrite !Z.eqb_eq in B.
        destruct B as [-> | ->]; [now exists false | now exists true]. }
      destruct E as [b ->]. f_equal. rewrite Z.testbit_succ_r by auto. reflexivity.
    + intros m M. rewrite digit_half by auto. apply B. lia.
Qed.

(** The lowest [k] bits are the remainder by [2 ^ k]. *)
Lemma land_power x k : 0 <= k -> Z.land x (2 ^ k - 1) = x - 2 ^ k * (x / 2 ^ k).
Proof.
  intro K. replace (2 ^ k - 1) with (Z.ones k) by (rewrite Z.ones_equiv; lia). rewrite Z.land_ones by auto.
  apply Z.mod_eq. pose proof (Z.pow_pos_nonneg 2 k). lia.
Qed.
(** The bit at [k] is the last one of the quotient by [2 ^ k]. *)
Lemma land_bit x k : 0 <= k -> Z.land x (2 ^ k) = 2 ^ k * (x / 2 ^ k - 2 * (x / 2 ^ k / 2)).
Proof.
  intro K. assert (P : x / 2 ^ k - 2 * (x / 2 ^ k / 2) = (x / 2 ^ k) mod 2) by (rewrite Z.mod_eq; lia).
  rewrite P, <- Z.testbit_spec' by auto.
  apply Z.bits_inj'; intros i I. rewrite Z.land_spec, Z.pow2_bits_eqb by auto.
  destruct (Z.eqb_spec k i) as [->|N].
  - rewrite andb_true_r. destruct (Z.testbit x i); cbn [Z.b2z].
    + now rewrite Z.mul_1_r, Z.pow2_bits_true.
    + now rewrite Z.mul_0_r, Z.bits_0.
  - rewrite andb_false_r. destruct (Z.testbit x k); cbn [Z.b2z].
    + rewrite Z.mul_1_r. now rewrite Z.pow2_bits_false.
    + now rewrite Z.mul_0_r, Z.bits_0.
Qed.

Section Sound.
  Variables (v : env) (T : table).
  Let r := valuation v T.
  Hypothesis G : good v T r.
  Variable leaves : list poly.
  Let all := assignments (List.length leaves).
  Let at_ (n : Z) : list Z := map (fun p => bit (peval r p) n) leaves.

  Lemma bit_range x n : bit x n = 0 \/ bit x n = 1.
  Proof. unfold bit. destruct (Z.testbit x n); auto. Qed.
  Lemma assigned l : Forall (fun x => x = 0 \/ x = 1) l -> In l (assignments (List.length l)).
  Proof.
    induction 1 as [|x l X L IH]; cbn [assignments List.length]; [now left|]. apply in_flat_map. exists l. split; auto.
    destruct X as [-> | ->]; cbn; auto.
  Qed.
  Lemma at_in n : In (at_ n) all.
  Proof.
    unfold all. replace (List.length leaves) with (List.length (at_ n)) by apply map_length. apply assigned.
    unfold at_. apply Forall_forall. intros x I. apply in_map_iff in I. destruct I as (p & <- & _). apply bit_range.
  Qed.

  (** What is known of an entry: its bits are those of the polynomial. *)
  Definition known_ok (e : entry) : Prop :=
    exists f, snd e = map f all /\ forall n, 0 <= n -> f (at_ n) = bit (peval r (fst e)) n.
  Definition sum_ok (e : entry) : Prop :=
    exists f l, snd e = map f all /\ peval r (fst e) = value l /\ forall n, 0 <= n -> f (at_ n) = digit l n.

  Lemma zip_map h (f g : list Z -> Z) (l : list (list Z)) : zip h (map f l) (map g l) = map (fun a => h (f a) (g a)) l.
  Proof. induction l as [|a l IH]; cbn; congruence. Qed.

  Lemma weighed_ok known s e : Forall known_ok known -> weighed (map (fun _ => 0) all) known s = Some e -> sum_ok e.
  Proof.
    intro K. revert e. induction s as [|[c i] s IH]; cbn [weighed]; intros e E.
    - injection E as <-. exists (fun _ => 0), []. repeat split; auto.
    - destruct (nth_error known i) as [[p u]|] eqn:N; [|discriminate].
      destruct (weighed _ known s) as [[q w]|]; [|discriminate]. injection E as <-.
      destruct (IH _ eq_refl) as (g & l & W & Q & D). cbn [fst snd] in *.
      apply nth_error_In in N. rewrite Forall_forall in K. destruct (K _ N) as (f & U & B). cbn [fst snd] in *.
      exists (fun a => c * f a + g a), ((c, peval r p) :: l). cbn [fst snd value digit]. repeat split.
      + rewrite U, W, map_map. apply zip_map.
      + rewrite padd_ok, pscale_ok, Q. cbn [meval]. ring.
      + intros n Hn. now rewrite B, D.
  Qed.

  Lemma operand_ok known s p u : Forall known_ok known -> operand (map (fun _ => 0) all) known s p = Some u -> known_ok (p, u).
  Proof.
    intros K. unfold operand. destruct (weighed _ known s) as [[q w]|] eqn:W; [|discriminate].
    destruct (peqb q p) eqn:E; [|discriminate]. destruct (forallb is_bit w) eqn:B; [|discriminate]. cbn [andb].
    intro X; injection X as <-. apply peqb_eq in E; subst q.
    destruct (weighed_ok _ _ _ K W) as (f & l & F & V & D). cbn [fst snd] in *. exists f. cbn [fst snd]. split; auto.
    intros n N. rewrite V, D by auto. symmetry. apply digit_ok; auto. intros m M. rewrite <- D by auto.
    rewrite forallb_forall in B. apply B. rewrite F. apply in_map, at_in.
  Qed.

  Lemma opened_ok atoms : forall known sums p, Forall known_ok known ->
    opened T (map (fun _ => 0) all) known atoms sums = Some p -> peval r p = 0.
  Proof.
    induction atoms as [|n atoms IH]; intros known sums p K; cbn [opened].
    - destruct sums as [|s [|]]; try discriminate. destruct (weighed _ known s) as [[q w]|] eqn:W; [|discriminate].
      destruct (forallb _ w) eqn:Z; [|discriminate]. intro E; injection E as ->.
      destruct (weighed_ok _ _ _ K W) as (f & l & F & V & D). cbn [fst snd] in *. rewrite V.
      assert (O : forall m, 0 <= m -> digit l m = 0).
      { intros m M. rewrite <- D by auto. rewrite forallb_forall in Z. specialize (Z (f (at_ m))).
        rewrite F in Z. specialize (Z (in_map _ _ _ (at_in m))). apply Z.eqb_eq in Z. auto. }
      apply Z.bits_inj_0. intro m. destruct (Z.ltb_spec m 0); [now apply Z.testbit_neg_r|].
      assert (B : bit (value l) m = 0).
      { rewrite digit_ok by (auto; intros; now rewrite O). auto. }
      unfold bit in B. destruct (Z.testbit (value l) m); [discriminate|reflexivity].
    - destruct sums as [|s [|t sums]]; try discriminate.
      destruct (nth_error T n) as [[|[] [|x [|y [|]]]|]|] eqn:N; try discriminate.
      destruct (operand _ known s x) as [u|] eqn:X; [|discriminate].
      destruct (operand _ known t y) as [w|] eqn:Y; [|discriminate].
      apply IH. apply Forall_app. split; auto. constructor; auto.
      destruct (operand_ok _ _ _ _ K X) as (f & U & FB). destruct (operand_ok _ _ _ _ K Y) as (g & W & GB).
      cbn [fst snd] in *. exists (fun a => f a * g a). cbn [fst snd]. split; [rewrite U, W; apply zip_map|].
      intros m M. rewrite FB, GB, pvar_ok, (G _ _ N) by auto. cbn [aval map kval]. fold r.
      unfold bit. rewrite Z.land_spec. destruct (Z.testbit (peval r x) m), (Z.testbit (peval r y) m); reflexivity.
  Qed.

  Lemma leaf_entries_ok : Forall known_ok (leaf_entries all 0 leaves).
  Proof.
    assert (Gen : forall rest k, (forall i p, nth_error rest i = Some p -> nth_error leaves (k + i) = Some p) ->
      Forall known_ok (leaf_entries all k rest)).
    { induction rest as [|p rest IH]; intros k K; cbn [leaf_entries]; constructor.
      - exists (fun a => nth k a 0). cbn [fst snd]. split; auto. intros n _. specialize (K 0%nat p eq_refl).
        rewrite Nat.add_0_r in K. apply nth_error_nth. unfold at_. apply (map_nth_error (fun p => bit (peval r p) n)). auto.
      - apply IH. intros i q I. replace (S k + i)%nat with (k + S i)%nat by lia. exact (K (S i) q I). }
    apply Gen. auto.
  Qed.

  Lemma bits_zero_ok atoms sums p : bits_zero T leaves atoms sums = Some p -> peval r p = 0.
  Proof.
    unfold bits_zero. destruct (Nat.leb _ 6); [|discriminate]. cbv zeta. fold all. apply opened_ok. constructor; [|apply leaf_entries_ok].
    exists (fun _ => 1). cbn [fst snd]. split; auto. intros n N. rewrite pconst_ok. unfold bit. now rewrite Z.bits_m1.
  Qed.
End Sound.
