(** Evidence by points: bounds that leave few values to each symbol, all of which are looked at.

    Nothing is believed: the bounds are read off the assumptions here, and a value that would be too large to work out
    refuses the certificate. *)

From Coq Require Import ZArith List Bool Lia.
From Verified Require Import Meaning Poly Reading.
Import ListNotations.
Open Scope Z_scope.

(** * Evaluation that gives up ([None]) on large values *)

Definition max_shift : Z := 4096.
Definition max_bits : Z := 65536.
Definition max_points : Z := 500000.
Definition max_work : Z := 20000000.

Definition thent {A B} (x : option (outcome A)) (f : A -> option (outcome B)) : option (outcome B) :=
  match x with
  | Some (Val a) => f a
  | Some NoValue => Some NoValue
  | Some Outside => Some Outside
  | None => None
  end.

Definition kept (x : outcome Z) : option (outcome Z) :=
  match x with Val z => if Z.log2 (Z.abs z) <? max_bits then Some x else None | _ => Some x end.

(** [bin], where a shift of 0 works out no power. *)
Definition shifted (o : op) (x y : Z) : option (option Z) :=
  match o with
  | Shl | Shr => if y <? 0 then Some None else if x =? 0 then Some (Some 0) else if max_shift <? y then None else Some (bin o x y)
  | _ => Some (bin o x y)
  end.

Fixpoint itry (fits : option dtype) (v : env) (e : iexpr) : option (outcome Z) :=
  match e with
  | INum z => kept (ranged fits z)
  | ISym k => kept (ranged fits (ints v k))
  | IBin o a b =>
      thent (itry fits v a) (fun x => thent (itry fits v b) (fun y =>
      match shifted o x y with
      | Some (Some z) => kept (ranged fits z)
      | Some None => Some NoValue
      | None => None
      end))
  | IAbs a => thent (itry fits v a) (fun x => kept (ranged fits (Z.abs x)))
  | INot a => thent (itry fits v a) (fun x => kept (ranged fits (- x - 1)))
  | IIf c a b => thent (btry fits v c) (fun t => if t : bool then itry fits v a else itry fits v b)
  | IWrap d a => thent (itry fits v a) (fun x => kept (ranged fits (wrap d x)))
  end
with btry (fits : option dtype) (v : env) (e : bexpr) : option (outcome bool) :=
  match e with
  | BConst t => Some (Val t)
  | BSym k => Some (Val (bools v k))
  | BNot a => thent (btry fits v a) (fun t => Some (Val (negb t)))
  | BAnd a b => thent (btry fits v a) (fun t => if t : bool then btry fits v b else Some (Val false))
  | BOr a b => thent (btry fits v a) (fun t => if t : bool then Some (Val true) else btry fits v b)
  | BImp a b => thent (btry fits v a) (fun t => if t : bool then btry fits v b else Some (Val true))
  | BIff a b => thent (btry fits v a) (fun x => thent (btry fits v b) (fun y => Some (Val (Bool.eqb x y))))
  | BIf c a b => thent (btry fits v c) (fun t => if t : bool then btry fits v a else btry fits v b)
  | BCmp o a b => thent (itry fits v a) (fun x => thent (itry fits v b) (fun y => Some (Val (compare o x y))))
  end.

Lemma kept_ok x o : kept x = Some o -> o = x.
Proof. unfold kept. destruct x; [destruct (_ <? _)|..]; congruence. Qed.
Lemma shifted_ok o x y z : shifted o x y = Some z -> bin o x y = z.
Proof.
  destruct o; cbn [shifted bin]; try congruence.
  all: destruct (y <? 0); [congruence|]; destruct (Z.eqb_spec x 0) as [->|]; [|destruct (_ <? _); congruence].
  - rewrite Z.mul_0_l. congruence.
  - rewrite Zdiv_0_l. congruence.
Qed.

Lemma thent_ok {A B} (x : option (outcome A)) (y : outcome A) (f : A -> option (outcome B)) g o :
  (forall p, x = Some p -> p = y) -> (forall a p, f a = Some p -> p = g a) -> thent x f = Some o -> o = andthen y g.
Proof.
  intros X F. destruct x as [p|]; [|discriminate]. rewrite <- (X _ eq_refl). destruct p; cbn [thent andthen]; try congruence. apply F.
Qed.

Lemma try_ok fits v :
  (forall e o, itry fits v e = Some o -> o = ieval fits v e) /\ (forall e o, btry fits v e = Some o -> o = beval fits v e).
Proof.
  apply expr_ind; cbn [itry btry ieval beval]; intros; try (injection H as <-; reflexivity); try (now apply kept_ok).
  - revert H1. apply thent_ok; auto. intros x p. apply thent_ok; auto. intros y p'. intro K.
    destruct (shifted o x y) as [z|] eqn:S; [|discriminate]. apply shifted_ok in S. rewrite S.
    destruct z; [now apply kept_ok|congruence].
  - revert H0. apply thent_ok; auto. intros x p. apply kept_ok.
  - revert H0. apply thent_ok; auto. intros x p. apply kept_ok.
  - revert H2. apply thent_ok; auto. intros [] p; auto.
  - revert H0. apply thent_ok; auto. intros x p. apply kept_ok.
  - revert H0. apply thent_ok; auto. intros; congruence.
  - revert H1. apply thent_ok; auto. intros [] p; auto; congruence.
  - revert H1. apply thent_ok; auto. intros [] p; auto; congruence.
  - revert H1. apply thent_ok; auto. intros [] p; auto; congruence.
  - revert H1. apply thent_ok; auto. intros x p. apply thent_ok; auto. intros; congruence.
  - revert H2. apply thent_ok; auto. intros [] p; auto.
  - revert H1. apply thent_ok; auto. intros x p. apply thent_ok; auto. intros; congruence.
Qed.

(** * One point *)

Fixpoint hold (v : env) (l : list bexpr) : option bool :=
  match l with
  | [] => Some true
  | a :: l' =>
      match btry None v a with Some (Val true) => hold v l' | Some _ => Some false | None => None end
  end.

Definition point_ok (q : question) (v : env) : bool :=
  match hold v (assumptions q) with
  | None => false
  | Some false => true
  | Some true =>
      match btry (fits q) v (claim q) with
      | Some (Val t) => t
      | Some NoValue => negb (require q)
      | _ => false
      end
  end.

Definition holds_at (q : question) (v : env) : Prop :=
  match beval (fits q) v (claim q) with Val t => t = true | NoValue => require q = false | Outside => False end.

Lemma hold_ok v l : Forall (fun a => beval None v a = Val true) l -> hold v l = Some true \/ hold v l = None.
Proof.
  induction 1 as [|a l A _ IH]; cbn [hold]; auto. destruct (btry None v a) as [o|] eqn:B; auto.
  apply (proj2 (try_ok None v)) in B. rewrite A in B. subst o. auto.
Qed.
Lemma point_right q v : point_ok q v = true -> Forall (fun a => beval None v a = Val true) (assumptions q) -> holds_at q v.
Proof.
  unfold point_ok, holds_at. intros P A. destruct (hold_ok v _ A) as [H|H]; rewrite H in P; [|discriminate].
  destruct (btry (fits q) v (claim q)) as [o|] eqn:B; [|discriminate]. apply (proj2 (try_ok _ v)) in B. subst o.
  destruct (beval _ _ _); auto; [|discriminate]. now destruct (require q).
Qed.

(** * Bounds *)

Definition span := (option Z * option Z)%type.
Definition in_span (s : span) (x : Z) : Prop :=
  match fst s with Some l => l <= x | None => True end /\ match snd s with Some h => x <= h | None => True end.
Definition at_least (z : Z) (s : span) : span := (Some (match fst s with Some l => Z.max l z | None => z end), snd s).
Definition at_most (z : Z) (s : span) : span := (fst s, Some (match snd s with Some h => Z.min h z | None => z end)).
Definition tightened (o : cmp) (z : Z) (s : span) : span :=
  match o with
  | CGe => at_least z s | CGt => at_least (z + 1) s | CLe => at_most z s | CLt => at_most (z - 1) s
  | CEq => at_least z (at_most z s) | CNe => s
  end.
Definition mirrored (o : cmp) : cmp := match o with CLt => CGt | CGt => CLt | CLe => CGe | CGe => CLe | o => o end.

(** What an assumption says of the symbol [k]: comparisons with constants, under [and]. *)
Fixpoint bounded (k : nat) (a : bexpr) (s : span) : span :=
  match a with
  | BAnd a b => bounded k a (bounded k b s)
  | BCmp o (ISym j) (INum z) => if Nat.eqb j k then tightened o z s else s
  | BCmp o (INum z) (ISym j) => if Nat.eqb j k then tightened (mirrored o) z s else s
  | _ => s
  end.

Lemma tightened_ok o z s x : compare o x z = true -> in_span s x -> in_span (tightened o z s) x.
Proof.
  unfold in_span. destruct s as [[l|] [h|]], o; cbn -[Z.max Z.min Z.add Z.sub]; intros E [L H]; split; try lia; auto.
Qed.
Lemma bounded_ok k v a : forall s, beval None v a = Val true -> in_span s (ints v k) -> in_span (bounded k a s) (ints v k).
Proof.
  induction a; intros s E I; cbn [bounded]; auto.
  - cbn [beval] in E. destruct (beval None v a1) as [[|]| |]; try discriminate E. cbn [andthen] in E. auto.
  - destruct a, b; auto.
    + destruct (Nat.eqb_spec k0 k) as [->|]; auto. apply tightened_ok; auto. cbn [beval ieval ranged andthen] in E.
      injection E as E. destruct o; cbn [compare mirrored] in *; lia.
    + destruct (Nat.eqb_spec k0 k) as [->|]; auto. apply tightened_ok; auto. cbn [beval ieval ranged andthen] in E. congruence.
Qed.

Definition first_span (fits : option dtype) : span :=
  match fits with Some d => (Some (low d), Some (high d)) | None => (None, None) end.
Definition span_of (q : question) (k : nat) : span := fold_right (bounded k) (first_span (fits q)) (assumptions q).

(** * All points *)

(** Symbol by symbol: the least value and how many there are; [None] without bounds. *)
Definition values_of (q : question) (k : nat) (truth : bool) : option (Z * Z) :=
  if truth then Some (0, 2) else match span_of q k with (Some l, Some h) => Some (l, Z.max 0 (h - l + 1)) | _ => None end.
Fixpoint box (q : question) (k : nat) (l : list bool) : option (list (Z * Z)) :=
  match l with
  | [] => Some []
  | t :: l' => match values_of q k t, box q (S k) l' with Some x, Some xs => Some (x :: xs) | _, _ => None end
  end.

Fixpoint upto (n : nat) (z : Z) (f : Z -> bool) : bool :=
  match n with O => true | S n' => f z && upto n' (z + 1) f end.
Fixpoint everywhere (b : list (Z * Z)) (f : list Z -> bool) : bool :=
  match b with [] => f [] | (l, n) :: b' => upto (Z.to_nat n) l (fun x => everywhere b' (fun xs => f (x :: xs))) end.

Definition env_of (xs : list Z) : env := {| ints := fun k => nth k xs 0; bools := fun k => negb (nth k xs 0 =? 0) |}.

Fixpoint inodes (e : iexpr) : Z :=
  match e with
  | INum _ | ISym _ => 1
  | IBin _ a b => 1 + inodes a + inodes b
  | IAbs a | INot a | IWrap _ a => 1 + inodes a
  | IIf c a b => 1 + bnodes c + inodes a + inodes b
  end
with bnodes (e : bexpr) : Z :=
  match e with
  | BConst _ | BSym _ => 1
  | BNot a => 1 + bnodes a
  | BAnd a b | BOr a b | BImp a b | BIff a b => 1 + bnodes a + bnodes b
  | BIf c a b => 1 + bnodes c + bnodes a + bnodes b
  | BCmp _ a b => 1 + inodes a + inodes b
  end.

Definition affordable (q : question) (b : list (Z * Z)) : bool :=
  let points := fold_right (fun x n => Z.max 1 (snd x) * n) 1 b in
  let nodes := fold_right (fun a n => bnodes a + n) (bnodes (claim q)) (assumptions q) in
  (points <=? max_points) && (points * nodes <=? max_work).

Definition check_points (q : question) : bool :=
  scoped q &&
  match box q 0 (symbols q) with
  | Some b => affordable q b && everywhere b (fun xs => point_ok q (env_of xs))
  | None => false
  end.

(** * What is accepted is true *)

(** Environments that agree on the declared symbols give the same values. *)
Definition agree (s : list bool) (v w : env) : Prop := forall k t, nth_error s k = Some t ->
  if t : bool then bools v k = bools w k else ints v k = ints w k.

Lemma agree_ok s fits v w : agree s v w ->
  (forall e, iscoped s e = true -> ieval fits v e = ieval fits w e) /\
  (forall e, bscoped s e = true -> beval fits v e = beval fits w e).
Proof.
  intro A. apply expr_ind; cbn [iscoped bscoped ieval beval]; intros; auto;
    repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end;
    repeat match goal with IH : ?x = true -> _, H : ?x = true |- _ => rewrite (IH H); clear IH end; auto.
  - specialize (A k). destruct (nth_error s k) as [[|]|]; try discriminate. now rewrite (A false eq_refl).
  - specialize (A k). destruct (nth_error s k) as [[|]|]; try discriminate. now rewrite (A true eq_refl).
Qed.

Lemma upto_ok n : forall z f x, upto n z f = true -> z <= x < z + Z.of_nat n -> f x = true.
Proof.
  induction n as [|n IH]; intros z f x; cbn [upto]; [lia|]. rewrite andb_true_iff. intros [F U] I.
  destruct (Z.eq_dec x z) as [->|]; auto. apply (IH (z + 1)); auto. lia.
Qed.

Definition inside_box (b : list (Z * Z)) (xs : list Z) : Prop := Forall2 (fun x y => fst x <= y < fst x + snd x) b xs.

Lemma everywhere_ok b : forall f xs, everywhere b f = true -> inside_box b xs -> f xs = true.
Proof.
  induction b as [|[l n] b IH]; intros f xs E I; inversion I; subst; cbn [everywhere fst snd] in *; auto.
  apply upto_ok with (x := y) in E; [|lia]. apply (IH (fun xs => f (y :: xs))); auto.
Qed.

Definition coded (v : env) (k : nat) (t : bool) : Z := if t then if bools v k then 1 else 0 else ints v k.
Fixpoint codes (v : env) (k : nat) (s : list bool) : list Z :=
  match s with [] => [] | t :: s' => coded v k t :: codes v (S k) s' end.

Lemma codes_nth v s : forall j k t, nth_error s k = Some t -> nth k (codes v j s) 0 = coded v (j + k) t.
Proof.
  induction s as [|t s IH]; intros j [|k] u; cbn [nth_error codes nth]; try discriminate.
  - intro E; injection E as <-. now rewrite Nat.add_0_r.
  - intro E. rewrite (IH _ _ _ E). f_equal. lia.
Qed.

Theorem check_points_sound q : check_points q = true -> claimed q.
Proof.
  unfold check_points. destruct (box q 0 (symbols q)) as [b|] eqn:B; [|rewrite andb_false_r; discriminate].
  rewrite !andb_true_iff. intros [Sc [_ Ev]] v Env A.
  set (xs := codes v 0 (symbols q)). set (w := env_of xs).
  assert (Ag : agree (symbols q) v w).
  { intros k t N. unfold w, env_of, xs. pose proof (codes_nth v _ 0%nat _ _ N) as C. cbn [Nat.add] in C.
    unfold coded in C. destruct t; cbn [bools ints]; rewrite C; [now destruct (bools v k)|reflexivity]. }
  unfold scoped in Sc. cbn [forallb] in Sc. apply andb_true_iff in Sc. destruct Sc as [S1 S2].
  assert (In : inside_box b xs).
  { assert (Span : forall k, in_span (span_of q k) (ints v k)).
    { intro k. unfold span_of. clear - A Env. induction A as [|a l Ha A IH]; cbn [fold_right].
      - unfold first_span, in_span. destruct (fits q) as [d|] eqn:F; cbn; auto.
        specialize (Env d k eq_refl). unfold within in Env. lia.
      - now apply bounded_ok. }
    clear Ev. unfold xs. clear xs w Ag S1 S2. revert b B. generalize 0%nat. induction (symbols q) as [|t s IH]; cbn [box codes]; intros k b B.
    - injection B as <-. constructor.
    - destruct (values_of q k t) as [x|] eqn:V; [|discriminate]. destruct (box q (S k) s) as [b'|] eqn:B'; [|discriminate].
      injection B as <-. constructor; [|now apply IH]. unfold values_of in V. unfold coded. destruct t.
      + injection V as <-. cbn [fst snd]. destruct (bools v k); lia.
      + specialize (Span k). unfold in_span in Span. destruct (span_of q k) as [[l|] [h|]]; try discriminate.
        injection V as <-. cbn [fst snd] in *. lia. }
  pose proof (everywhere_ok _ _ _ Ev In) as P. cbv beta in P. fold w in P.
  assert (Aw : Forall (fun a => beval None w a = Val true) (assumptions q)).
  { clear - A Ag S2. induction A as [|a l Ha A IH]; cbn [forallb] in S2; constructor;
      apply andb_true_iff in S2; destruct S2 as [S2 S3]; auto. rewrite <- Ha. symmetry. now apply (agree_ok (symbols q) None v w). }
  pose proof (point_right q w P Aw) as R. unfold holds_at in R. now rewrite (proj2 (agree_ok (symbols q) (fits q) v w Ag) _ S1).
Qed.
