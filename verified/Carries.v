(** Sums and [Z.land] read bit after bit: the rule [carries] of a log, and its proof.

    A stream is a number whose lowest bit is read, and then that of half of it. A sum keeps a carry, [Z.land] keeps
    nothing, and an equation keeps whether a bit was other than 0. Where halving changes nothing any more, each number is
    0 or -1: a state that a letter does not change says what holds. If no state that is reached does so for the facts,
    they do not hold together. *)

From Coq Require Import ZArith List Bool Lia.
From Verified Require Import Meaning Poly Reading Bits.
Import ListNotations.
Open Scope Z_scope.

(** Streams of which a stream is made come before it. [SAnd n e i j]: [e] times the atom [n], [Z.land p q]; the streams [i]
    and [j] are [e * p] and [e * q]. [SFloor n e i j]: [e * d] times the atom [n], [p / d]; the streams [i] and [j] are
    [e * p] and [- (e * d)]. [e] and [e * d] are powers of two. *)
Inductive stream :=
| SLeaf (p : poly)
| SSum (l : list (Z * nat)) (c : Z)
| SAnd (n : nat) (e : Z) (i j : nat)
| SFloor (n : nat) (e : Z) (i j : nat).

(** * What a stream is *)

Fixpoint sum_poly (known : list poly) (l : list (Z * nat)) (c : Z) : option poly :=
  match l with
  | [] => Some (pconst c)
  | (k, i) :: l' =>
      match nth_error known i, sum_poly known l' c with
      | Some p, Some q => Some (padd (pscale [] k p) q)
      | _, _ => None
      end
  end.
Definition power_of_two (d : Z) : bool := (0 <? d) && (2 ^ Z.log2 d =? d).
Definition stream_poly (T : table) (known : list poly) (s : stream) : option poly :=
  match s with
  | SLeaf p => Some p
  | SSum l c => sum_poly known l c
  | SAnd n e i j =>
      match nth_error T n, nth_error known i, nth_error known j with
      | Some (AKind AND [p; q]), Some x, Some y =>
          if peqb x (pscale [] e p) && peqb y (pscale [] e q) && power_of_two e then Some (pscale [] e (pvar n)) else None
      | _, _, _ => None
      end
  | SFloor n e i j =>
      match nth_error T n, nth_error known i, nth_error known j with
      | Some (AKind FD [p; q]), Some x, Some y =>
          match pconstant q with
          | Some d =>
              if peqb x (pscale [] e p) && peqb y (pconst (- (e * d))) && (0 <? e) && power_of_two (e * d)
              then Some (pscale [] (e * d) (pvar n)) else None
          | None => None
          end
      | _, _, _ => None
      end
  end.
Fixpoint polys (T : table) (known : list poly) (l : list stream) : option (list poly) :=
  match l with
  | [] => Some []
  | s :: l' =>
      match stream_poly T known s with
      | Some p => match polys T (known ++ [p]) l' with Some ps => Some (p :: ps) | None => None end
      | None => None
      end
  end.

(** A fact about polynomials as one about streams, by number; one about something else is not looked at. *)
Fixpoint place (ps : list poly) (p : poly) : nat :=
  match ps with [] => O | q :: ps' => if peqb p q then O else S (place ps' p) end.
Fixpoint indexed (ps : list poly) (f : formula) : formula :=
  match f with
  | FGe p => FGe (pvar (place ps p))
  | FEq p => FEq (pvar (place ps p))
  | FAnd l => FAnd (map (indexed ps) l)
  | FOr l => FOr (map (indexed ps) l)
  end.
Fixpoint equated (f : formula) : list nat :=
  match f with
  | FEq [([n], _)] => [n]
  | FAnd l | FOr l => flat_map equated l
  | _ => []
  end.

(** * The machine *)

Definition get (l : list Z) (i : nat) : Z := nth i l 0.
Fixpoint weigh (l : list (Z * nat)) (x : list Z) : Z :=
  match l with [] => 0 | (c, i) :: l' => c * get x i + weigh l' x end.

(** Carries, and for each stream whether a bit was other than 0 (where that is asked for). *)
Definition state := (list Z * list bool)%type.
Definition state_eq_dec (s t : state) : {s = t} + {s <> t}.
Proof. decide equality; apply list_eq_dec; [apply bool_dec | apply Z.eq_dec]. Defined.
Definition same_state (s t : state) : bool := if state_eq_dec s t then true else false.

(** The bits of all streams, and the carries after them. *)
Fixpoint go (l : list stream) (carries letter bits : list Z) : list Z * list Z :=
  match l, carries with
  | s :: l', k :: carries' =>
      let t := match s with
               | SLeaf _ => (hd 0 letter, 0, tl letter)
               | SSum w _ => let total := k + weigh w bits in (Z.b2z (Z.odd total), Z.div2 total, letter)
               | SAnd _ _ i j | SFloor _ _ i j => (get bits i * get bits j, 0, letter)
               end in
      let after := go l' carries' (snd t) (bits ++ [fst (fst t)]) in
      (fst after, snd (fst t) :: snd after)
  | _, _ => (bits, [])
  end.
(** The same, with the bits so far from the last to the first, and how many they are: nothing is copied. *)
Fixpoint got (r : list Z) (n i : nat) : Z :=
  match r with [] => 0 | b :: r' => if Nat.eqb n (S i) then b else got r' (n - 1) i end.
Fixpoint weighed (l : list (Z * nat)) (r : list Z) (n : nat) : Z :=
  match l with [] => 0 | (c, i) :: l' => c * got r n i + weighed l' r n end.
Fixpoint went (l : list stream) (carries letter r : list Z) (n : nat) : list Z * list Z :=
  match l, carries with
  | s :: l', k :: carries' =>
      let t := match s with
               | SLeaf _ => (hd 0 letter, 0, tl letter)
               | SSum w _ => let total := k + weighed w r n in (Z.b2z (Z.odd total), Z.div2 total, letter)
               | SAnd _ _ i j | SFloor _ _ i j => (got r n i * got r n j, 0, letter)
               end in
      let after := went l' carries' (snd t) (fst (fst t) :: r) (S n) in
      (fst after, snd (fst t) :: snd after)
  | _, _ => (rev_append r [], [])
  end.
Lemma got_get i : forall bits, got (rev bits) (List.length bits) i = get bits i.
Proof.
  induction bits as [|b bits IH] using rev_ind; [now destruct i|].
  rewrite rev_unit, app_length, Nat.add_1_r. cbn [got]. replace (S (List.length bits) - 1)%nat with (List.length bits) by lia.
  unfold get in *. change (Nat.eqb (S (List.length bits)) (S i)) with (Nat.eqb (List.length bits) i).
  destruct (Nat.eqb_spec (List.length bits) i) as [<- | D].
  - now rewrite nth_middle.
  - rewrite IH. destruct (Nat.lt_ge_cases i (List.length bits)) as [L | L].
    + now rewrite app_nth1.
    + rewrite !nth_overflow; [reflexivity | rewrite app_length; cbn; lia | lia].
Qed.
Lemma weighed_weigh w bits : weighed w (rev bits) (List.length bits) = weigh w bits.
Proof. induction w as [|[c i] w IH]; cbn [weighed weigh]; [reflexivity|]. now rewrite got_get, IH. Qed.
Lemma went_go : forall l carries letter bits,
  went l carries letter (rev bits) (List.length bits) = go l carries letter bits.
Proof.
  induction l as [|s l IH]; intros [|k carries] letter bits; cbn [went go];
    try (now rewrite rev_append_rev, app_nil_r, rev_involutive).
  assert (R : forall b, b :: rev bits = rev (bits ++ [b])) by (intro b; now rewrite rev_unit).
  assert (N : forall b, S (List.length bits) = List.length (bits ++ [b])) by (intro b; rewrite app_length; cbn; lia).
  destruct s as [p|w c|n e i j|n e i j]; cbn [fst snd];
    rewrite ?weighed_weigh, ?got_get, R; erewrite N, IH; reflexivity.
Qed.

Fixpoint flagged (watched flags : list bool) (bits : list Z) : list bool :=
  match watched, flags, bits with
  | w :: watched', f :: flags', b :: bits' => (f || (w && (b =? 1))) :: flagged watched' flags' bits'
  | _, _, _ => []
  end.
Fixpoint leaf_count (l : list stream) : nat :=
  match l with [] => O | SLeaf _ :: l' => S (leaf_count l') | _ :: l' => leaf_count l' end.
Definition starts (l : list stream) : list Z := map (fun s => match s with SSum _ c => c | _ => 0 end) l.

(** What may hold of the streams yet, and what holds of them if the bits are their signs. *)
Definition maybe (flags : list bool) (n : nat) : Z := if nth n flags false then 1 else 0.
Definition signed (flags : list bool) (bits : list Z) (n : nat) : Z := if get bits n =? 1 then -1 else maybe flags n.

Section Machine.
  Variables (streams : list stream) (watched : list bool) (goal : formula) (letters : list (list Z)).

  Definition step (s : state) (letter : list Z) : list Z * state :=
    let after := went streams (fst s) letter [] O in (fst after, (snd after, flagged watched (snd s) (fst after))).
  Definition possible (s : state) : bool := feval (maybe (snd s)) goal.
  Definition accepted (s : state) (after : list Z * state) : bool :=
    same_state s (snd after) && feval (signed (snd s) (fst after)) goal.
  Definition mem (s : state) (l : list state) : bool := existsb (same_state s) l.
  Definition closed (l : list state) : bool :=
    forallb (fun s => forallb (fun a =>
      let after := step s a in (negb (possible (snd after)) || mem (snd after) l) && negb (accepted s after)) letters) l.

  (** Not trusted: the states that are reached, as many as [fuel]. *)
  Fixpoint reach (fuel : nat) (seen todo : list state) : list state :=
    match fuel, todo with
    | S fuel', s :: todo' =>
        let fresh := fold_left (fun found a =>
          let t := snd (step s a) in
          if possible t then if mem t found then found else if mem t seen then found else t :: found else found) letters [] in
        reach fuel' (fresh ++ seen) (todo' ++ fresh)
    | _, _ => seen
    end.
End Machine.

(** A number that is not longer than a product of two words. *)
Definition narrow (c : Z) : bool := Z.abs c <? 2 ^ 128.
Definition all_narrow (l : list stream) : bool :=
  forallb (fun s => match s with SSum w c => forallb (fun t => narrow (fst t)) w && narrow c
    | SAnd _ e _ _ | SFloor _ e _ _ => narrow e | SLeaf _ => true end) l.

(** How many states there may be, by the number of leaves. *)
Definition most (leaves : nat) : nat := (10 * 10 * nth leaves [20; 14; 10; 7; 5; 4; 3] 0)%nat.

Definition refuted (T : table) (l : list stream) (fs : list formula) : bool :=
  match polys T [] l with
  | None => false
  | Some ps =>
    if Nat.leb (leaf_count l) 6 && Nat.leb (List.length l) 60 && all_narrow l then
      let goal := FAnd (map (indexed ps) fs) in
      let asked := equated goal in
      let watched := map (fun n => existsb (Nat.eqb n) asked) (seq 0 (List.length l)) in
      let letters := assignments (leaf_count l) in
      let start := (starts l, map (fun _ => false) l) in
      let all := reach l watched goal letters (most (leaf_count l)) [start] [start] in
      mem start all && closed l watched goal letters all
    else false
  end.

(** * It is sound *)

Lemma same_state_eq s t : same_state s t = true <-> s = t.
Proof. unfold same_state. destruct (state_eq_dec s t); split; congruence. Qed.
Lemma mem_in s l : mem s l = true <-> In s l.
Proof.
  unfold mem. rewrite existsb_exists. split.
  - intros (t & I & E). apply same_state_eq in E. now subst.
  - intro I. exists s. split; auto. now apply same_state_eq.
Qed.

Definition half (x : Z) : Z := x / 2.
Definition low (x : Z) : Z := x mod 2.
Lemma halves x : x = 2 * half x + low x.
Proof. unfold half, low. apply Z.div_mod. lia. Qed.
Lemma low_bit x : low x = 0 \/ low x = 1.
Proof. unfold low. pose proof (Z.mod_pos_bound x 2). lia. Qed.

Lemma get_map f l i : f 0 = 0 -> get (map f l) i = f (get l i).
Proof. intro F. unfold get. rewrite <- F at 1. apply map_nth. Qed.
Lemma weigh_halves w x : weigh w x = 2 * weigh w (map half x) + weigh w (map low x).
Proof.
  induction w as [|[c i] w IH]; cbn [weigh]; [reflexivity|]. rewrite IH, !get_map by reflexivity.
  rewrite (halves (get x i)) at 1. ring.
Qed.
Lemma land_low x y : low (Z.land x y) = low x * low y.
Proof.
  unfold low. rewrite <- !Z.bit0_mod, Z.land_spec. destruct (Z.testbit x 0), (Z.testbit y 0); reflexivity.
Qed.
Lemma land_half x y : half (Z.land x y) = Z.land (half x) (half y).
Proof. unfold half. rewrite <- !Z.div2_div, !Z.div2_spec. apply Z.shiftr_land. Qed.

(** Values of streams, those before them at hand. *)
Fixpoint fits (l : list stream) (pre rest : list Z) : Prop :=
  match l, rest with
  | [], [] => True
  | s :: l', x :: rest' =>
      match s with SAnd _ _ i j | SFloor _ _ i j => x = Z.land (get pre i) (get pre j) | _ => True end
      /\ fits l' (pre ++ [x]) rest'
  | _, _ => False
  end.
Fixpoint carries_of (l : list stream) (pre rest : list Z) : list Z :=
  match l, rest with
  | s :: l', x :: rest' =>
      (match s with SSum w _ => x - weigh w pre | _ => 0 end) :: carries_of l' (pre ++ [x]) rest'
  | _, _ => []
  end.
Fixpoint letter_of (l : list stream) (rest : list Z) : list Z :=
  match l, rest with
  | SLeaf _ :: l', x :: rest' => low x :: letter_of l' rest'
  | _ :: l', _ :: rest' => letter_of l' rest'
  | _, _ => []
  end.

Lemma go_ok : forall l pre rest, fits l pre rest ->
  go l (carries_of l pre rest) (letter_of l rest) (map low pre)
    = (map low (pre ++ rest), carries_of l (map half pre) (map half rest))
  /\ fits l (map half pre) (map half rest).
Proof.
  induction l as [|s l IH]; intros pre [|x rest] F; cbn [fits] in F; try contradiction.
  - cbn. rewrite app_nil_r. auto.
  - destruct F as [V F]. destruct (IH _ _ F) as [E G]. rewrite !map_app in E, G. cbn [map] in E, G.
    cbn [go carries_of letter_of fits map].
    assert (A : pre ++ x :: rest = (pre ++ [x]) ++ rest) by (now rewrite <- app_assoc). rewrite A.
    destruct s as [p|w c|n e i j|n e i j]; cbn [fst snd hd tl].
    + rewrite E. cbn [fst snd]. repeat split; auto. now rewrite !map_app.
    + assert (Q : x - weigh w pre + weigh w (map low pre) = low x + (half x - weigh w (map half pre)) * 2)
        by (pose proof (weigh_halves w pre); pose proof (halves x); lia).
      rewrite <- Z.bit0_odd, Z.bit0_mod, Z.div2_div, Q.
      rewrite Z.mod_add, Z.div_add by lia.
      assert (L : low x mod 2 = low x) by (destruct (low_bit x) as [-> | ->]; reflexivity).
      assert (D : low x / 2 = 0) by (destruct (low_bit x) as [-> | ->]; reflexivity).
      rewrite L, D, E. cbn [fst snd]. repeat split; auto. now rewrite !map_app.
    + rewrite !get_map by reflexivity. rewrite <- land_low, <- V, E. cbn [fst snd]. repeat split; auto.
      * now rewrite !map_app.
      * rewrite V. apply land_half.
    + rewrite !get_map by reflexivity. rewrite <- land_low, <- V, E. cbn [fst snd]. repeat split; auto.
      * now rewrite !map_app.
      * rewrite V. apply land_half.
Qed.

Lemma letter_in : forall l pre rest, fits l pre rest -> In (letter_of l rest) (assignments (leaf_count l)).
Proof.
  intros l pre rest F.
  assert (H : Forall (fun x => x = 0 \/ x = 1) (letter_of l rest) /\ List.length (letter_of l rest) = leaf_count l).
  { revert pre rest F. induction l as [|s l IH]; intros pre [|x rest] F; cbn [fits] in F; try contradiction.
    - cbn. auto.
    - destruct F as [_ F]. destruct (IH _ _ F) as [A B]. destruct s; cbn [letter_of leaf_count]; auto.
      split; [constructor; auto; apply low_bit|]. cbn [List.length]. now rewrite B. }
  destruct H as [A <-]. now apply assigned.
Qed.

(** How far a number is from 0 and -1. *)
Definition far (x : Z) : Z := if x <? 0 then - x - 1 else x.
Lemma far_half x : 0 <= far (half x) <= far x /\ (far (half x) = far x -> half x = x).
Proof. unfold far. pose proof (halves x). destruct (low_bit x); destruct (Z.ltb_spec x 0), (Z.ltb_spec (half x) 0); lia. Qed.
Definition measure (l : list Z) : Z := fold_right (fun x n => far x + n) 0 l.
Lemma measure_half l : 0 <= measure (map half l) <= measure l /\ (measure (map half l) = measure l -> map half l = l).
Proof.
  induction l as [|x l IH]; cbn [map measure fold_right]; [split; [lia|reflexivity]|].
  fold (measure l) (measure (map half l)). pose proof (far_half x) as [B E]. destruct IH as [C F]. split; [lia|].
  intro H. f_equal; [apply E|apply F]; lia.
Qed.
Lemma steady l : map half l = l -> forall n, get l n = 0 \/ get l n = -1.
Proof.
  intros E n. assert (H : half (get l n) = get l n) by (rewrite <- (get_map half l n) by reflexivity; now rewrite E).
  pose proof (halves (get l n)). destruct (low_bit (get l n)); lia.
Qed.

Lemma flagged_again watched : forall flags bits,
  flagged watched (flagged watched flags bits) bits = flagged watched flags bits.
Proof.
  induction watched as [|w watched IH]; intros [|f flags] [|b bits]; cbn [flagged]; auto. rewrite IH. f_equal.
  destruct f, w, (b =? 1); reflexivity.
Qed.
Lemma flagged_zero watched n : forall flags bits, nth n flags false = false -> get bits n = 0 ->
  nth n (flagged watched flags bits) false = false.
Proof.
  revert watched. unfold get.
  induction n as [|n IH]; intros [|w watched] [|f flags] [|b bits]; cbn [flagged nth]; try reflexivity; intros F B.
  - subst. cbn. apply andb_false_r.
  - now apply IH.
Qed.

(** What is known of a number for certain may be known of what the machine takes it for. *)
Definition weaker (x : nat -> Z) (y : nat -> Z) : Prop := forall n, (0 <= x n -> 0 <= y n) /\ (x n = 0 -> y n = 0).
Lemma indexed_ok r ps y : weaker (get (map (peval r) ps)) y -> forall f, feval r f = true -> feval y (indexed ps f) = true.
Proof.
  intro W.
  assert (P : forall p, (0 <= peval r p -> 0 <= y (place ps p)) /\ (peval r p = 0 -> y (place ps p) = 0)).
  { intro p. specialize (W (place ps p)). destruct W as [A B].
    assert (C : get (map (peval r) ps) (place ps p) = peval r p \/ get (map (peval r) ps) (place ps p) = 0).
    { clear. unfold get. induction ps as [|q ps IH]; [now right|]. cbn [place map].
      destruct (peqb p q) eqn:E; [apply peqb_eq in E; subst; now left|]. exact IH. }
    destruct C as [C|C]; rewrite C in *; auto. specialize (B eq_refl). rewrite B. split; intros; lia. }
  fix rec 1. destruct f as [p|p|l|l]; cbn [indexed feval]; intro H.
  - rewrite pvar_ok. destruct (P p) as [A _]. apply Z.leb_le. apply A. now apply Z.leb_le.
  - rewrite pvar_ok. destruct (P p) as [_ B]. apply Z.eqb_eq. apply B. now apply Z.eqb_eq.
  - induction l as [|f l IH]; cbn [map forallb] in *; auto. apply andb_true_iff in H. destruct H as [A B].
    rewrite (rec f A). now rewrite IH.
  - induction l as [|f l IH]; cbn [map existsb] in *; auto. apply orb_true_iff in H. apply orb_true_iff.
    destruct H as [A|A]; [left; now apply rec|right; now apply IH].
Qed.

Section Run.
  Variables (streams : list stream) (watched : list bool) (fs : list formula) (ps : list poly) (r : val).
  Let goal := FAnd (map (indexed ps) fs).
  Let letters := assignments (leaf_count streams).
  Let xs := map (peval r) ps.
  Hypothesis Holds : forallb (feval r) fs = true.

  Lemma goal_ok y : weaker (get xs) y -> feval y goal = true.
  Proof.
    intro W. apply (indexed_ok r ps y W (FAnd fs)). exact Holds.
  Qed.

  (** A state of the numbers [now], which come from [xs] by halving. *)
  Definition reached (now : list Z) (s : state) : Prop :=
    fits streams [] now /\ fst s = carries_of streams [] now
    /\ forall n, (get xs n = 0 -> nth n (snd s) false = false)
                 /\ (get xs n = 0 -> get now n = 0) /\ (0 <= get xs n -> 0 <= get now n).

  Lemma step_ok now s : reached now s ->
    fst (step streams watched s (letter_of streams now)) = map low now
    /\ reached (map half now) (snd (step streams watched s (letter_of streams now))).
  Proof.
    intros (F & C & N). destruct (go_ok streams [] now F) as [E G]. cbn [map app] in E, G. unfold step.
    rewrite (went_go streams (fst s) (letter_of streams now) [] : went _ _ _ [] O = _), C, E.
    cbn [fst snd]. repeat split; auto; cbn [fst snd]; destruct (N n) as (A & B & D).
    - intro Z. apply flagged_zero; auto. rewrite get_map by reflexivity. now rewrite (B Z).
    - intro Z. rewrite get_map by reflexivity. now rewrite (B Z).
    - intro Z. rewrite get_map by reflexivity. pose proof (halves (get now n)). destruct (low_bit (get now n)); specialize (D Z); lia.
  Qed.

  Lemma possible_ok now s : reached now s -> possible goal s = true.
  Proof.
    intros (_ & _ & N). apply goal_ok. intro n. destruct (N n) as (A & _). unfold maybe.
    destruct (nth n (snd s) false); split; intro H; try lia; now specialize (A H).
  Qed.

  Variable l : list state.
  Hypothesis Closed : closed streams watched goal letters l = true.

  Lemma closed_step now s : reached now s -> In s l ->
    In (snd (step streams watched s (letter_of streams now))) l
    /\ accepted goal s (step streams watched s (letter_of streams now)) = false.
  Proof.
    intros R I. pose proof (step_ok _ _ R) as [_ R']. unfold closed in Closed. rewrite forallb_forall in Closed.
    specialize (Closed s I). rewrite forallb_forall in Closed.
    specialize (Closed (letter_of streams now)). destruct R as (F & _). specialize (Closed (letter_in _ _ _ F)).
    cbv zeta in Closed. rewrite (possible_ok _ _ R') in Closed. cbn [negb orb] in Closed.
    apply andb_true_iff in Closed. destruct Closed as [M A]. apply mem_in in M. apply negb_true_iff in A. auto.
  Qed.

  Lemma never : forall (k : nat) now s, measure now <= Z.of_nat k -> reached now s -> In s l -> False.
  Proof.
    assert (Steady : forall now s, map half now = now -> reached now s -> In s l -> False).
    { intros now s E R I. destruct (step_ok _ _ R) as [B R1]. destruct (closed_step _ _ R I) as [I1 _].
      rewrite E in R1. set (t := snd (step streams watched s (letter_of streams now))) in *.
      destruct (step_ok _ _ R1) as [B1 R2]. destruct (closed_step _ _ R1 I1) as [_ A]. rewrite E in R2.
      assert (T1 : snd t = flagged watched (snd s) (map low now)) by (rewrite <- B; reflexivity).
      assert (T2 : snd (snd (step streams watched t (letter_of streams now))) = snd t).
      { change (snd (snd (step streams watched t (letter_of streams now))))
          with (flagged watched (snd t) (fst (step streams watched t (letter_of streams now)))).
        rewrite B1, T1. apply flagged_again. }
      assert (Same : snd (step streams watched t (letter_of streams now)) = t).
      { destruct R1 as (_ & C1 & _), R2 as (_ & C2 & _). apply injective_projections; [now rewrite C1, C2|exact T2]. }
      unfold accepted in A. rewrite Same in A.
      assert (S : same_state t t = true) by now apply same_state_eq. rewrite S, B1 in A. cbn [andb] in A.
      rewrite goal_ok in A; [discriminate|]. intro n. destruct R1 as (_ & _ & N). destruct (N n) as (X & Y & Z).
      unfold signed, maybe. rewrite get_map by reflexivity. pose proof (steady _ E n) as [G|G]; rewrite G in *.
      - change (low 0 =? 1) with false. cbn iota. destruct (nth n (snd t) false); split; intro H; try lia; now specialize (X H).
      - split; intro H; [specialize (Z H)|specialize (Y H)]; lia. }
    induction k as [|k IH]; intros now s M R I.
    - destruct (measure_half now) as [B E]. apply (Steady now s); auto. apply E. pose proof (measure_half (map half now)). lia.
    - destruct (step_ok _ _ R) as [_ R1]. destruct (closed_step _ _ R I) as [I1 _].
      destruct (measure_half now) as [B E]. destruct (Z.eq_dec (measure (map half now)) (measure now)) as [Q|Q].
      + apply (Steady now s); auto.
      + eapply IH; [|exact R1|exact I1]. lia.
  Qed.
End Run.

Section Sound.
  Variables (v : env) (T : table).
  Let r := valuation v T.
  Hypothesis G : good v T r.

  Lemma get_known known i p : nth_error known i = Some p -> get (map (peval r) known) i = peval r p.
  Proof. intro N. unfold get. apply nth_error_nth. now apply map_nth_error. Qed.

  Lemma sum_poly_ok known l c p : sum_poly known l c = Some p -> peval r p = c + weigh l (map (peval r) known).
  Proof.
    revert p. induction l as [|[k i] l IH]; cbn [sum_poly weigh]; intros p E.
    - injection E as <-. rewrite pconst_ok. lia.
    - destruct (nth_error known i) as [q|] eqn:N; [|discriminate]. destruct (sum_poly known l c); [|discriminate].
      injection E as <-. rewrite padd_ok, pscale_ok, (IH _ eq_refl), (get_known _ _ _ N). cbn [meval]. ring.
  Qed.

  Lemma land_minus x d : power_of_two d = true -> Z.land x (- d) = d * (x / d).
  Proof.
    unfold power_of_two. rewrite andb_true_iff, Z.ltb_lt, Z.eqb_eq. intros [P E].
    assert (L : 0 <= Z.log2 d) by apply Z.log2_nonneg.
    pose proof (land_power x (Z.log2 d) L) as H. rewrite E in H.
    assert (N : - d = Z.lnot (d - 1)) by (unfold Z.lnot; lia). rewrite N, <- Z.ldiff_land.
    rewrite Z.sub_1_r in *.
    pose proof (Z.add_nocarry_lxor (Z.ldiff x (Z.pred d)) (Z.land x (Z.pred d))) as A.
    assert (D : Z.land (Z.ldiff x (Z.pred d)) (Z.land x (Z.pred d)) = 0).
    { apply Z.bits_inj'. intros n _. rewrite !Z.land_spec, Z.ldiff_spec, Z.bits_0.
      destruct (Z.testbit x n), (Z.testbit (Z.pred d) n); reflexivity. }
    specialize (A D).
    assert (X : Z.lxor (Z.ldiff x (Z.pred d)) (Z.land x (Z.pred d)) = x).
    { apply Z.bits_inj'. intros n _. rewrite Z.lxor_spec, Z.land_spec, Z.ldiff_spec.
      destruct (Z.testbit x n), (Z.testbit (Z.pred d) n); reflexivity. }
    rewrite X in A. lia.
  Qed.

  Lemma land_scaled e x y : power_of_two e = true -> Z.land (e * x) (e * y) = e * Z.land x y.
  Proof.
    unfold power_of_two. rewrite andb_true_iff, Z.ltb_lt, Z.eqb_eq. intros [P E].
    pose proof (Z.log2_nonneg e) as L. rewrite <- E, !(Z.mul_comm (2 ^ Z.log2 e)), <- !Z.shiftl_mul_pow2 by auto.
    symmetry. apply Z.shiftl_land.
  Qed.

  Lemma polys_ok : forall l known ps, polys T known l = Some ps ->
    fits l (map (peval r) known) (map (peval r) ps) /\ carries_of l (map (peval r) known) (map (peval r) ps) = starts l.
  Proof.
    induction l as [|s l IH]; cbn [polys]; intros known ps E; [injection E as <-; cbn; auto|].
    destruct (stream_poly T known s) as [p|] eqn:S; [|discriminate].
    destruct (polys T (known ++ [p]) l) as [qs|] eqn:P; [|discriminate]. injection E as <-.
    destruct (IH _ _ P) as [F C]. rewrite map_app in F, C. cbn [map] in F, C. cbn [map fits carries_of starts].
    rewrite C. unfold starts. cbn [map].
    destruct s as [q|w c|n e i j|n e i j]; cbn [stream_poly] in S.
    - repeat split; auto.
    - split; [split; auto|]. f_equal. rewrite (sum_poly_ok _ _ _ _ S). lia.
    - destruct (nth_error T n) as [[|[] [|a [|b [|]]]|]|] eqn:N; try discriminate.
      destruct (nth_error known i) as [x|] eqn:X; [|discriminate]. destruct (nth_error known j) as [y|] eqn:Y; [|discriminate].
      destruct (peqb x _) eqn:A; [|discriminate]. destruct (peqb y _) eqn:B; [|discriminate]. cbn [andb] in S.
      destruct (power_of_two e) eqn:W; [|discriminate].
      apply Some_inj in S. apply peqb_eq in A, B. subst. repeat split; auto.
      rewrite (get_known _ _ _ X), (get_known _ _ _ Y), !pscale_ok, pvar_ok, (G _ _ N). cbn [aval map kval meval]. fold r.
      rewrite !Z.mul_1_r. symmetry. now apply land_scaled.
    - destruct (nth_error T n) as [[|[] [|a [|b [|]]]|]|] eqn:N; try discriminate.
      destruct (nth_error known i) as [x|] eqn:X; [|discriminate]. destruct (nth_error known j) as [y|] eqn:Y; [|discriminate].
      destruct (pconstant b) as [d|] eqn:D; [|discriminate].
      destruct (peqb x _) eqn:A; [|discriminate]. destruct (peqb y _) eqn:B; [|discriminate]. cbn [andb] in S.
      destruct (Z.ltb_spec 0 e) as [P0|]; [|discriminate].
      destruct (power_of_two (e * d)) eqn:W; [|discriminate].
      apply Some_inj in S. apply peqb_eq in A, B. subst. repeat split; auto.
      rewrite (get_known _ _ _ X), (get_known _ _ _ Y), !pscale_ok, pvar_ok, pconst_ok, (G _ _ N).
      cbn [aval map kval meval]. fold r. rewrite (pconstant_ok r _ _ D), land_minus by auto.
      assert (D0 : 0 < d) by (unfold power_of_two in W; apply andb_true_iff in W; destruct W as [W _]; apply Z.ltb_lt in W; nia).
      rewrite !Z.mul_1_r, Z.div_mul_cancel_l by lia. ring.
  Qed.

  Lemma refuted_ok l fs : refuted T l fs = true -> forallb (feval r) fs = true -> False.
  Proof.
    unfold refuted. destruct (polys T [] l) as [ps|] eqn:P; [|discriminate].
    destruct (_ && all_narrow l); [|discriminate]. cbv zeta. rewrite andb_true_iff. intros [M C] H. destruct (polys_ok _ _ _ P) as [F K]. cbn [map] in F, K. apply mem_in in M.
    eapply (never l _ fs ps r H _ C (Z.to_nat (measure (map (peval r) ps))) (map (peval r) ps)); [|split; [exact F|]|exact M].
    - pose proof (measure_half (map (peval r) ps)). lia.
    - cbn [fst snd]. split; [now rewrite K|]. intro n. repeat split; auto. intros _.
      clear. revert n. induction l; intros [|n]; cbn [map nth]; auto.
  Qed.
End Sound.
