(** The checker of logs: a question, a table of atoms and steps in, a verdict out. *)

From Coq Require Import ZArith List Bool String Lia.
From Verified Require Import Meaning Poly Reading Axioms Rules Fits.
Import ListNotations.
Open Scope Z_scope.

(** * The facts of a question *)

Fixpoint settled_all (T : table) (l : list bexpr) : res (list formula) :=
  match l with
  | [] => Ok []
  | e :: l' => let* f := settled T e true in let* fs := settled_all T l' in Ok (f :: fs)
  end.

(** A truth is 0 or 1; under [fits] an integer lies in its range. *)
Fixpoint symbol_facts (fits : option dtype) (rest : table) (k : nat) : facts :=
  match rest with
  | [] => []
  | ASym true _ :: rest' => FGe (pvar k) :: FGe (psub (pconst 1) (pvar k)) :: symbol_facts fits rest' (S k)
  | ASym false _ :: rest' =>
      match fits with
      | Some d => [FGe (psub (pvar k) (pconst (low d))); FGe (psub (pconst (high d)) (pvar k))]
      | None => []
      end ++ symbol_facts fits rest' (S k)
  | _ :: rest' => symbol_facts fits rest' (S k)
  end.

(** That the claim fails: false, or undefined where that is asked for, or (under [fits]) out of range first. *)
Definition failing (T : table) (q : question) : res formula :=
  match fits q with
  | Some d =>
      let* base := settled T (claim q) false in
      refuting T (require q) base (distinct [] (bhaz d (claim q)))
  | None => let* f := settled T (claim q) (require q) in Ok (if require q then negated f else f)
  end.

Definition start (T : table) (q : question) : res facts :=
  let* given := settled_all T (assumptions q) in
  let* wanted := failing T q in
  Ok (flattened given ++ symbol_facts (fits q) T 0 ++ flattened [wanted]).

Definition range_ok (q : question) : bool :=
  match fits q with Some d => (low d <=? 0) && (1 <=? high d) | None => true end.

Definition check_log (fuel : nat) (q : question) (T : table) (log : list step) : verdict :=
  if range_ok q && table_ok T then
    match start T q with Ok fs => run fuel T fs log absurd 0 | Bad => Fails [] end
  else Fails [].

(** Not trusted: a table as it stands in a file, where a choice has its condition and not yet what that says. An atom
    that is there twice is refused. *)
Inductive row := RSym (truth : bool) (k : nat) | RKind (k : kind) (args : list poly) | RChoice (c : bexpr) (a b : poly).
Definition atom_of (T : table) (x : row) : res atom :=
  match x with
  | RSym t k => Ok (ASym t k)
  | RKind k args => Ok (AKind k args)
  | RChoice c a b => let* y := truth T c true in let* n := truth T c false in Ok (AIte c y n a b)
  end.
Fixpoint fill (T : table) (rows : list row) : res table :=
  match rows with
  | [] => Ok T
  | x :: rows' =>
      let* a := atom_of T x in
      match lookup T a with Ok _ => Bad | Bad => fill (T ++ [a]) rows' end
  end.

(** * What is accepted is true *)

Section Log.
  Variables (q : question) (T : table) (v : env).
  Let r := valuation v T.
  Hypothesis W : table_ok T = true.
  Hypothesis Env : forall d k, fits q = Some d -> within d (ints v k) = true.
  Hypothesis Given : Forall (fun a => beval None v a = Val true) (assumptions q).
  Let G : good v T r := table_good v T W.

  Lemma given_ok given : settled_all T (assumptions q) = Ok given -> forallb (feval r) given = true.
  Proof.
    revert given. clear Env. induction Given as [|e l He A IH]; cbn [settled_all]; intros given E; okay; auto.
    cbn [forallb]. rewrite (settled_ok v T r G _ _ _ Heqr0). rewrite (proj2 (plain_ok v)) in He.
    destruct (bopt v e) as [t|]; [|discriminate]. cbn [plain] in He. injection He as ->. cbn [is Bool.eqb andb]. auto.
  Qed.

  Lemma symbols_ok : all r (symbol_facts (fits q) T 0).
  Proof.
    assert (Gen : forall rest k, (forall n x, nth_error rest n = Some x -> nth_error T (k + n) = Some x) ->
      all r (symbol_facts (fits q) rest k)).
    { induction rest as [|x rest IH]; intros k K; [intros f []|].
      assert (IH' : all r (symbol_facts (fits q) rest (S k))).
      { apply IH. intros n y N. replace (S k + n)%nat with (k + S n)%nat by lia. exact (K (S n) y N). }
      assert (Vk : r k = aval v r x) by (apply G; rewrite <- (K 0%nat x eq_refl); f_equal; lia).
      destruct x as [[|] s| |]; cbn [symbol_facts]; auto; cbn [aval] in Vk.
      - intros f [<-|[<-|I]]; auto; cbn [feval]; autorewrite with pol; rewrite Vk; destruct bools; lia.
      - apply all_app; auto. destruct (fits q) as [d|] eqn:F; [|intros f []].
        specialize (Env d s eq_refl). unfold within in Env.
        intros f [<-|[<-|[]]]; cbn [feval]; autorewrite with pol; rewrite Vk; lia. }
    apply Gen. auto.
  Qed.

  (** If the claim failed, the facts would all hold; and they are absurd. *)
  Lemma failing_ok f : range_ok q = true -> failing T q = Ok f -> feval r f = false ->
    match beval (fits q) v (claim q) with Val t => t = true | NoValue => require q = false | Outside => False end.
  Proof.
    unfold failing, range_ok. destruct (fits q) as [d|] eqn:F; intros Z E N; okay.
    - pose proof (settled_ok v T r G _ _ _ Heqr0) as Base.
      destruct (refuting_ok v T r G _ _ _ _ E) as [K1 K2]. rewrite distinct_ok in K1, K2 by constructor.
      destruct (proj2 (go_ok d v ltac:(lia) (fun k => Env d k eq_refl)) (claim q)) as [H1 H2]. rewrite H1 in K1, K2.
      destruct (beval (Some d) v (claim q)) as [t| |]; cbn [stuck] in *.
      + destruct t; auto. rewrite Base, (H2 _ eq_refl) in K1. specialize (K1 eq_refl eq_refl). congruence.
      + destruct (require q); auto. specialize (K2 _ eq_refl eq_refl). congruence.
      + specialize (K2 _ eq_refl). rewrite orb_true_r in K2. specialize (K2 eq_refl). congruence.
    - pose proof (settled_ok v T r G _ _ _ Heqr0) as Wanted. rewrite (proj2 (plain_ok v)).
      destruct (require q); rewrite ?negated_ok in N; rewrite Wanted in N;
        destruct (bopt v (claim q)) as [[|]|]; cbn in *; auto; discriminate.
  Qed.
End Log.

Theorem check_log_sound fuel q T log : check_log fuel q T log = Accepted -> claimed q.
Proof.
  unfold check_log. destruct (range_ok q) eqn:Z; [|discriminate]. destruct (table_ok T) eqn:W; [|discriminate]. cbn [andb].
  destruct (start T q) as [fs|] eqn:E; [|discriminate]. intros R v Env A.
  unfold start in E. destruct (settled_all T (assumptions q)) as [given|] eqn:E1; cbn [bind] in E; [|discriminate].
  destruct (failing T q) as [wanted|] eqn:E2; cbn [bind] in E; [|discriminate]. apply Ok_inj in E.
  apply (failing_ok q T v W Env wanted); auto.
  destruct (feval (valuation v T) wanted) eqn:F; auto.
  assert (X : feval (valuation v T) absurd = true).
  { apply (run_ok v T W fuel fs log absurd 0); auto. subst fs.
    apply all_app; [apply all_flattened; now apply (given_ok q T v W)|]. apply all_app; [now apply symbols_ok|].
    apply all_flattened. cbn [forallb]. now rewrite F. }
  unfold absurd in X. cbn [feval] in X. rewrite pconst_ok in X. discriminate X.
Qed.
