(** The checker of certificates: what is extracted, and the one theorem that says what it is worth. *)

From Coq Require Import ZArith List Bool String.
From Verified Require Import Meaning Poly Reading Axioms Rules Fits Log Points.
Import ListNotations.

Inductive evidence :=
| ByLog (rows : list row) (steps : list step)
| ByPoints.

(** [NoTable]: rows that are no table, or one that lacks an atom of the question. [Step]: the place of the step that
    does not follow. [NotEverywhere]: a point refutes the claim, or not all points are looked at. *)
Inductive answer := Certified | Unscoped | NoTable | Step (place : list nat) | NotEverywhere.

(** [fuel] bounds the number of steps along one branch of a log. *)
Definition check (fuel : nat) (q : question) (e : evidence) : answer :=
  if scoped q then
    match e with
    | ByLog rows log =>
        match fill [] rows with
        | Ok T =>
            match start T q with
            | Ok _ => match check_log fuel q T log with Accepted => Certified | Fails place => Step place end
            | Bad => NoTable
            end
        | Bad => NoTable
        end
    | ByPoints => if check_points q then Certified else NotEverywhere
    end
  else Unscoped.

Theorem check_sound fuel q e : check fuel q e = Certified -> claimed q.
Proof.
  unfold check. destruct (scoped q); [|discriminate]. destruct e as [rows log|].
  - destruct (fill [] rows) as [T|]; [|discriminate]. destruct (start T q); [|discriminate].
    destruct (check_log fuel q T log) eqn:E; [|discriminate]. intros _. now apply check_log_sound in E.
  - destruct (check_points q) eqn:E; [|discriminate]. intros _. now apply check_points_sound.
Qed.

(** Must print "Closed under the global context": no axiom is used. The build fails otherwise. *)
Print Assumptions check_sound.
