(** Questions under [fits]: the steps of a claim that may go wrong, in the order of evaluation, and the proof that this
    list decides what evaluation within a range ends with. *)

From Coq Require Import ZArith List Bool Lia.
From Verified Require Import Meaning Poly Reading Axioms.
Import ListNotations.
Open Scope Z_scope.

(** What may go wrong, in order: ([true], it has a value) or ([false], it is within the range). *)
Definition hazards := list (bool * bexpr).
Definition under (c : bexpr) (l : hazards) : hazards := map (fun s => (fst s, BOr c (snd s))) l.
Definition inside (d : dtype) (e : iexpr) : hazards :=
  [(false, BCmp CGe e (INum (low d))); (false, BCmp CLe e (INum (high d)))].
Definition own_hazards (d : dtype) (e : iexpr) (o : op) (b : iexpr) : hazards :=
  match o with
  | FloorDiv | TruncDiv => (true, BCmp CNe b (INum 0)) :: inside d e
  | FloorMod | TruncMod => [(true, BCmp CNe b (INum 0))]
  | Shl | Shr => (true, BCmp CGe b (INum 0)) :: inside d e
  | Min | Max => []
  | _ => inside d e
  end.

Fixpoint ihaz (d : dtype) (e : iexpr) : hazards :=
  match e with
  | INum z => if within d z then [] else [(false, BConst false)]
  | ISym _ => []
  | IBin o a b => ihaz d a ++ ihaz d b ++ own_hazards d e o b
  | IAbs a | INot a | IWrap _ a => ihaz d a ++ inside d e
  | IIf c a b => bhaz d c ++ under (BNot c) (ihaz d a) ++ under c (ihaz d b)
  end
with bhaz (d : dtype) (e : bexpr) : hazards :=
  match e with
  | BConst _ | BSym _ => []
  | BNot a => bhaz d a
  | BAnd a b | BImp a b => bhaz d a ++ under (BNot a) (bhaz d b)
  | BOr a b => bhaz d a ++ under a (bhaz d b)
  | BIff a b => bhaz d a ++ bhaz d b
  | BIf c a b => bhaz d c ++ under (BNot c) (bhaz d a) ++ under c (bhaz d b)
  | BCmp _ a b => ihaz d a ++ ihaz d b
  end.

Inductive walked := Done | Stuck (undefined : bool) | Lost.
Fixpoint walk (v : env) (l : hazards) : walked :=
  match l with
  | [] => Done
  | (k, s) :: l' => match bopt v s with Some true => walk v l' | Some false => Stuck k | None => Lost end
  end.

Lemma walk_app v l m : walk v (l ++ m) = match walk v l with Done => walk v m | w => w end.
Proof. induction l as [|[k s] l IH]; cbn [walk app]; auto. destruct (bopt v s) as [[]|]; auto. Qed.
Lemma walk_under v c t l : bopt v c = Some t -> walk v (under c l) = if t then Done else walk v l.
Proof.
  intro E. induction l as [|[k s] l IH]; cbn [walk under map fst snd]; [now destruct t|].
  cbn [bopt]. rewrite E. cbn [bindo]. destruct t; auto. destruct (bopt v s) as [[]|]; auto.
Qed.
Lemma walk_inside d v e x : iopt v e = Some x -> walk v (inside d e) = if within d x then Done else Stuck false.
Proof.
  intro E. unfold inside, within. cbn [walk bopt iopt]. rewrite E. cbn [bindo compare].
  destruct (low d <=? x), (x <=? high d); reflexivity.
Qed.

Section Fits.
  Variables (d : dtype) (v : env).
  Hypothesis Zero : low d <= 0 /\ 1 <= high d.
  Hypothesis Env : forall k, within d (ints v k) = true.

  Definition stuck {A} (x : outcome A) : walked := match x with Val _ => Done | NoValue => Stuck true | Outside => Stuck false end.

  Lemma bin_within o x y z : within d x = true -> within d y = true -> bin o x y = Some z ->
    match o with FloorMod | TruncMod | Min | Max => within d z = true | _ => True end.
  Proof.
    unfold within. intros X Y E. destruct o; cbn [bin] in E; auto.
    - destruct (Z.eqb_spec y 0); [discriminate|]. inv E.
      pose proof (Z.mod_pos_bound x y). pose proof (Z.mod_neg_bound x y). lia.
    - destruct (Z.eqb_spec y 0); [discriminate|]. inv E. destruct (quot_all x y) as (_ & _ & P & N); auto.
      pose proof (Z.rem_abs x y). pose proof (Z.rem_le (Z.abs x) (Z.abs y)). lia.
    - inv E. lia.
    - inv E. lia.
  Qed.

  Ltac ended := split; [auto|discriminate].
  Ltac step_inside e x E :=
    fold e; rewrite (walk_inside d v e _ E); unfold ranged;
    destruct (within d x) eqn:?; split; auto; intros ? F; try discriminate; injection F as <-; auto.

  Lemma go_ok :
    (forall e, walk v (ihaz d e) = stuck (ieval (Some d) v e) /\
               forall x, ieval (Some d) v e = Val x -> iopt v e = Some x /\ within d x = true) /\
    (forall e, walk v (bhaz d e) = stuck (beval (Some d) v e) /\
               forall t, beval (Some d) v e = Val t -> bopt v e = Some t).
  Proof.
    apply expr_ind; cbn [ieval beval].
    - intro n. cbn [ihaz]. unfold ranged. destruct (within d n) eqn:W; split; auto; intros x E; try discriminate.
      injection E as <-. auto.
    - intro s. cbn [ihaz]. unfold ranged. rewrite Env. split; [reflexivity || auto|]; intros x E; injection E as <-; auto.
    - intros o a [A1 A2] b [B1 B2]. set (e := IBin o a b). cbn [ihaz e]. rewrite !walk_app, A1, B1.
      destruct (ieval (Some d) v a) as [x| |]; [|ended|ended]. destruct (A2 _ eq_refl) as [A3 A4].
      destruct (ieval (Some d) v b) as [y| |]; [|ended|ended]. destruct (B2 _ eq_refl) as [B3 B4].
      cbn [andthen stuck]. fold e.
      assert (E : iopt v e = bin o x y) by (cbn [e iopt]; now rewrite A3, B3).
      pose proof (bin_within o x y) as R.
      assert (NZ : bopt v (BCmp CNe b (INum 0)) = Some (negb (y =? 0))) by (cbn [bopt iopt]; rewrite B3; reflexivity).
      assert (GZ : bopt v (BCmp CGe b (INum 0)) = Some (0 <=? y)) by (cbn [bopt iopt]; rewrite B3; reflexivity).
      destruct (bin o x y) as [z|] eqn:D.
      + specialize (R z A4 B4 eq_refl). unfold ranged. split.
        * destruct o; cbn [own_hazards walk]; rewrite ?NZ, ?GZ; cbn [bin] in D;
          try (destruct (Z.eqb_spec y 0); [discriminate|]); try (destruct (Z.ltb_spec y 0); [discriminate|]);
          cbn [negb]; try (replace (0 <=? y) with true by lia);
          rewrite ?(walk_inside d v e z E); rewrite ?R; try (destruct (within d z)); reflexivity.
        * intros w. destruct (within d z) eqn:W; [|discriminate]. intro F; injection F as <-. auto.
      + split; [|discriminate].
        destruct o; cbn [own_hazards walk]; rewrite ?NZ, ?GZ; cbn [bin] in D; try discriminate D;
          try (destruct (Z.eqb_spec y 0); [|discriminate]); try (destruct (Z.ltb_spec y 0); [|discriminate]);
          cbn [negb]; try (replace (0 <=? y) with false by lia); reflexivity.
    - intros a [A1 A2]. set (e := IAbs a). cbn [ihaz e]. rewrite walk_app, A1.
      destruct (ieval (Some d) v a) as [x| |]; [|ended|ended]. destruct (A2 _ eq_refl) as [A3 A4].
      cbn [andthen stuck]. assert (E : iopt v e = Some (Z.abs x)) by (cbn [e iopt]; now rewrite A3).
      step_inside e (Z.abs x) E.
    - intros a [A1 A2]. set (e := INot a). cbn [ihaz e]. rewrite walk_app, A1.
      destruct (ieval (Some d) v a) as [x| |]; [|ended|ended]. destruct (A2 _ eq_refl) as [A3 A4].
      cbn [andthen stuck]. assert (E : iopt v e = Some (- x - 1)) by (cbn [e iopt]; now rewrite A3).
      step_inside e (- x - 1) E.
    - intros c [C1 C2] a [A1 A2] b [B1 B2].
      cbn [ihaz iopt]. rewrite !walk_app, C1. destruct (beval (Some d) v c) as [t| |]; [|ended|ended].
      specialize (C2 _ eq_refl). cbn [andthen stuck].
      assert (N : bopt v (BNot c) = Some (negb t)) by (cbn [bopt]; now rewrite C2).
      rewrite (walk_under v _ _ _ N), (walk_under v _ _ _ C2), C2. cbn [bindo].
      destruct t; cbn [negb]; auto. rewrite A1. split; [destruct (ieval (Some d) v a); auto|auto].
    - intros w a [A1 A2]. set (e := IWrap w a). cbn [ihaz e]. rewrite walk_app, A1.
      destruct (ieval (Some d) v a) as [x| |]; [|ended|ended]. destruct (A2 _ eq_refl) as [A3 A4].
      cbn [andthen stuck]. assert (E : iopt v e = Some (wrap w x)) by (cbn [e iopt]; now rewrite A3).
      step_inside e (wrap w x) E.
    - intro t. split; [reflexivity || auto|]; intros x E; injection E as <-; auto.
    - intro s. split; [reflexivity || auto|]; intros x E; injection E as <-; auto.
    - intros a [A1 A2]. cbn [bhaz bopt]. rewrite A1. destruct (beval (Some d) v a) as [t| |]; [|ended|ended].
      rewrite (A2 _ eq_refl). split; [reflexivity || auto|]; intros x E; injection E as <-; auto.
    - intros a [A1 A2] b [B1 B2]. cbn [bhaz bopt]. rewrite walk_app, A1.
      destruct (beval (Some d) v a) as [t| |]; [|ended|ended]. specialize (A2 _ eq_refl). cbn [andthen stuck].
      assert (N : bopt v (BNot a) = Some (negb t)) by (cbn [bopt]; now rewrite A2).
      rewrite (walk_under v _ _ _ N), A2. cbn [bindo]. destruct t; cbn [negb]; auto. split; [reflexivity || auto|]; intros x E; injection E as <-; auto.
    - intros a [A1 A2] b [B1 B2]. cbn [bhaz bopt]. rewrite walk_app, A1.
      destruct (beval (Some d) v a) as [t| |]; [|ended|ended]. specialize (A2 _ eq_refl). cbn [andthen stuck].
      rewrite (walk_under v _ _ _ A2), A2. cbn [bindo]. destruct t; auto. split; [reflexivity || auto|]; intros x E; injection E as <-; auto.
    - intros a [A1 A2] b [B1 B2]. cbn [bhaz bopt]. rewrite walk_app, A1.
      destruct (beval (Some d) v a) as [t| |]; [|ended|ended]. specialize (A2 _ eq_refl). cbn [andthen stuck].
      assert (N : bopt v (BNot a) = Some (negb t)) by (cbn [bopt]; now rewrite A2).
      rewrite (walk_under v _ _ _ N), A2. cbn [bindo]. destruct t; cbn [negb]; auto. split; [reflexivity || auto|]; intros x E; injection E as <-; auto.
    - intros a [A1 A2] b [B1 B2]. cbn [bhaz bopt]. rewrite walk_app, A1.
      destruct (beval (Some d) v a) as [x| |]; [|ended|ended]. rewrite (A2 _ eq_refl). cbn [andthen stuck]. rewrite B1.
      destruct (beval (Some d) v b) as [y| |]; [|ended|ended]. rewrite (B2 _ eq_refl).
      split; [reflexivity || auto|]; intros w E; injection E as <-; auto.
    - intros c [C1 C2] a [A1 A2] b [B1 B2].
      cbn [bhaz bopt]. rewrite !walk_app, C1. destruct (beval (Some d) v c) as [t| |]; [|ended|ended].
      specialize (C2 _ eq_refl). cbn [andthen stuck].
      assert (N : bopt v (BNot c) = Some (negb t)) by (cbn [bopt]; now rewrite C2).
      rewrite (walk_under v _ _ _ N), (walk_under v _ _ _ C2), C2. cbn [bindo].
      destruct t; cbn [negb]; auto. rewrite A1. split; [destruct (beval (Some d) v a); auto|auto].
    - intros o a [A1 A2] b [B1 B2]. cbn [bhaz bopt]. rewrite walk_app, A1.
      destruct (ieval (Some d) v a) as [x| |]; [|ended|ended]. destruct (A2 _ eq_refl) as [A3 _]. cbn [andthen stuck]. rewrite B1.
      destruct (ieval (Some d) v b) as [y| |]; [|ended|ended]. destruct (B2 _ eq_refl) as [B3 _].
      rewrite A3, B3. split; [reflexivity || auto|]; intros w E; injection E as <-; auto.
  Qed.
End Fits.

(** * Hazards that are there once *)

Definition op_dec (x y : op) : {x = y} + {x <> y}. Proof. decide equality. Defined.
Definition cmp_dec (x y : cmp) : {x = y} + {x <> y}. Proof. decide equality. Defined.
Definition dtype_dec (x y : dtype) : {x = y} + {x <> y}. Proof. decide equality; [apply Z.eq_dec|apply bool_dec]. Defined.
Fixpoint isame (x y : iexpr) : bool :=
  match x, y with
  | INum m, INum n => m =? n
  | ISym s, ISym t => Nat.eqb s t
  | IBin o a b, IBin o' a' b' => (if op_dec o o' then true else false) && isame a a' && isame b b'
  | IAbs a, IAbs a' | INot a, INot a' => isame a a'
  | IIf c a b, IIf c' a' b' => bsame c c' && isame a a' && isame b b'
  | IWrap d a, IWrap d' a' => (if dtype_dec d d' then true else false) && isame a a'
  | _, _ => false
  end
with bsame (x y : bexpr) : bool :=
  match x, y with
  | BConst s, BConst t => Bool.eqb s t
  | BSym s, BSym t => Nat.eqb s t
  | BNot a, BNot a' => bsame a a'
  | BAnd a b, BAnd a' b' | BOr a b, BOr a' b' | BImp a b, BImp a' b' | BIff a b, BIff a' b' => bsame a a' && bsame b b'
  | BCmp o a b, BCmp o' a' b' => (if cmp_dec o o' then true else false) && isame a a' && isame b b'
  | BIf c a b, BIf c' a' b' => bsame c c' && bsame a a' && bsame b b'
  | _, _ => false
  end.

Lemma same_ok : (forall x y, isame x y = true -> x = y) /\ (forall x y, bsame x y = true -> x = y).
Proof.
  apply expr_ind; intros; match goal with H : _ ?x ?y = true |- _ => destruct y; try discriminate H; cbn [isame bsame] in H end;
    repeat match goal with
    | H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H
    | H : (if ?d then true else false) = true |- _ => destruct d; [clear H; subst|discriminate H]
    | H : Bool.eqb _ _ = true |- _ => apply eqb_prop in H; subst
    | H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H; subst
    | H : (_ =? _) = true |- _ => apply Z.eqb_eq in H; subst
    | IH : forall y, _ -> ?a = y, H : _ ?a _ = true |- _ => apply IH in H; subst
    end; reflexivity.
Qed.

Fixpoint distinct (seen : list bexpr) (l : hazards) : hazards :=
  match l with
  | [] => []
  | (k, s) :: l' => if existsb (bsame s) seen then distinct seen l' else (k, s) :: distinct (s :: seen) l'
  end.

Lemma distinct_ok v l : forall seen, Forall (fun s => bopt v s = Some true) seen -> walk v (distinct seen l) = walk v l.
Proof.
  induction l as [|[k s] l IH]; intros seen F; cbn [distinct walk]; auto.
  destruct (existsb (bsame s) seen) eqn:E.
  - rewrite existsb_exists in E. destruct E as (t & I & E). apply (proj2 same_ok) in E; subst t.
    rewrite Forall_forall in F. rewrite (F s I). apply IH. now apply Forall_forall.
  - cbn [walk]. destruct (bopt v s) as [[]|] eqn:B; auto.
Qed.

Fixpoint refuting (T : table) (require : bool) (base : formula) (l : hazards) : res formula :=
  match l with
  | [] => Ok base
  | (k, s) :: l' =>
      let* rest := refuting T require base l' in
      let* holds := truth T s true in
      let both_ := match holds with FAnd [] => rest | _ => both [holds; rest] end in
      if require || negb k then let* fails := truth T s false in Ok (some [fails; both_]) else Ok both_
  end.

Lemma refuting_ok v T r : good v T r -> forall require base l f, refuting T require base l = Ok f ->
  (walk v l = Done -> feval r base = true -> feval r f = true) /\
  (forall k, walk v l = Stuck k -> require || negb k = true -> feval r f = true).
Proof.
  intros G require base. induction l as [|[k s] l IH]; cbn [refuting walk]; intros f H.
  - inv H. split; auto. discriminate.
  - destruct (refuting T require base l) as [rest|] eqn:R; cbn [bind] in H; try discriminate.
    destruct (truth T s true) as [holds|] eqn:H1; cbn [bind] in H; try discriminate. cbv zeta in H.
    destruct (IH _ eq_refl) as [IH1 IH2].
    set (b := match holds with FAnd [] => rest | _ => both [holds; rest] end) in *.
    assert (Bo : feval r b = feval r holds && feval r rest).
    { subst b. destruct holds as [| |[|]|]; rewrite ?both_ok; cbn [forallb]; rewrite ?andb_true_r; reflexivity. }
    assert (Yes : bopt v s = Some true -> feval r f = true \/ feval r rest = false).
    { intro B. pose proof (truth_ok v T r G _ _ _ H1 _ B) as E. destruct (feval r rest) eqn:X; auto. left.
      rewrite E in Bo. destruct (require || negb k); okay; [|exact Bo]. rewrite some_ok. cbn [existsb]. rewrite Bo. cbn. apply orb_true_r. }
    split.
    + destruct (bopt v s) as [[]|] eqn:B; try discriminate. intros W F. specialize (IH1 W F).
      destruct (Yes eq_refl); congruence.
    + intros k'. destruct (bopt v s) as [[]|] eqn:B; try discriminate.
      * intros W F. specialize (IH2 _ W F). destruct (Yes eq_refl); congruence.
      * intros W F. injection W as <-. rewrite F in H. okay. rewrite some_ok. cbn [existsb].
        now rewrite (truth_ok v T r G _ _ _ Heqr0 _ B).
Qed.

