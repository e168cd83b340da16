(** The steps of a log, and the proof that each gives a fact that holds.

    A log is untrusted: whatever it says, [run] accepts only what follows ([run_ok]). *)

From Coq Require Import ZArith List Bool String Lia.
From Verified Require Import Meaning Poly Reading Axioms Bits Carries.
Import ListNotations.
Open Scope Z_scope.

Inductive choice := ChSign (p : poly) | ChOr (i : nat) | ChAtom (k : nat).
Inductive factor := Prem (i : nat) | Square (p : poly) | Negated.
Inductive step :=
| Combine (terms : list (poly * list factor)) (gives : formula)
| Equal (i j : nat) (gives : formula)
| Congruence (a b : nat) (premises : list (option nat)) (gives : formula)
| Schema (name : string) (number : option nat) (atoms : list nat) (premises : list (option nat)) (gives : formula)
| Bitwise (leaves : list poly) (atoms : list nat) (sums : list sum) (gives : formula)
| Carried (streams : list stream) (premises : list nat) (gives : formula)
| Cases (on : choice) (branches : list (list step)) (gives : formula).

Definition absurd : formula := FGe (pconst (-1)).
Definition is_absurd (f : formula) : bool :=
  match f with
  | FGe p => match pconstant p with Some c => c <? 0 | None => false end
  | FEq p => match pconstant p with Some c => negb (c =? 0) | None => false end
  | _ => false
  end.

Definition facts := list formula.

Section Rules.
  Variable T : table.
  Variable fs : facts.

  (** A product that is never negative, as (polynomial, whether an equation is in it). *)
  Fixpoint product (negation : poly) (start : poly) (l : list factor) : option (poly * bool) :=
    match l with
    | [] => Some (start, false)
    | x :: l' =>
        match product negation start l' with
        | None => None
        | Some (p, zero) =>
            match x with
            | Negated => Some (pmul p negation, zero)
            | Square q => Some (pmul p (pmul q q), zero)
            | Prem i => match nth_error fs i with
                        | Some (FGe q) => Some (pmul p q, zero)
                        | Some (FEq q) => Some (pmul p q, true)
                        | _ => None
                        end
            end
        end
    end.
  Definition positive (p : poly) : bool := match pconstant p with Some c => 0 <? c | None => false end.

  Fixpoint total (negation : poly) (terms : list (poly * list factor)) : option poly :=
    match terms with
    | [] => Some []
    | (start, l) :: terms' =>
        match product negation start l, total negation terms' with
        | Some (p, zero), Some q => if zero || positive start then Some (padd p q) else None
        | _, _ => None
        end
    end.

  (** A sum that cannot be negative is a negative constant: so the negation of [gives] fails. *)
  Definition combined (terms : list (poly * list factor)) (gives : formula) : bool :=
    match gives with
    | FGe p =>
        match total (minus1 p) terms with
        | Some sum => match pconstant sum with Some c => c <? 0 | None => false end
        | None => false
        end
    | _ => false
    end.

  Fixpoint known_facts (l : list nat) : option (list formula) :=
    match l with
    | [] => Some []
    | i :: l' =>
        match nth_error fs i, known_facts l' with Some f, Some found => Some (f :: found) | _, _ => None end
    end.
  Definition equation (i : nat) : option poly := match nth_error fs i with Some (FEq p) => Some p | _ => None end.
  Fixpoint same_args (xs ys : list poly) (premises : list (option nat)) : bool :=
    match xs, ys, premises with
    | [], [], [] => true
    | x :: xs', y :: ys', None :: ps => peqb x y && same_args xs' ys' ps
    | x :: xs', y :: ys', Some i :: ps =>
        match equation i with
        | Some p => (peqb (psub x y) p || peqb (psub y x) p) && same_args xs' ys' ps
        | None => false
        end
    | _, _, _ => false
    end.

  Definition premise_ok (need : poly) (i : option nat) : bool :=
    match i with
    | None => match pconstant need with Some c => 0 <=? c | None => false end
    | Some i => match nth_error fs i with Some (FGe p) => peqb p need | _ => false end
    end.
  Fixpoint premises_ok (needs : list poly) (l : list (option nat)) : bool :=
    match needs, l with
    | [], [] => true
    | x :: needs', i :: l' => premise_ok x i && premises_ok needs' l'
    | _, _ => false
    end.

  Fixpoint operands (k : kind) (atoms : list nat) : option (list (list poly)) :=
    match atoms with
    | [] => Some []
    | n :: atoms' =>
        match nth_error T n, operands k atoms' with
        | Some (AKind j args), Some l => if kind_eq_dec j k then Some (args :: l) else None
        | _, _ => None
        end
    end.

  Definition instance (x : axiom) (atoms : list nat) (premises : list (option nat)) : option formula :=
    match operands (ax_kind x) atoms with
    | Some args =>
        let ps := map pvar atoms ++ List.concat args in
        if Nat.eqb (List.length atoms) (ax_count x) && premises_ok (map (spoly ps) (ax_needs x)) premises
        then Some (finst ps (ax_gives x)) else None
    | None => None
    end.

  (** [numbered] has a row for each number up to 256; the other rows take no number. *)
  Definition find_axiom (name : string) (number : option nat) : option axiom :=
    match number with
    | Some n =>
        match List.find (fun t => String.eqb (fst t) name) numbered with
        | Some t => if Nat.leb n 256 then Some (snd t n) else None
        | None => None
        end
    | None => match List.find (fun t => String.eqb (fst t) name) axioms with Some t => Some (snd t) | None => None end
    end.

  Definition same (gives f : formula) : option formula := if feqb f gives then Some f else None.

  Definition simple (s : step) : option formula :=
    match s with
    | Combine terms gives => if combined terms gives then Some gives else None
    | Equal i j gives =>
        match nth_error fs i, nth_error fs j with
        | Some (FGe p), Some (FGe q) => if peqb (pneg p) q then same gives (FEq p) else None
        | _, _ => None
        end
    | Congruence a b premises gives =>
        match nth_error T a, nth_error T b with
        | Some (AKind j xs), Some (AKind k ys) =>
            if kind_eq_dec j k then if same_args xs ys premises then same gives (FEq (psub (pvar a) (pvar b))) else None
            else None
        | _, _ => None
        end
    | Schema name number atoms premises gives =>
        if String.eqb name "min/low" then
          match atoms, premises, number with
          | [k], [], Some number =>
                       match nth_error T k with
                       | Some (AKind MIN args) =>
                           match nth_error args number with Some p => same gives (FGe (psub p (pvar k))) | None => None end
                       | _ => None
                       end
          | _, _, _ => None
          end
        else if String.eqb name "and/mask" then
          match atoms, premises, number with
          | [k], [], None =>
              match nth_error T k with
              | Some (AKind AND [p; q]) =>
                  match bit_and T p q with Ok s => same gives (FEq (psub (pvar k) s)) | Bad => None end
              | _ => None
              end
          | _, _, _ => None
          end
        else if String.eqb name "and/power" then
          match atoms, premises, number with
          | [n; w; u], [i], None =>
              match nth_error T n, nth_error T w, nth_error T u with
              | Some (AKind AND [p; q]), Some (AKind P2 [k]), Some (AKind FD [x; y]) =>
                  if premise_ok k i && (peqb q (psub (pvar w) (pconst 1)) && (peqb x p && peqb y (pvar w)))
                  then same gives (FEq (padd (psub (pvar n) p) (pmul (pvar w) (pvar u)))) else None
              | _, _, _ => None
              end
          | _, _, _ => None
          end
        else if String.eqb name "and/bit" then
          match atoms, premises, number with
          | [n; w; u; t], [i], None =>
              match nth_error T n, nth_error T w, nth_error T u, nth_error T t with
              | Some (AKind AND [p; q]), Some (AKind P2 [k]), Some (AKind FD [x; y]), Some (AKind FD [z; d]) =>
                  if premise_ok k i && (peqb q (pvar w) && (peqb x p && (peqb y (pvar w) && (peqb z (pvar u) && peqb d (pconst 2)))))
                  then same gives (FEq (psub (pvar n) (pmul (pvar w) (psub (pvar u) (pmul (pconst 2) (pvar t)))))) else None
              | _, _, _, _ => None
              end
          | _, _, _ => None
          end
        else match find_axiom name number with
             | Some x => match instance x atoms premises with Some f => same gives f | None => None end
             | None => None
             end
    | Bitwise leaves atoms sums gives =>
        match bits_zero T leaves atoms sums with Some p => same gives (FEq p) | None => None end
    | Carried streams premises gives =>
        match known_facts premises with
        | Some l => if refuted T streams l then same gives absurd else None
        | None => None
        end
    | Cases _ _ _ => None
    end.

  Definition alternatives (on : choice) : option (list facts) :=
    match on with
    | ChSign p => Some [[FGe p]; [FGe (minus1 p)]]
    | ChOr i => match nth_error fs i with Some (FOr l) => Some (map (fun f => flattened [f]) l) | _ => None end
    | ChAtom k =>
        let x := pvar k in
        match nth_error T k with
        | Some (AKind MIN args) => Some (map (fun p => [FEq (psub x p)]) args)
        | Some (AKind GE [p]) => Some [[FEq (psub x (pconst 1)); FGe p]; [FEq x; FGe (minus1 p)]]
        | Some (AKind EQ [p]) =>
            Some [[FEq (psub x (pconst 1)); FEq p]; [FEq x; FGe (psub p (pconst 1))]; [FEq x; FGe (minus1 p)]]
        | Some (AIte _ yes no p q) =>
            Some [flattened [yes] ++ [FEq (psub x p)]; flattened [no] ++ [FEq (psub x q)]]
        | _ => None
        end
    end.
End Rules.

Definition closes (fs : facts) (wanted : formula) : bool := existsb (fun f => feqb f wanted || is_absurd f) fs.

(** Whether a log was accepted, or the place of the step that fails: numbers of steps and branches, outermost first. *)
Inductive verdict := Accepted | Fails (place : list nat).

Fixpoint each_branch (check : facts -> list step -> verdict) (alts : list facts) (branches : list (list step)) (k : nat) :=
  match alts, branches with
  | [], [] => Accepted
  | alt :: alts', branch :: branches' =>
      match check alt branch with Accepted => each_branch check alts' branches' (S k) | Fails p => Fails (k :: p) end
  | _, _ => Fails []
  end.

(** [fuel] bounds the length of a log along one branch; [k] is the number of the next step. *)
Fixpoint run (fuel : nat) (T : table) (fs : facts) (steps : list step) (wanted : formula) (k : nat) : verdict :=
  match fuel with
  | O => Fails [k]
  | S fuel' =>
      match steps with
      | [] => if closes fs wanted then Accepted else Fails [k]
      | Cases on branches gives :: rest =>
          match alternatives T fs on with
          | Some alts =>
              match each_branch (fun alt branch => run fuel' T (fs ++ alt) branch gives 0) alts branches 0 with
              | Accepted => run fuel' T (fs ++ [gives]) rest wanted (S k)
              | Fails p => Fails (k :: p)
              end
          | None => Fails [k]
          end
      | s :: rest =>
          match simple T fs s with Some f => run fuel' T (fs ++ [f]) rest wanted (S k) | None => Fails [k] end
      end
  end.

(** * What is accepted holds *)

Definition all (r : val) (fs : facts) : Prop := forall f, In f fs -> feval r f = true.

Lemma all_app r fs gs : all r fs -> all r gs -> all r (fs ++ gs).
Proof. intros H K f I. apply in_app_or in I. destruct I; auto. Qed.
Lemma all_one r f : feval r f = true -> all r [f].
Proof. intros H g [<-|[]]; auto. Qed.
Lemma all_flattened r l : forallb (feval r) l = true -> all r (flattened l).
Proof. intros H f I. rewrite <- flattened_ok in H. rewrite forallb_forall in H. auto. Qed.

Section Sound.
  Variables (v : env) (T : table).
  Let r := valuation v T.
  Hypothesis W : table_ok T = true.
  Let G : good v T r := table_good v T W.

  Section Facts.
    Variable fs : facts.
    Hypothesis H : all r fs.

    Lemma fact_true i f : nth_error fs i = Some f -> feval r f = true.
    Proof. intro E. apply H. eapply nth_error_In; eauto. Qed.

    Lemma product_ok negation start l p zero :
      0 <= peval r negation -> product fs negation start l = Some (p, zero) ->
      (zero = true -> peval r p = 0) /\ (0 <= peval r start -> 0 <= peval r p).
    Proof.
      intro N. revert p zero. induction l as [|x l IH]; cbn [product]; intros p zero E.
      - injection E as <- <-. split; [discriminate|auto].
      - destruct (product fs negation start l) as [[q z]|]; [|discriminate].
        destruct (IH _ _ eq_refl) as [IH1 IH2]. destruct x as [i|s|].
        + destruct (nth_error fs i) as [[s|s| |]|] eqn:F; try discriminate E;
            apply fact_true in F; cbn [feval] in F; injection E as <- <-; rewrite pmul_ok; split; intros.
          * rewrite IH1 by auto. ring.
          * apply Z.mul_nonneg_nonneg; [auto|lia].
          * replace (peval r s) with 0 by lia. ring.
          * replace (peval r s) with 0 by lia. lia.
        + injection E as <- <-. rewrite !pmul_ok. split; intros; [rewrite IH1 by auto; ring|].
          apply Z.mul_nonneg_nonneg; [auto|nia].
        + injection E as <- <-. rewrite pmul_ok. split; intros; [rewrite IH1 by auto; ring|].
          apply Z.mul_nonneg_nonneg; auto.
    Qed.

    Lemma total_ok negation terms p : 0 <= peval r negation -> total fs negation terms = Some p -> 0 <= peval r p.
    Proof.
      intro N. revert p. induction terms as [|[start l] terms IH]; cbn [total]; intros p E.
      - apply Some_inj in E; subst. cbn. lia.
      - destruct (product fs negation start l) as [[q zero]|] eqn:P; [|discriminate].
        destruct (total fs negation terms) as [q'|]; [|discriminate].
        destruct (zero || positive start) eqn:Z; [|discriminate]. apply Some_inj in E; subst. rewrite padd_ok.
        specialize (IH _ eq_refl). destruct (product_ok _ _ _ _ _ N P) as [P1 P2].
        destruct zero; [rewrite P1 by auto; lia|]. unfold positive in Z; cbn [orb] in Z.
        destruct (pconstant start) as [c|] eqn:K; [|discriminate]. apply (pconstant_ok r) in K.
        assert (0 <= peval r q) by (apply P2; lia). lia.
    Qed.

    Lemma combined_ok terms gives : combined fs terms gives = true -> feval r gives = true.
    Proof.
      unfold combined. destruct gives as [p| | |]; try discriminate. cbn [feval].
      destruct (total fs (minus1 p) terms) as [s|] eqn:S; [|discriminate].
      destruct (pconstant s) as [c|] eqn:K; [|discriminate]. intro L. apply (pconstant_ok r) in K.
      destruct (Z.leb_spec 0 (peval r p)) as [|N]; auto. exfalso.
      assert (0 <= peval r s); [|lia]. apply (total_ok (minus1 p) terms); auto.
      unfold minus1. autorewrite with pol. lia.
    Qed.

    Lemma same_args_ok xs : forall ys ps, same_args fs xs ys ps = true -> map (peval r) xs = map (peval r) ys.
    Proof.
      induction xs as [|x xs IH]; intros [|y ys] [|[i|] ps]; cbn [same_args map]; try discriminate; auto.
      - unfold equation. destruct (nth_error fs i) as [[|p| |]|] eqn:F; try discriminate.
        apply fact_true in F; cbn [feval] in F. rewrite andb_true_iff, orb_true_iff. intros [D E].
        rewrite (IH _ _ E). f_equal. destruct D as [D|D]; apply peqb_eq in D; subst p; rewrite psub_ok in F; lia.
      - rewrite andb_true_iff. intros [D E]. apply peqb_eq in D; subst. now rewrite (IH _ _ E).
    Qed.

    Lemma premises_right needs l : premises_ok fs needs l = true -> Forall (fun p => 0 <= peval r p) needs.
    Proof.
      revert l. induction needs as [|p needs IH]; intros [|i l]; cbn [premises_ok]; try discriminate; auto.
      rewrite andb_true_iff. intros [D E]. constructor; [|eauto]. unfold premise_ok in D. destruct i as [i|].
      - destruct (nth_error fs i) as [[q| | |]|] eqn:F; try discriminate. apply fact_true in F; cbn [feval] in F.
        apply peqb_eq in D; subst. lia.
      - destruct (pconstant p) eqn:K; [|discriminate]. apply (pconstant_ok r) in K. lia.
    Qed.

    Lemma arity_ok k args j : nth_error T k = Some (AKind j args) -> fits_arity j (List.length args) = true.
    Proof.
      clear - W. revert k. unfold table_ok in W. revert W. generalize 0%nat. 
      assert (Gen : forall rest n, atoms_ok T n rest = true -> forall k, nth_error rest k = Some (AKind j args) ->
        fits_arity j (List.length args) = true).
      { induction rest as [|x rest IH]; intros n A k; [now destruct k|]. cbn [atoms_ok] in A.
        apply andb_true_iff in A; destruct A as [A B]. destruct k as [|k]; simpl; eauto.
        intro E; injection E as ->. cbn [atom_ok] in A. now apply andb_true_iff in A. }
      intros; eauto.
    Qed.

    Lemma operands_ok k atoms args : operands T k atoms = Some args ->
      map r atoms = map (kval k) (map (map (peval r)) args) /\ List.length args = List.length atoms /\
      Forall (fun l => fits_arity k (List.length l) = true) (map (map (peval r)) args).
    Proof.
      revert args. induction atoms as [|n atoms IH]; cbn [operands]; intros args E.
      - apply Some_inj in E; subst. cbn. auto.
      - destruct (nth_error T n) as [[|j l|]|] eqn:N; try discriminate E.
        destruct (operands T k atoms) as [args'|]; [|discriminate]. destruct (kind_eq_dec j k) as [->|]; [|discriminate].
        apply Some_inj in E; subst. destruct (IH _ eq_refl) as (I1 & I2 & I3). cbn [map List.length]. repeat split.
        + rewrite I1. f_equal. apply (G _ _ N).
        + congruence.
        + constructor; auto. rewrite map_length. eapply arity_ok; eauto.
    Qed.

    Lemma instance_ok x atoms premises f : valid x -> instance T fs x atoms premises = Some f -> feval r f = true.
    Proof.
      intros X. unfold instance. destruct (operands T (ax_kind x) atoms) as [args|] eqn:O; [|discriminate].
      destruct (operands_ok _ _ _ O) as (O1 & O2 & O3).
      destruct (Nat.eqb_spec (List.length atoms) (ax_count x)) as [L|]; [|discriminate]. cbn [andb].
      destruct (premises_ok _ _ _) eqn:P; [|discriminate]. intro E; apply Some_inj in E; subst.
      apply premises_right in P.
      specialize (X (map (map (peval r)) args)). rewrite map_length in X. specialize (X ltac:(congruence) O3). cbv zeta in X.
      assert (M : map (peval r) (map pvar atoms ++ List.concat args) =
        map (kval (ax_kind x)) (map (map (peval r)) args) ++ List.concat (map (map (peval r)) args)).
      { rewrite map_app, concat_map, <- O1, map_map. f_equal. apply map_ext. intro. apply pvar_ok. }
      rewrite <- M in X.
      assert (N : Forall (fun s => 0 <= sval (map (peval r) (map pvar atoms ++ List.concat args)) s) (ax_needs x)).
      { clear -P. induction (ax_needs x); auto. inversion P; subst. constructor; auto. now rewrite <- spoly_ok. }
      specialize (X N). destruct (ax_gives x); cbn [finst fval feval] in *; rewrite <- spoly_ok in X; lia.
    Qed.

    Lemma find_axiom_valid name number x : find_axiom name number = Some x -> valid x.
    Proof.
      unfold find_axiom. destruct number as [n|].
      - destruct (List.find _ numbered) as [[s y]|] eqn:F; [|discriminate]. destruct (Nat.leb n 256); [|discriminate].
        intro E; apply Some_inj in E; subst. apply List.find_some in F. destruct F as [F _].
        pose proof (numbered_valid n) as A. rewrite Forall_forall in A. apply (A _ F).
      - destruct (List.find _ axioms) as [[n y]|] eqn:F; [|discriminate]. intro E; apply Some_inj in E; subst.
        apply List.find_some in F. destruct F as [F _]. pose proof axioms_valid as A. rewrite Forall_forall in A.
        apply (A _ F).
    Qed.

    Lemma min_le args : forall a p, In p args -> fold_right Z.min a args <= p.
    Proof. induction args as [|x l IH]; intros a p []; cbn [fold_right]; subst; try lia. specialize (IH a p H0). lia. Qed.
    Lemma fold_min_start l : forall a, fold_right Z.min a l <= a.
    Proof. induction l as [|x l IH]; intro a; cbn [fold_right]; [lia|]. specialize (IH a). lia. Qed.
    Lemma kmin_le args p : In p args -> kval MIN args <= p.
    Proof.
      destruct args as [|a l]; [intros []|]. intros [->|I]; cbn [kval].
      - apply fold_min_start.
      - now apply min_le.
    Qed.
    Lemma kmin_in args : args <> [] -> In (kval MIN args) args.
    Proof.
      destruct args as [|a l]; [congruence|]. intros _. cbn [kval]. induction l as [|x l IH]; cbn [fold_right]; [now left|].
      destruct (Z.min_spec x (fold_right Z.min a l)) as [[_ ->]|[_ ->]]; [now right; left|].
      destruct IH as [IH|IH]; [now left | now right; right].
    Qed.

    Lemma same_eq gives f g : same gives f = Some g -> f = g.
    Proof. unfold same. destruct (feqb f gives); congruence. Qed.

    Lemma simple_ok s f : simple T fs s = Some f -> feval r f = true.
    Proof.
      destruct s as [terms gives|i j gives|x y premises gives|name number atoms premises gives|leaves atoms sums gives|streams premises gives|];
        cbn [simple]; try discriminate.
      - destruct (combined _ _ _) eqn:C; [|discriminate]. intro E; apply Some_inj in E; subst. eapply combined_ok; eauto.
      - destruct (nth_error fs i) as [[p| | |]|] eqn:I; try discriminate.
        destruct (nth_error fs j) as [[q| | |]|] eqn:J; try discriminate.
        destruct (peqb _ q) eqn:E; [|discriminate]. intro K; apply same_eq in K; subst.
        apply fact_true in I, J. apply peqb_eq in E; subst q. cbn [feval] in *. rewrite pneg_ok in J. lia.
      - destruct (nth_error T x) as [[|j xs|]|] eqn:X; try discriminate.
        destruct (nth_error T y) as [[|k ys|]|] eqn:Y; try discriminate.
        destruct (kind_eq_dec j k) as [->|]; [|discriminate]. destruct (same_args _ _ _ _) eqn:S; [|discriminate].
        intro E; apply same_eq in E; subst. cbn [feval]. autorewrite with pol. rewrite (G _ _ X), (G _ _ Y). cbn [aval].
        rewrite (same_args_ok _ _ _ S). lia.
      - destruct (String.eqb name "min/low").
        + destruct atoms as [|k [|]]; try discriminate. destruct premises; try discriminate. destruct number as [number|]; try discriminate.
          destruct (nth_error T k) as [[|[] args|]|] eqn:K; try discriminate.
          destruct (nth_error args number) as [p|] eqn:N; [|discriminate]. intro E; apply same_eq in E; subst.
          cbn [feval]. autorewrite with pol. rewrite (G _ _ K). cbn [aval].
          assert (kval MIN (map (peval r) args) <= peval r p); [|lia].
          apply kmin_le. apply in_map. eapply nth_error_In; eauto.
        + destruct (String.eqb name "and/mask").
          { destruct atoms as [|k [|]]; try discriminate. destruct premises; try discriminate. destruct number; try discriminate.
            destruct (nth_error T k) as [[|[] [|p [|q [|]]]|]|] eqn:K; try discriminate.
            destruct (bit_and T p q) as [s|] eqn:B; [|discriminate]. intro E; apply same_eq in E; subst.
            cbn [feval]. autorewrite with pol. rewrite (G _ _ K), (bit_and_ok v T r G _ _ _ B). cbn [aval map kval]. lia. }
          destruct (String.eqb name "and/power").
          { destruct atoms as [|n [|w [|u [|]]]]; try discriminate. destruct premises as [|i [|]]; try discriminate.
            destruct number; try discriminate.
            destruct (nth_error T n) as [[|[] [|p [|q [|]]]|]|] eqn:K; try discriminate.
            destruct (nth_error T w) as [[|[] [|k [|]]|]|] eqn:L; try discriminate.
            destruct (nth_error T u) as [[|[] [|x [|y [|]]]|]|] eqn:M; try discriminate.
            destruct (premise_ok fs k i) eqn:P; [|discriminate]. cbn [andb].
            destruct (peqb q _) eqn:Q; [|discriminate]. destruct (peqb x p) eqn:X; [|discriminate].
            destruct (peqb y _) eqn:Y; [|discriminate]. cbn [andb]. intro E; apply same_eq in E; subst f.
            apply peqb_eq in Q, X, Y. subst q x y.
            assert (N : 0 <= peval r k).
            { assert (Z : premises_ok fs [k] [i] = true) by (cbn [premises_ok]; now rewrite P).
              apply premises_right in Z. now inversion Z. }
            cbn [feval]. autorewrite with pol. rewrite (G _ _ K), (G _ _ M). cbn [aval map kval]. autorewrite with pol.
            rewrite (G _ _ L). cbn [aval map kval]. fold r. pose proof (land_power (peval r p) (peval r k) N). lia. }
          destruct (String.eqb name "and/bit").
          { destruct atoms as [|n [|w [|u [|t [|]]]]]; try discriminate. destruct premises as [|i [|]]; try discriminate.
            destruct number; try discriminate.
            destruct (nth_error T n) as [[|[] [|p [|q [|]]]|]|] eqn:K; try discriminate.
            destruct (nth_error T w) as [[|[] [|k [|]]|]|] eqn:L; try discriminate.
            destruct (nth_error T u) as [[|[] [|x [|y [|]]]|]|] eqn:M; try discriminate.
            destruct (nth_error T t) as [[|[] [|z [|d [|]]]|]|] eqn:O; try discriminate.
            destruct (premise_ok fs k i) eqn:P; [|discriminate]. cbn [andb].
            destruct (peqb q _) eqn:Q; [|discriminate]. destruct (peqb x p) eqn:X; [|discriminate].
            destruct (peqb y _) eqn:Y; [|discriminate]. destruct (peqb z _) eqn:Z; [|discriminate].
            destruct (peqb d _) eqn:D; [|discriminate]. cbn [andb]. intro E; apply same_eq in E; subst f.
            apply peqb_eq in Q, X, Y, Z, D. subst q x y z d.
            assert (N : 0 <= peval r k).
            { assert (PO : premises_ok fs [k] [i] = true) by (cbn [premises_ok]; now rewrite P).
              apply premises_right in PO. now inversion PO. }
            cbn [feval]. autorewrite with pol. rewrite (G _ _ K), (G _ _ O). cbn [aval map kval]. autorewrite with pol.
            rewrite (G _ _ M). cbn [aval map kval]. autorewrite with pol.
            rewrite (G _ _ L). cbn [aval map kval]. fold r. pose proof (land_bit (peval r p) (peval r k) N). lia. }
          destruct (find_axiom name number) eqn:F; [|discriminate]. destruct (instance _ _ _ _ _) eqn:I; [|discriminate].
          intro E; apply same_eq in E; subst. eapply instance_ok; eauto.
          eapply find_axiom_valid; eauto.
      - destruct (bits_zero T leaves atoms sums) as [p|] eqn:B; [|discriminate].
        intro E; apply same_eq in E; subst. cbn [feval]. pose proof (bits_zero_ok v T G _ _ _ _ B). fold r in H0. lia.
      - destruct (known_facts fs premises) as [l|] eqn:K; [|discriminate]. destruct (refuted T streams l) eqn:R; [|discriminate].
        intros _. exfalso. apply (refuted_ok v T G _ _ R). clear R. revert l K.
        induction premises as [|i premises IH]; cbn [known_facts]; intros l K; [injection K as <-; reflexivity|].
        destruct (nth_error fs i) as [g|] eqn:I; [|discriminate]. destruct (known_facts fs premises); [|discriminate].
        injection K as <-. cbn [forallb]. apply fact_true in I. fold r. rewrite I. now apply IH.
    Qed.

    Lemma alternatives_ok on alts : alternatives T fs on = Some alts -> exists alt, In alt alts /\ all r alt.
    Proof.
      destruct on as [p|i|k]; cbn [alternatives].
      - intro E; apply Some_inj in E; subst. destruct (Z.leb_spec 0 (peval r p)).
        + exists [FGe p]. split; [now left|]. apply all_one. cbn [feval]. lia.
        + exists [FGe (minus1 p)]. split; [now right; left|]. apply all_one. unfold minus1. cbn [feval].
          autorewrite with pol. lia.
      - destruct (nth_error fs i) as [[| | |l]|] eqn:F; try discriminate. intro E; apply Some_inj in E; subst.
        apply fact_true in F. cbn [feval] in F. apply existsb_exists in F. destruct F as (f & I & F).
        exists (flattened [f]). split; [now apply (in_map (fun f => flattened [f]))|]. apply all_flattened. cbn. now rewrite F.
      - destruct (nth_error T k) as [x|] eqn:K; [|discriminate]. pose proof (G _ _ K) as V. cbn [aval] in V.
        destruct x as [|j args|c yes no p q]; try discriminate.
        + destruct j; try discriminate.
          * intro E; apply Some_inj in E; subst. pose proof (arity_ok _ _ _ K) as A.
            assert (I : In (r k) (map (peval r) args)).
            { rewrite V. cbn [aval]. apply kmin_in. destruct args; [discriminate A|discriminate]. }
            apply in_map_iff in I. destruct I as (p & P & I). exists [FEq (psub (pvar k) p)].
            split; [now apply (in_map (fun p => [FEq (psub (pvar k) p)]))|]. apply all_one. cbn [feval]. autorewrite with pol. lia.
          * destruct args as [|p []]; try discriminate. intro E; apply Some_inj in E; subst. cbn [aval map kval] in V.
            destruct (Z.leb_spec 0 (peval r p)).
            -- eexists; split; [now left|]. intros f [<-|[<-|[]]]; cbn [feval]; autorewrite with pol; lia.
            -- eexists; split; [now right; left|]. unfold minus1. intros f [<-|[<-|[]]]; cbn [feval]; autorewrite with pol; lia.
          * destruct args as [|p []]; try discriminate. intro E; apply Some_inj in E; subst. cbn [aval map kval] in V.
            destruct (Z.eqb_spec (peval r p) 0); [|destruct (Z.leb_spec 0 (peval r p))].
            -- eexists; split; [now left|]. intros f [<-|[<-|[]]]; cbn [feval]; autorewrite with pol; lia.
            -- eexists; split; [now right; left|]. intros f [<-|[<-|[]]]; cbn [feval]; autorewrite with pol; lia.
            -- eexists; split; [now right; right; left|]. unfold minus1. intros f [<-|[<-|[]]]; cbn [feval]; autorewrite with pol; lia.
        + intro E; apply Some_inj in E; subst. cbn [aval] in V.
          assert (N : feval r no = negb (feval r yes)).
          { assert (Gen : forall rest n, atoms_ok T n rest = true -> forall k, nth_error rest k = Some (AIte c yes no p q) ->
              truth T c true = Ok yes /\ truth T c false = Ok no).
            { clear. induction rest as [|x rest IH]; intros n A k; [now destruct k|]. cbn [atoms_ok] in A.
              apply andb_true_iff in A; destruct A as [A B]. destruct k as [|k]; simpl; eauto.
              intro E; injection E as ->. cbn [atom_ok] in A. apply andb_true_iff in A; destruct A as [_ A].
              destruct (truth T c true), (truth T c false); try discriminate.
              apply andb_true_iff in A; destruct A as [A A']. apply feqb_eq in A, A'. now subst. }
            destruct (Gen T 0%nat W k K). eapply truth_neg; eauto. }
          destruct (feval r yes) eqn:Y; [eexists; split; [now left|] | eexists; split; [now right; left|]]; apply all_app.
          all: try (apply all_flattened; cbn [forallb]; rewrite ?Y, ?N; reflexivity).
          all: apply all_one; cbn [feval]; autorewrite with pol; lia.
    Qed.
  End Facts.

  Lemma closes_ok fs wanted : all r fs -> closes fs wanted = true -> feval r wanted = true.
  Proof.
    intros H. unfold closes. rewrite existsb_exists. intros (f & I & E). apply orb_true_iff in E. destruct E as [E|E].
    - apply feqb_eq in E; subst. now apply H.
    - exfalso. apply H in I. destruct f as [p|p| |]; cbn [is_absurd feval] in *; try discriminate;
        destruct (pconstant p) eqn:K; try discriminate; apply (pconstant_ok r) in K; lia.
  Qed.

  Lemma each_branch_in check alts : forall branches k alt, each_branch check alts branches k = Accepted -> In alt alts ->
    exists branch, check alt branch = Accepted.
  Proof.
    induction alts as [|a alts IH]; intros [|b branches] k alt; cbn [each_branch]; try discriminate; [intros _ []|].
    destruct (check a b) eqn:E; [|discriminate]. intros F [->|I]; eauto.
  Qed.

  Lemma run_ok fuel : forall fs steps wanted k, all r fs -> run fuel T fs steps wanted k = Accepted -> feval r wanted = true.
  Proof.
    induction fuel as [|fuel IH]; cbn [run]; [discriminate|]. intros fs steps wanted k H.
    destruct steps as [|s rest]; [destruct (closes fs wanted) eqn:C; [intros _; now apply (closes_ok fs)|discriminate]|].
    assert (S : match simple T fs s with Some f => run fuel T (fs ++ [f]) rest wanted (S k) | None => Fails [k] end = Accepted ->
      feval r wanted = true).
    { destruct (simple T fs s) as [f|] eqn:E; [|discriminate]. apply IH. apply all_app; auto. apply all_one.
      eapply simple_ok; eauto. }
    destruct s; auto. destruct (alternatives T fs on) as [alts|] eqn:E; [|discriminate].
    destruct (each_branch _ _ _ _) eqn:B; [|discriminate]. intro R. apply IH with (2 := R). apply all_app; auto. apply all_one.
    destruct (alternatives_ok _ H _ _ E) as (alt & I & A). destruct (each_branch_in _ _ _ _ _ B I) as [branch K].
    apply IH with (2 := K). now apply all_app.
  Qed.
End Sound.
