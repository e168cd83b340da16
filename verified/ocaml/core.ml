
(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> int **)

let rec length = function
| [] -> 0
| _ :: l' -> Stdlib.Int.succ (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a0 :: l1 -> a0 :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

module Coq__1 = struct
 (** val add : int -> int -> int **)let rec add = (+)
end
include Coq__1

(** val mul : int -> int -> int **)

let rec mul = ( * )

(** val sub : int -> int -> int **)

let rec sub = fun n m -> Stdlib.max 0 (n-m)

(** val bool_dec : bool -> bool -> bool **)

let bool_dec b1 b2 =
  if b1 then if b2 then true else false else if b2 then false else true

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

module Nat =
 struct
  (** val ltb : int -> int -> bool **)

  let ltb n0 m =
    (<=) (Stdlib.Int.succ n0) m

  (** val compare : int -> int -> comparison **)

  let rec compare = fun n m -> if n=m then Eq else if n<m then Lt else Gt
 end

type positive =
| XI of positive
| XO of positive
| XH

type n =
| N0
| Npos of positive

type z =
| Z0
| Zpos of positive
| Zneg of positive

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of positive
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : positive -> positive **)

  let rec succ = function
  | XI p -> XO (succ p)
  | XO p -> XI p
  | XH -> XO XH

  (** val add : positive -> positive -> positive **)

  let rec add x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XO p ->
      (match y with
       | XI q -> XI (add p q)
       | XO q -> XO (add p q)
       | XH -> XI p)
    | XH -> (match y with
             | XI q -> XO (succ q)
             | XO q -> XI q
             | XH -> XO XH)

  (** val add_carry : positive -> positive -> positive **)

  and add_carry x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XI (add_carry p q)
       | XO q -> XO (add_carry p q)
       | XH -> XI (succ p))
    | XO p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XH ->
      (match y with
       | XI q -> XI (succ q)
       | XO q -> XO (succ q)
       | XH -> XI XH)

  (** val pred_double : positive -> positive **)

  let rec pred_double = function
  | XI p -> XI (XO p)
  | XO p -> XI (pred_double p)
  | XH -> XH

  (** val pred_N : positive -> n **)

  let pred_N = function
  | XI p -> Npos (XO p)
  | XO p -> Npos (pred_double p)
  | XH -> N0

  type mask = Pos.mask =
  | IsNul
  | IsPos of positive
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos XH
  | IsPos p -> IsPos (XI p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos (XO p)
  | x0 -> x0

  (** val double_pred_mask : positive -> mask **)

  let double_pred_mask = function
  | XI p -> IsPos (XO (XO p))
  | XO p -> IsPos (XO (pred_double p))
  | XH -> IsNul

  (** val sub_mask : positive -> positive -> mask **)

  let rec sub_mask x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> double_mask (sub_mask p q)
       | XO q -> succ_double_mask (sub_mask p q)
       | XH -> IsPos (XO p))
    | XO p ->
      (match y with
       | XI q -> succ_double_mask (sub_mask_carry p q)
       | XO q -> double_mask (sub_mask p q)
       | XH -> IsPos (pred_double p))
    | XH -> (match y with
             | XH -> IsNul
             | _ -> IsNeg)

  (** val sub_mask_carry : positive -> positive -> mask **)

  and sub_mask_carry x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> succ_double_mask (sub_mask_carry p q)
       | XO q -> double_mask (sub_mask p q)
       | XH -> IsPos (pred_double p))
    | XO p ->
      (match y with
       | XI q -> double_mask (sub_mask_carry p q)
       | XO q -> succ_double_mask (sub_mask_carry p q)
       | XH -> double_pred_mask p)
    | XH -> IsNeg

  (** val mul : positive -> positive -> positive **)

  let rec mul x y =
    match x with
    | XI p -> add y (XO (mul p y))
    | XO p -> XO (mul p y)
    | XH -> y

  (** val iter : ('a1 -> 'a1) -> 'a1 -> positive -> 'a1 **)

  let rec iter f x = function
  | XI n' -> f (iter f (iter f x n') n')
  | XO n' -> iter f (iter f x n') n'
  | XH -> f x

  (** val div2 : positive -> positive **)

  let div2 = function
  | XI p0 -> p0
  | XO p0 -> p0
  | XH -> XH

  (** val div2_up : positive -> positive **)

  let div2_up = function
  | XI p0 -> succ p0
  | XO p0 -> p0
  | XH -> XH

  (** val size : positive -> positive **)

  let rec size = function
  | XI p0 -> succ (size p0)
  | XO p0 -> succ (size p0)
  | XH -> XH

  (** val compare_cont : comparison -> positive -> positive -> comparison **)

  let rec compare_cont r x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> compare_cont r p q
       | XO q -> compare_cont Gt p q
       | XH -> Gt)
    | XO p ->
      (match y with
       | XI q -> compare_cont Lt p q
       | XO q -> compare_cont r p q
       | XH -> Gt)
    | XH -> (match y with
             | XH -> r
             | _ -> Lt)

  (** val compare : positive -> positive -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : positive -> positive -> bool **)

  let rec eqb p q =
    match p with
    | XI p0 -> (match q with
                | XI q0 -> eqb p0 q0
                | _ -> false)
    | XO p0 -> (match q with
                | XO q0 -> eqb p0 q0
                | _ -> false)
    | XH -> (match q with
             | XH -> true
             | _ -> false)

  (** val coq_Nsucc_double : n -> n **)

  let coq_Nsucc_double = function
  | N0 -> Npos XH
  | Npos p -> Npos (XI p)

  (** val coq_Ndouble : n -> n **)

  let coq_Ndouble = function
  | N0 -> N0
  | Npos p -> Npos (XO p)

  (** val coq_lor : positive -> positive -> positive **)

  let rec coq_lor p q =
    match p with
    | XI p0 ->
      (match q with
       | XI q0 -> XI (coq_lor p0 q0)
       | XO q0 -> XI (coq_lor p0 q0)
       | XH -> p)
    | XO p0 ->
      (match q with
       | XI q0 -> XI (coq_lor p0 q0)
       | XO q0 -> XO (coq_lor p0 q0)
       | XH -> XI p0)
    | XH -> (match q with
             | XO q0 -> XI q0
             | _ -> q)

  (** val coq_land : positive -> positive -> n **)

  let rec coq_land p q =
    match p with
    | XI p0 ->
      (match q with
       | XI q0 -> coq_Nsucc_double (coq_land p0 q0)
       | XO q0 -> coq_Ndouble (coq_land p0 q0)
       | XH -> Npos XH)
    | XO p0 ->
      (match q with
       | XI q0 -> coq_Ndouble (coq_land p0 q0)
       | XO q0 -> coq_Ndouble (coq_land p0 q0)
       | XH -> N0)
    | XH -> (match q with
             | XO _ -> N0
             | _ -> Npos XH)

  (** val ldiff : positive -> positive -> n **)

  let rec ldiff p q =
    match p with
    | XI p0 ->
      (match q with
       | XI q0 -> coq_Ndouble (ldiff p0 q0)
       | XO q0 -> coq_Nsucc_double (ldiff p0 q0)
       | XH -> Npos (XO p0))
    | XO p0 ->
      (match q with
       | XI q0 -> coq_Ndouble (ldiff p0 q0)
       | XO q0 -> coq_Ndouble (ldiff p0 q0)
       | XH -> Npos p)
    | XH -> (match q with
             | XO _ -> Npos XH
             | _ -> N0)

  (** val coq_lxor : positive -> positive -> n **)

  let rec coq_lxor p q =
    match p with
    | XI p0 ->
      (match q with
       | XI q0 -> coq_Ndouble (coq_lxor p0 q0)
       | XO q0 -> coq_Nsucc_double (coq_lxor p0 q0)
       | XH -> Npos (XO p0))
    | XO p0 ->
      (match q with
       | XI q0 -> coq_Nsucc_double (coq_lxor p0 q0)
       | XO q0 -> coq_Ndouble (coq_lxor p0 q0)
       | XH -> Npos (XI p0))
    | XH ->
      (match q with
       | XI q0 -> Npos (XO q0)
       | XO q0 -> Npos (XI q0)
       | XH -> N0)

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> positive -> 'a1 -> 'a1 **)

  let rec iter_op op0 p a0 =
    match p with
    | XI p0 -> op0 a0 (iter_op op0 p0 (op0 a0 a0))
    | XO p0 -> iter_op op0 p0 (op0 a0 a0)
    | XH -> a0

  (** val to_nat : positive -> int **)

  let to_nat x =
    iter_op Coq__1.add x (Stdlib.Int.succ 0)

  (** val of_succ_nat : int -> positive **)

  let rec of_succ_nat n0 =
    (fun fO fS n -> if n=0 then fO () else fS (n-1))
      (fun _ -> XH)
      (fun x -> succ (of_succ_nat x))
      n0

  (** val eq_dec : positive -> positive -> bool **)

  let rec eq_dec p x0 =
    match p with
    | XI p0 -> (match x0 with
                | XI p1 -> eq_dec p0 p1
                | _ -> false)
    | XO p0 -> (match x0 with
                | XO p1 -> eq_dec p0 p1
                | _ -> false)
    | XH -> (match x0 with
             | XH -> true
             | _ -> false)
 end

module N =
 struct
  (** val succ_double : n -> n **)

  let succ_double = function
  | N0 -> Npos XH
  | Npos p -> Npos (XI p)

  (** val double : n -> n **)

  let double = function
  | N0 -> N0
  | Npos p -> Npos (XO p)

  (** val succ_pos : n -> positive **)

  let succ_pos = function
  | N0 -> XH
  | Npos p -> Coq_Pos.succ p

  (** val sub : n -> n -> n **)

  let sub n0 m =
    match n0 with
    | N0 -> N0
    | Npos n' ->
      (match m with
       | N0 -> n0
       | Npos m' ->
         (match Coq_Pos.sub_mask n' m' with
          | Coq_Pos.IsPos p -> Npos p
          | _ -> N0))

  (** val compare : n -> n -> comparison **)

  let compare n0 m =
    match n0 with
    | N0 -> (match m with
             | N0 -> Eq
             | Npos _ -> Lt)
    | Npos n' -> (match m with
                  | N0 -> Gt
                  | Npos m' -> Coq_Pos.compare n' m')

  (** val leb : n -> n -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val pos_div_eucl : positive -> n -> n * n **)

  let rec pos_div_eucl a0 b0 =
    match a0 with
    | XI a' ->
      let (q, r) = pos_div_eucl a' b0 in
      let r' = succ_double r in
      if leb b0 r' then ((succ_double q), (sub r' b0)) else ((double q), r')
    | XO a' ->
      let (q, r) = pos_div_eucl a' b0 in
      let r' = double r in
      if leb b0 r' then ((succ_double q), (sub r' b0)) else ((double q), r')
    | XH ->
      (match b0 with
       | N0 -> (N0, (Npos XH))
       | Npos p -> (match p with
                    | XH -> ((Npos XH), N0)
                    | _ -> (N0, (Npos XH))))

  (** val coq_lor : n -> n -> n **)

  let coq_lor n0 m =
    match n0 with
    | N0 -> m
    | Npos p -> (match m with
                 | N0 -> n0
                 | Npos q -> Npos (Coq_Pos.coq_lor p q))

  (** val coq_land : n -> n -> n **)

  let coq_land n0 m =
    match n0 with
    | N0 -> N0
    | Npos p -> (match m with
                 | N0 -> N0
                 | Npos q -> Coq_Pos.coq_land p q)

  (** val ldiff : n -> n -> n **)

  let ldiff n0 m =
    match n0 with
    | N0 -> N0
    | Npos p -> (match m with
                 | N0 -> n0
                 | Npos q -> Coq_Pos.ldiff p q)

  (** val coq_lxor : n -> n -> n **)

  let coq_lxor n0 m =
    match n0 with
    | N0 -> m
    | Npos p -> (match m with
                 | N0 -> n0
                 | Npos q -> Coq_Pos.coq_lxor p q)
 end

(** val hd : 'a1 -> 'a1 list -> 'a1 **)

let hd default = function
| [] -> default
| x :: _ -> x

(** val tl : 'a1 list -> 'a1 list **)

let tl = function
| [] -> []
| _ :: m -> m

(** val nth : int -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n0 l default =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> match l with
              | [] -> default
              | x :: _ -> x)
    (fun m -> match l with
              | [] -> default
              | _ :: t -> nth m t default)
    n0

(** val nth_error : 'a1 list -> int -> 'a1 option **)

let rec nth_error l n0 =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> match l with
              | [] -> None
              | x :: _ -> Some x)
    (fun n1 -> match l with
               | [] -> None
               | _ :: l0 -> nth_error l0 n1)
    n0

(** val rev_append : 'a1 list -> 'a1 list -> 'a1 list **)

let rec rev_append l l' =
  match l with
  | [] -> l'
  | a0 :: l0 -> rev_append l0 (a0 :: l')

(** val concat : 'a1 list list -> 'a1 list **)

let rec concat = function
| [] -> []
| x :: l0 -> app x (concat l0)

(** val list_eq_dec : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list -> bool **)

let rec list_eq_dec eq_dec0 l l' =
  match l with
  | [] -> (match l' with
           | [] -> true
           | _ :: _ -> false)
  | y :: l0 ->
    (match l' with
     | [] -> false
     | a0 :: l1 -> if eq_dec0 y a0 then list_eq_dec eq_dec0 l0 l1 else false)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a0 :: t -> (f a0) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b0 :: t -> fold_left f t (f a0 b0)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b0 :: t -> f b0 (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a0 :: l0 -> (||) (f a0) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a0 :: l0 -> (&&) (f a0) (forallb f l0)

(** val find : ('a1 -> bool) -> 'a1 list -> 'a1 option **)

let rec find f = function
| [] -> None
| x :: tl0 -> if f x then Some x else find f tl0

(** val seq : int -> int -> int list **)

let rec seq start0 len =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> [])
    (fun len0 -> start0 :: (seq (Stdlib.Int.succ start0) len0))
    len

module Z =
 struct
  (** val double : z -> z **)

  let double = function
  | Z0 -> Z0
  | Zpos p -> Zpos (XO p)
  | Zneg p -> Zneg (XO p)

  (** val succ_double : z -> z **)

  let succ_double = function
  | Z0 -> Zpos XH
  | Zpos p -> Zpos (XI p)
  | Zneg p -> Zneg (Coq_Pos.pred_double p)

  (** val pred_double : z -> z **)

  let pred_double = function
  | Z0 -> Zneg XH
  | Zpos p -> Zpos (Coq_Pos.pred_double p)
  | Zneg p -> Zneg (XI p)

  (** val pos_sub : positive -> positive -> z **)

  let rec pos_sub x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> double (pos_sub p q)
       | XO q -> succ_double (pos_sub p q)
       | XH -> Zpos (XO p))
    | XO p ->
      (match y with
       | XI q -> pred_double (pos_sub p q)
       | XO q -> double (pos_sub p q)
       | XH -> Zpos (Coq_Pos.pred_double p))
    | XH ->
      (match y with
       | XI q -> Zneg (XO q)
       | XO q -> Zneg (Coq_Pos.pred_double q)
       | XH -> Z0)

  (** val add : z -> z -> z **)

  let add x y =
    match x with
    | Z0 -> y
    | Zpos x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> Zpos (Coq_Pos.add x' y')
       | Zneg y' -> pos_sub x' y')
    | Zneg x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> pos_sub y' x'
       | Zneg y' -> Zneg (Coq_Pos.add x' y'))

  (** val opp : z -> z **)

  let opp = function
  | Z0 -> Z0
  | Zpos x0 -> Zneg x0
  | Zneg x0 -> Zpos x0

  (** val pred : z -> z **)

  let pred x =
    add x (Zneg XH)

  (** val sub : z -> z -> z **)

  let sub m n0 =
    add m (opp n0)

  (** val mul : z -> z -> z **)

  let mul x y =
    match x with
    | Z0 -> Z0
    | Zpos x' ->
      (match y with
       | Z0 -> Z0
       | Zpos y' -> Zpos (Coq_Pos.mul x' y')
       | Zneg y' -> Zneg (Coq_Pos.mul x' y'))
    | Zneg x' ->
      (match y with
       | Z0 -> Z0
       | Zpos y' -> Zneg (Coq_Pos.mul x' y')
       | Zneg y' -> Zpos (Coq_Pos.mul x' y'))

  (** val pow_pos : z -> positive -> z **)

  let pow_pos z0 =
    Coq_Pos.iter (mul z0) (Zpos XH)

  (** val pow : z -> z -> z **)

  let pow x = function
  | Z0 -> Zpos XH
  | Zpos p -> pow_pos x p
  | Zneg _ -> Z0

  (** val compare : z -> z -> comparison **)

  let compare x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> Eq
             | Zpos _ -> Lt
             | Zneg _ -> Gt)
    | Zpos x' -> (match y with
                  | Zpos y' -> Coq_Pos.compare x' y'
                  | _ -> Gt)
    | Zneg x' ->
      (match y with
       | Zneg y' -> compOpp (Coq_Pos.compare x' y')
       | _ -> Lt)

  (** val leb : z -> z -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : z -> z -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val eqb : z -> z -> bool **)

  let eqb x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> true
             | _ -> false)
    | Zpos p -> (match y with
                 | Zpos q -> Coq_Pos.eqb p q
                 | _ -> false)
    | Zneg p -> (match y with
                 | Zneg q -> Coq_Pos.eqb p q
                 | _ -> false)

  (** val max : z -> z -> z **)

  let max n0 m =
    match compare n0 m with
    | Lt -> m
    | _ -> n0

  (** val min : z -> z -> z **)

  let min n0 m =
    match compare n0 m with
    | Gt -> m
    | _ -> n0

  (** val abs : z -> z **)

  let abs = function
  | Zneg p -> Zpos p
  | x -> x

  (** val to_nat : z -> int **)

  let to_nat = function
  | Zpos p -> Coq_Pos.to_nat p
  | _ -> 0

  (** val of_nat : int -> z **)

  let of_nat n0 =
    (fun fO fS n -> if n=0 then fO () else fS (n-1))
      (fun _ -> Z0)
      (fun n1 -> Zpos (Coq_Pos.of_succ_nat n1))
      n0

  (** val of_N : n -> z **)

  let of_N = function
  | N0 -> Z0
  | Npos p -> Zpos p

  (** val pos_div_eucl : positive -> z -> z * z **)

  let rec pos_div_eucl a0 b0 =
    match a0 with
    | XI a' ->
      let (q, r) = pos_div_eucl a' b0 in
      let r' = add (mul (Zpos (XO XH)) r) (Zpos XH) in
      if ltb r' b0
      then ((mul (Zpos (XO XH)) q), r')
      else ((add (mul (Zpos (XO XH)) q) (Zpos XH)), (sub r' b0))
    | XO a' ->
      let (q, r) = pos_div_eucl a' b0 in
      let r' = mul (Zpos (XO XH)) r in
      if ltb r' b0
      then ((mul (Zpos (XO XH)) q), r')
      else ((add (mul (Zpos (XO XH)) q) (Zpos XH)), (sub r' b0))
    | XH -> if leb (Zpos (XO XH)) b0 then (Z0, (Zpos XH)) else ((Zpos XH), Z0)

  (** val div_eucl : z -> z -> z * z **)

  let div_eucl a0 b0 =
    match a0 with
    | Z0 -> (Z0, Z0)
    | Zpos a' ->
      (match b0 with
       | Z0 -> (Z0, a0)
       | Zpos _ -> pos_div_eucl a' b0
       | Zneg b' ->
         let (q, r) = pos_div_eucl a' (Zpos b') in
         (match r with
          | Z0 -> ((opp q), Z0)
          | _ -> ((opp (add q (Zpos XH))), (add b0 r))))
    | Zneg a' ->
      (match b0 with
       | Z0 -> (Z0, a0)
       | Zpos _ ->
         let (q, r) = pos_div_eucl a' b0 in
         (match r with
          | Z0 -> ((opp q), Z0)
          | _ -> ((opp (add q (Zpos XH))), (sub b0 r)))
       | Zneg b' -> let (q, r) = pos_div_eucl a' (Zpos b') in (q, (opp r)))

  (** val div : z -> z -> z **)

  let div a0 b0 =
    let (q, _) = div_eucl a0 b0 in q

  (** val modulo : z -> z -> z **)

  let modulo a0 b0 =
    let (_, r) = div_eucl a0 b0 in r

  (** val quotrem : z -> z -> z * z **)

  let quotrem a0 b0 =
    match a0 with
    | Z0 -> (Z0, Z0)
    | Zpos a1 ->
      (match b0 with
       | Z0 -> (Z0, a0)
       | Zpos b1 ->
         let (q, r) = N.pos_div_eucl a1 (Npos b1) in ((of_N q), (of_N r))
       | Zneg b1 ->
         let (q, r) = N.pos_div_eucl a1 (Npos b1) in
         ((opp (of_N q)), (of_N r)))
    | Zneg a1 ->
      (match b0 with
       | Z0 -> (Z0, a0)
       | Zpos b1 ->
         let (q, r) = N.pos_div_eucl a1 (Npos b1) in
         ((opp (of_N q)), (opp (of_N r)))
       | Zneg b1 ->
         let (q, r) = N.pos_div_eucl a1 (Npos b1) in
         ((of_N q), (opp (of_N r))))

  (** val quot : z -> z -> z **)

  let quot a0 b0 =
    fst (quotrem a0 b0)

  (** val rem : z -> z -> z **)

  let rem a0 b0 =
    snd (quotrem a0 b0)

  (** val even : z -> bool **)

  let even = function
  | Z0 -> true
  | Zpos p -> (match p with
               | XO _ -> true
               | _ -> false)
  | Zneg p -> (match p with
               | XO _ -> true
               | _ -> false)

  (** val odd : z -> bool **)

  let odd = function
  | Z0 -> false
  | Zpos p -> (match p with
               | XO _ -> false
               | _ -> true)
  | Zneg p -> (match p with
               | XO _ -> false
               | _ -> true)

  (** val div2 : z -> z **)

  let div2 = function
  | Z0 -> Z0
  | Zpos p -> (match p with
               | XH -> Z0
               | _ -> Zpos (Coq_Pos.div2 p))
  | Zneg p -> Zneg (Coq_Pos.div2_up p)

  (** val log2 : z -> z **)

  let log2 = function
  | Zpos p0 ->
    (match p0 with
     | XI p -> Zpos (Coq_Pos.size p)
     | XO p -> Zpos (Coq_Pos.size p)
     | XH -> Z0)
  | _ -> Z0

  (** val shiftl : z -> z -> z **)

  let shiftl a0 = function
  | Z0 -> a0
  | Zpos p -> Coq_Pos.iter (mul (Zpos (XO XH))) a0 p
  | Zneg p -> Coq_Pos.iter div2 a0 p

  (** val coq_lor : z -> z -> z **)

  let coq_lor a0 b0 =
    match a0 with
    | Z0 -> b0
    | Zpos a1 ->
      (match b0 with
       | Z0 -> a0
       | Zpos b1 -> Zpos (Coq_Pos.coq_lor a1 b1)
       | Zneg b1 -> Zneg (N.succ_pos (N.ldiff (Coq_Pos.pred_N b1) (Npos a1))))
    | Zneg a1 ->
      (match b0 with
       | Z0 -> a0
       | Zpos b1 -> Zneg (N.succ_pos (N.ldiff (Coq_Pos.pred_N a1) (Npos b1)))
       | Zneg b1 ->
         Zneg
           (N.succ_pos (N.coq_land (Coq_Pos.pred_N a1) (Coq_Pos.pred_N b1))))

  (** val coq_land : z -> z -> z **)

  let coq_land a0 b0 =
    match a0 with
    | Z0 -> Z0
    | Zpos a1 ->
      (match b0 with
       | Z0 -> Z0
       | Zpos b1 -> of_N (Coq_Pos.coq_land a1 b1)
       | Zneg b1 -> of_N (N.ldiff (Npos a1) (Coq_Pos.pred_N b1)))
    | Zneg a1 ->
      (match b0 with
       | Z0 -> Z0
       | Zpos b1 -> of_N (N.ldiff (Npos b1) (Coq_Pos.pred_N a1))
       | Zneg b1 ->
         Zneg (N.succ_pos (N.coq_lor (Coq_Pos.pred_N a1) (Coq_Pos.pred_N b1))))

  (** val coq_lxor : z -> z -> z **)

  let coq_lxor a0 b0 =
    match a0 with
    | Z0 -> b0
    | Zpos a1 ->
      (match b0 with
       | Z0 -> a0
       | Zpos b1 -> of_N (Coq_Pos.coq_lxor a1 b1)
       | Zneg b1 ->
         Zneg (N.succ_pos (N.coq_lxor (Npos a1) (Coq_Pos.pred_N b1))))
    | Zneg a1 ->
      (match b0 with
       | Z0 -> a0
       | Zpos b1 ->
         Zneg (N.succ_pos (N.coq_lxor (Coq_Pos.pred_N a1) (Npos b1)))
       | Zneg b1 -> of_N (N.coq_lxor (Coq_Pos.pred_N a1) (Coq_Pos.pred_N b1)))

  (** val eq_dec : z -> z -> bool **)

  let eq_dec x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> true
             | _ -> false)
    | Zpos p -> (match y with
                 | Zpos p0 -> Coq_Pos.eq_dec p p0
                 | _ -> false)
    | Zneg p -> (match y with
                 | Zneg p0 -> Coq_Pos.eq_dec p p0
                 | _ -> false)

  (** val b2z : bool -> z **)

  let b2z = function
  | true -> Zpos XH
  | false -> Z0

  (** val lnot : z -> z **)

  let lnot a0 =
    pred (opp a0)

  (** val ones : z -> z **)

  let ones n0 =
    pred (shiftl (Zpos XH) n0)
 end

type mono = int list

type poly = (mono * z) list

type val0 = int -> z

(** val meval : val0 -> mono -> z **)

let rec meval r = function
| [] -> Zpos XH
| a0 :: m' -> Z.mul (r a0) (meval r m')

(** val peval : val0 -> poly -> z **)

let rec peval r = function
| [] -> Z0
| p0 :: p' -> let (m, c) = p0 in Z.add (Z.mul c (meval r m)) (peval r p')

(** val mcmp : mono -> mono -> comparison **)

let rec mcmp m n0 =
  match m with
  | [] -> (match n0 with
           | [] -> Eq
           | _ :: _ -> Lt)
  | a0 :: m' ->
    (match n0 with
     | [] -> Gt
     | b0 :: n' -> (match Nat.compare a0 b0 with
                    | Eq -> mcmp m' n'
                    | x -> x))

(** val mput : int -> mono -> mono **)

let rec mput a0 m = match m with
| [] -> a0 :: []
| b0 :: m' -> if (<=) a0 b0 then a0 :: m else b0 :: (mput a0 m')

(** val mmul : mono -> mono -> mono **)

let mmul m n0 =
  fold_right mput n0 m

(** val pput : mono -> z -> poly -> poly **)

let rec pput m c p =
  if Z.eqb c Z0
  then p
  else (match p with
        | [] -> (m, c) :: []
        | p0 :: q ->
          let (n0, d) = p0 in
          (match mcmp m n0 with
           | Eq -> if Z.eqb (Z.add c d) Z0 then q else (n0, (Z.add c d)) :: q
           | Lt -> (m, c) :: p
           | Gt -> (n0, d) :: (pput m c q)))

(** val padd : poly -> poly -> poly **)

let padd p q =
  fold_right (fun t acc -> pput (fst t) (snd t) acc) q p

(** val pscale : mono -> z -> poly -> poly **)

let pscale m c p =
  fold_right (fun t acc -> pput (mmul m (fst t)) (Z.mul c (snd t)) acc) [] p

(** val pmul : poly -> poly -> poly **)

let pmul p q =
  fold_right (fun t acc -> padd (pscale (fst t) (snd t) q) acc) [] p

(** val pconst : z -> poly **)

let pconst c =
  pput [] c []

(** val pvar : int -> poly **)

let pvar a0 =
  ((a0 :: []), (Zpos XH)) :: []

(** val pneg : poly -> poly **)

let pneg p =
  pscale [] (Zneg XH) p

(** val psub : poly -> poly -> poly **)

let psub p q =
  padd p (pneg q)

(** val pconstant : poly -> z option **)

let pconstant = function
| [] -> Some Z0
| p0 :: l ->
  let (m, c) = p0 in
  (match m with
   | [] -> (match l with
            | [] -> Some c
            | _ :: _ -> None)
   | _ :: _ -> None)

(** val poly_eq_dec : poly -> poly -> bool **)

let rec poly_eq_dec l x =
  match l with
  | [] -> (match x with
           | [] -> true
           | _ :: _ -> false)
  | y :: l0 ->
    (match x with
     | [] -> false
     | a0 :: l1 ->
       if let (a1, b0) = y in
          let (a2, b1) = a0 in
          if let rec f l2 x0 =
               match l2 with
               | [] -> (match x0 with
                        | [] -> true
                        | _ :: _ -> false)
               | y0 :: l3 ->
                 (match x0 with
                  | [] -> false
                  | a3 :: l4 ->
                    if let rec f0 n0 x1 =
                         (fun fO fS n -> if n=0 then fO () else fS (n-1))
                           (fun _ ->
                           (fun fO fS n -> if n=0 then fO () else fS (n-1))
                             (fun _ -> true)
                             (fun _ -> false)
                             x1)
                           (fun n1 ->
                           (fun fO fS n -> if n=0 then fO () else fS (n-1))
                             (fun _ -> false)
                             (fun n2 -> f0 n1 n2)
                             x1)
                           n0
                       in f0 y0 a3
                    then f l3 l4
                    else false)
             in f a1 a2
          then (match b0 with
                | Z0 -> (match b1 with
                         | Z0 -> true
                         | _ -> false)
                | Zpos p ->
                  (match b1 with
                   | Zpos p0 ->
                     let rec f p1 x0 =
                       match p1 with
                       | XI p2 ->
                         (match x0 with
                          | XI p3 -> f p2 p3
                          | _ -> false)
                       | XO p2 ->
                         (match x0 with
                          | XO p3 -> f p2 p3
                          | _ -> false)
                       | XH -> (match x0 with
                                | XH -> true
                                | _ -> false)
                     in f p p0
                   | _ -> false)
                | Zneg p ->
                  (match b1 with
                   | Zneg p0 ->
                     let rec f p1 x0 =
                       match p1 with
                       | XI p2 ->
                         (match x0 with
                          | XI p3 -> f p2 p3
                          | _ -> false)
                       | XO p2 ->
                         (match x0 with
                          | XO p3 -> f p2 p3
                          | _ -> false)
                       | XH -> (match x0 with
                                | XH -> true
                                | _ -> false)
                     in f p p0
                   | _ -> false))
          else false
       then poly_eq_dec l0 l1
       else false)

(** val peqb : poly -> poly -> bool **)

let peqb p q =
  if poly_eq_dec p q then true else false

type formula =
| FGe of poly
| FEq of poly
| FAnd of formula list
| FOr of formula list

(** val feval : val0 -> formula -> bool **)

let rec feval r = function
| FGe p -> Z.leb Z0 (peval r p)
| FEq p -> Z.eqb (peval r p) Z0
| FAnd l -> forallb (feval r) l
| FOr l -> existsb (feval r) l

(** val formula_eq_dec : formula -> formula -> bool **)

let rec formula_eq_dec f g =
  match f with
  | FGe p -> (match g with
              | FGe p0 -> poly_eq_dec p p0
              | _ -> false)
  | FEq p -> (match g with
              | FEq p0 -> poly_eq_dec p p0
              | _ -> false)
  | FAnd l ->
    (match g with
     | FAnd l0 -> list_eq_dec formula_eq_dec l l0
     | _ -> false)
  | FOr l ->
    (match g with
     | FOr l0 -> list_eq_dec formula_eq_dec l l0
     | _ -> false)

(** val feqb : formula -> formula -> bool **)

let feqb f g =
  if formula_eq_dec f g then true else false

(** val ands : formula -> formula list **)

let ands f = match f with
| FAnd l -> l
| _ -> f :: []

(** val ors : formula -> formula list **)

let ors f = match f with
| FOr l -> l
| _ -> f :: []

(** val one : (formula list -> formula) -> formula list -> formula **)

let one make l = match l with
| [] -> make l
| f :: l0 -> (match l0 with
              | [] -> f
              | _ :: _ -> make l)

(** val both : formula list -> formula **)

let both l =
  one (fun x -> FAnd x) (flat_map ands l)

(** val some : formula list -> formula **)

let some l =
  one (fun x -> FOr x) (flat_map ors l)

(** val negated : formula -> formula **)

let rec negated = function
| FGe p -> FGe (psub (pneg p) (pconst (Zpos XH)))
| FEq p ->
  some ((FGe (psub p (pconst (Zpos XH)))) :: ((FGe
    (psub (pneg p) (pconst (Zpos XH)))) :: []))
| FAnd l -> some (map negated l)
| FOr l -> both (map negated l)

(** val flattened : formula list -> formula list **)

let flattened l =
  map (fun f ->
    match f with
    | FOr l0 -> (match l0 with
                 | [] -> FGe (pconst (Zneg XH))
                 | _ :: _ -> f)
    | _ -> f) (flat_map ands l)

(** val minus1 : poly -> poly **)

let minus1 p =
  psub (pneg p) (pconst (Zpos XH))

(** val poly_of : (z * int list) list -> poly **)

let poly_of rows =
  fold_right (fun row0 p ->
    pput (fold_right mput [] (snd row0)) (fst row0) p) [] rows

type dtype = { signed : bool; bits : z }

type op =
| Add
| Sub
| Mul
| FloorDiv
| FloorMod
| TruncDiv
| TruncMod
| Min
| Max
| Shl
| Shr
| BitAnd
| BitOr
| BitXor

type cmp =
| CEq
| CNe
| CLt
| CLe
| CGt
| CGe

type iexpr =
| INum of z
| ISym of int
| IBin of op * iexpr * iexpr
| IAbs of iexpr
| INot of iexpr
| IIf of bexpr * iexpr * iexpr
| IWrap of dtype * iexpr
and bexpr =
| BConst of bool
| BSym of int
| BNot of bexpr
| BAnd of bexpr * bexpr
| BOr of bexpr * bexpr
| BImp of bexpr * bexpr
| BIff of bexpr * bexpr
| BIf of bexpr * bexpr * bexpr
| BCmp of cmp * iexpr * iexpr

type env = { ints : (int -> z); bools : (int -> bool) }

type 'a outcome =
| Val of 'a
| NoValue
| Outside

(** val low : dtype -> z **)

let low d =
  if d.signed
  then Z.opp (Z.pow (Zpos (XO XH)) (Z.sub d.bits (Zpos XH)))
  else Z0

(** val high : dtype -> z **)

let high d =
  if d.signed
  then Z.sub (Z.pow (Zpos (XO XH)) (Z.sub d.bits (Zpos XH))) (Zpos XH)
  else Z.sub (Z.pow (Zpos (XO XH)) d.bits) (Zpos XH)

(** val within : dtype -> z -> bool **)

let within d x =
  (&&) (Z.leb (low d) x) (Z.leb x (high d))

(** val wrap : dtype -> z -> z **)

let wrap d x =
  Z.add
    (Z.modulo (Z.sub x (low d)) (Z.add (Z.sub (high d) (low d)) (Zpos XH)))
    (low d)

(** val bin : op -> z -> z -> z option **)

let bin o x y =
  match o with
  | Add -> Some (Z.add x y)
  | Sub -> Some (Z.sub x y)
  | Mul -> Some (Z.mul x y)
  | FloorDiv -> if Z.eqb y Z0 then None else Some (Z.div x y)
  | FloorMod -> if Z.eqb y Z0 then None else Some (Z.modulo x y)
  | TruncDiv -> if Z.eqb y Z0 then None else Some (Z.quot x y)
  | TruncMod -> if Z.eqb y Z0 then None else Some (Z.rem x y)
  | Min -> Some (Z.min x y)
  | Max -> Some (Z.max x y)
  | Shl ->
    if Z.ltb y Z0 then None else Some (Z.mul x (Z.pow (Zpos (XO XH)) y))
  | Shr ->
    if Z.ltb y Z0 then None else Some (Z.div x (Z.pow (Zpos (XO XH)) y))
  | BitAnd -> Some (Z.coq_land x y)
  | BitOr -> Some (Z.coq_lor x y)
  | BitXor -> Some (Z.coq_lxor x y)

(** val compare0 : cmp -> z -> z -> bool **)

let compare0 o x y =
  match o with
  | CEq -> Z.eqb x y
  | CNe -> negb (Z.eqb x y)
  | CLt -> Z.ltb x y
  | CLe -> Z.leb x y
  | CGt -> Z.ltb y x
  | CGe -> Z.leb y x

(** val ranged : dtype option -> z -> z outcome **)

let ranged fits0 x =
  match fits0 with
  | Some d -> if within d x then Val x else Outside
  | None -> Val x

type question = { symbols : bool list; assumptions : bexpr list;
                  claim : bexpr; fits : dtype option; require : bool }

(** val iscoped : bool list -> iexpr -> bool **)

let rec iscoped s = function
| INum _ -> true
| ISym k -> (match nth_error s k with
             | Some t -> negb t
             | None -> false)
| IBin (_, a0, b0) -> (&&) (iscoped s a0) (iscoped s b0)
| IAbs a0 -> iscoped s a0
| INot a0 -> iscoped s a0
| IIf (c, a0, b0) -> (&&) ((&&) (bscoped s c) (iscoped s a0)) (iscoped s b0)
| IWrap (_, a0) -> iscoped s a0

(** val bscoped : bool list -> bexpr -> bool **)

and bscoped s = function
| BConst _ -> true
| BSym k -> (match nth_error s k with
             | Some t -> t
             | None -> false)
| BNot a0 -> bscoped s a0
| BAnd (a0, b0) -> (&&) (bscoped s a0) (bscoped s b0)
| BOr (a0, b0) -> (&&) (bscoped s a0) (bscoped s b0)
| BImp (a0, b0) -> (&&) (bscoped s a0) (bscoped s b0)
| BIff (a0, b0) -> (&&) (bscoped s a0) (bscoped s b0)
| BIf (c, a0, b0) -> (&&) ((&&) (bscoped s c) (bscoped s a0)) (bscoped s b0)
| BCmp (_, a0, b0) -> (&&) (iscoped s a0) (iscoped s b0)

(** val scoped : question -> bool **)

let scoped q =
  forallb (bscoped q.symbols) (q.claim :: q.assumptions)

type kind =
| FD
| TD
| MIN
| AND
| GE
| EQ
| P2
| DEFINE

(** val kind_eq_dec : kind -> kind -> bool **)

let kind_eq_dec j k =
  match j with
  | FD -> (match k with
           | FD -> true
           | _ -> false)
  | TD -> (match k with
           | TD -> true
           | _ -> false)
  | MIN -> (match k with
            | MIN -> true
            | _ -> false)
  | AND -> (match k with
            | AND -> true
            | _ -> false)
  | GE -> (match k with
           | GE -> true
           | _ -> false)
  | EQ -> (match k with
           | EQ -> true
           | _ -> false)
  | P2 -> (match k with
           | P2 -> true
           | _ -> false)
  | DEFINE -> (match k with
               | DEFINE -> true
               | _ -> false)

(** val fits_arity : kind -> int -> bool **)

let fits_arity k n0 =
  match k with
  | FD -> (=) n0 (Stdlib.Int.succ (Stdlib.Int.succ 0))
  | TD -> (=) n0 (Stdlib.Int.succ (Stdlib.Int.succ 0))
  | MIN -> (<=) (Stdlib.Int.succ (Stdlib.Int.succ 0)) n0
  | AND -> (=) n0 (Stdlib.Int.succ (Stdlib.Int.succ 0))
  | _ -> (=) n0 (Stdlib.Int.succ 0)

type atom =
| ASym of bool * int
| AKind of kind * poly list
| AIte of bexpr * formula * formula * poly * poly

(** val polys_eq_dec : poly list -> poly list -> bool **)

let polys_eq_dec =
  list_eq_dec poly_eq_dec

(** val same_atom : atom -> atom -> bool **)

let same_atom x y =
  match x with
  | ASym (b0, s) ->
    (match y with
     | ASym (c, t) -> (&&) (eqb b0 c) ((=) s t)
     | _ -> false)
  | AKind (j, l) ->
    (match y with
     | AKind (k, m) ->
       (&&) (if kind_eq_dec j k then true else false)
         (if polys_eq_dec l m then true else false)
     | _ -> false)
  | AIte (_, y0, n0, a0, b0) ->
    (match y with
     | AIte (_, y', n', a', b') ->
       (&&) ((&&) ((&&) (feqb y0 y') (feqb n0 n')) (peqb a0 a')) (peqb b0 b')
     | _ -> false)

type 'a res =
| Ok of 'a
| Bad

(** val bind : 'a1 res -> ('a1 -> 'a2 res) -> 'a2 res **)

let bind x f =
  match x with
  | Ok a0 -> f a0
  | Bad -> Bad

type table = atom list

(** val find0 : atom -> table -> int -> poly res **)

let rec find0 x t k =
  match t with
  | [] -> Bad
  | y :: t' ->
    if same_atom y x then Ok (pvar k) else find0 x t' (Stdlib.Int.succ k)

(** val lookup : table -> atom -> poly res **)

let lookup t x =
  find0 x t 0

(** val minimum : table -> poly -> poly -> poly res **)

let minimum t a0 b0 =
  lookup t (AKind (MIN, (a0 :: (b0 :: []))))

(** val two_to : table -> poly -> poly res **)

let two_to t k =
  match pconstant k with
  | Some c ->
    if (&&) (Z.leb Z0 c)
         (Z.leb c (Zpos (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO
           XH))))))))))))))
    then Ok (pconst (Z.pow (Zpos (XO XH)) c))
    else lookup t (AKind (P2, (k :: [])))
  | None -> lookup t (AKind (P2, (k :: [])))

(** val ones0 : int -> z -> z **)

let rec ones0 fuel m =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> Z0)
    (fun fuel' ->
    if Z.odd m
    then Z.add (Zpos XH) (ones0 fuel' (Z.div m (Zpos (XO XH))))
    else Z0)
    fuel

(** val runs : int -> z -> z -> (z * z) list **)

let rec runs fuel at_ m =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> [])
    (fun fuel' ->
    if Z.eqb m Z0
    then []
    else if Z.even m
         then runs fuel' (Z.add at_ (Zpos XH)) (Z.div m (Zpos (XO XH)))
         else let w = ones0 fuel m in
              (at_,
              w) :: (runs fuel' (Z.add at_ w)
                      (Z.div m (Z.pow (Zpos (XO XH)) w))))
    fuel

(** val run_mask : (z * z) -> z **)

let run_mask x =
  Z.shiftl (Z.ones (snd x)) (fst x)

(** val runs_mask : (z * z) list -> z **)

let runs_mask l =
  fold_right (fun x m -> Z.add (run_mask x) m) Z0 l

(** val disjoint : (z * z) list -> bool **)

let rec disjoint = function
| [] -> true
| x :: l' ->
  (&&)
    ((&&) ((&&) (Z.leb Z0 (fst x)) (Z.leb Z0 (snd x)))
      (Z.eqb (Z.coq_land (run_mask x) (runs_mask l')) Z0)) (disjoint l')

(** val masked : table -> poly -> (z * z) list -> poly res **)

let rec masked t p = function
| [] -> Ok (pconst Z0)
| x :: l' ->
  bind
    (if Z.eqb (fst x) Z0
     then Ok p
     else lookup t (AKind (FD,
            (p :: ((pconst (Z.pow (Zpos (XO XH)) (fst x))) :: [])))))
    (fun q ->
    bind
      (lookup t (AKind (FD,
        (q :: ((pconst (Z.pow (Zpos (XO XH)) (snd x))) :: []))))) (fun h ->
      bind (masked t p l') (fun rest -> Ok
        (padd
          (pmul (pconst (Z.pow (Zpos (XO XH)) (fst x)))
            (psub q (pmul (pconst (Z.pow (Zpos (XO XH)) (snd x))) h))) rest))))

(** val mask_by : table -> poly -> z -> poly res **)

let mask_by t p m =
  let l =
    runs (Z.to_nat (Z.add (Z.mul (Zpos (XO XH)) (Z.log2 m)) (Zpos (XO XH))))
      Z0 m
  in
  if (&&) (disjoint l) (Z.eqb (runs_mask l) m) then masked t p l else Bad

(** val bit_mask : table -> poly -> z -> poly res **)

let bit_mask t p m =
  if Z.ltb m Z0
  then bind (mask_by t p (Z.lnot m)) (fun q -> Ok (psub p q))
  else mask_by t p m

(** val bit_and : table -> poly -> poly -> poly res **)

let bit_and t a0 b0 =
  match pconstant a0 with
  | Some x ->
    (match pconstant b0 with
     | Some y -> Ok (pconst (Z.coq_land x y))
     | None -> bit_mask t b0 x)
  | None ->
    (match pconstant b0 with
     | Some y -> bit_mask t a0 y
     | None -> lookup t (AKind (AND, (a0 :: (b0 :: [])))))

(** val rbin : table -> op -> poly -> poly -> poly res **)

let rbin t o a0 b0 =
  match o with
  | Add -> Ok (padd a0 b0)
  | Sub -> Ok (psub a0 b0)
  | Mul -> Ok (pmul a0 b0)
  | FloorDiv -> lookup t (AKind (FD, (a0 :: (b0 :: []))))
  | FloorMod ->
    bind (lookup t (AKind (FD, (a0 :: (b0 :: []))))) (fun q -> Ok
      (psub a0 (pmul b0 q)))
  | TruncDiv -> lookup t (AKind (TD, (a0 :: (b0 :: []))))
  | TruncMod ->
    bind (lookup t (AKind (TD, (a0 :: (b0 :: []))))) (fun q -> Ok
      (psub a0 (pmul b0 q)))
  | Min -> minimum t a0 b0
  | Max -> bind (minimum t (pneg a0) (pneg b0)) (fun m -> Ok (pneg m))
  | Shl -> bind (two_to t b0) (fun k -> Ok (pmul a0 k))
  | Shr ->
    bind (two_to t b0) (fun k -> lookup t (AKind (FD, (a0 :: (k :: [])))))
  | BitAnd -> bit_and t a0 b0
  | BitOr -> bind (bit_and t a0 b0) (fun c -> Ok (psub (padd a0 b0) c))
  | BitXor ->
    bind (bit_and t a0 b0) (fun c -> Ok (psub (psub (padd a0 b0) c) c))

(** val compared : cmp -> poly -> poly -> bool -> formula **)

let compared o a0 b0 v0 =
  let f =
    match o with
    | CEq -> FEq (psub a0 b0)
    | CNe -> negated (FEq (psub a0 b0))
    | CLt -> FGe (psub (psub b0 a0) (pconst (Zpos XH)))
    | CLe -> FGe (psub b0 a0)
    | CGt -> FGe (psub (psub a0 b0) (pconst (Zpos XH)))
    | CGe -> FGe (psub a0 b0)
  in
  if v0 then f else negated f

(** val rwrap : table -> dtype -> poly -> poly res **)

let rwrap t d p =
  let m = pconst (Z.add (Z.sub (high d) (low d)) (Zpos XH)) in
  bind (lookup t (AKind (FD, ((psub p (pconst (low d))) :: (m :: [])))))
    (fun q -> Ok (psub p (pmul m q)))

(** val term : table -> iexpr -> poly res **)

let rec term t = function
| INum z0 -> Ok (pconst z0)
| ISym k -> lookup t (ASym (false, k))
| IBin (o, a0, b0) ->
  bind (term t a0) (fun p -> bind (term t b0) (fun q -> rbin t o p q))
| IAbs a0 ->
  bind (term t a0) (fun p ->
    bind (minimum t p (pneg p)) (fun m -> Ok (pneg m)))
| INot a0 -> bind (term t a0) (fun p -> Ok (minus1 p))
| IIf (c, a0, b0) ->
  bind (term t a0) (fun p ->
    bind (term t b0) (fun q ->
      bind (truth t c true) (fun y ->
        bind (truth t c false) (fun n0 -> lookup t (AIte (c, y, n0, p, q))))))
| IWrap (d, a0) -> bind (term t a0) (fun p -> rwrap t d p)

(** val truth : table -> bexpr -> bool -> formula res **)

and truth t e v0 =
  match e with
  | BConst t0 -> Ok (if eqb t0 v0 then FAnd [] else FOr [])
  | BSym k ->
    bind (lookup t (ASym (true, k))) (fun p -> Ok (FEq
      (psub p (pconst (if v0 then Zpos XH else Z0)))))
  | BNot a0 -> truth t a0 (negb v0)
  | BAnd (a0, b0) ->
    bind (truth t a0 v0) (fun f ->
      bind (truth t b0 v0) (fun g -> Ok
        (if v0 then both (f :: (g :: [])) else some (f :: (g :: [])))))
  | BOr (a0, b0) ->
    bind (truth t a0 v0) (fun f ->
      bind (truth t b0 v0) (fun g -> Ok
        (if v0 then some (f :: (g :: [])) else both (f :: (g :: [])))))
  | BImp (a0, b0) ->
    bind (truth t a0 (negb v0)) (fun f ->
      bind (truth t b0 v0) (fun g -> Ok
        (if v0 then some (f :: (g :: [])) else both (f :: (g :: [])))))
  | BIff (a0, b0) ->
    bind (truth t a0 true) (fun at_ ->
      bind (truth t b0 v0) (fun bt ->
        bind (truth t a0 false) (fun af ->
          bind (truth t b0 (negb v0)) (fun bf -> Ok
            (some
              ((both (at_ :: (bt :: []))) :: ((both (af :: (bf :: []))) :: [])))))))
  | BIf (c, a0, b0) ->
    bind (truth t c true) (fun ct ->
      bind (truth t a0 v0) (fun f ->
        bind (truth t c false) (fun cf ->
          bind (truth t b0 v0) (fun g -> Ok
            (some
              ((both (ct :: (f :: []))) :: ((both (cf :: (g :: []))) :: [])))))))
  | BCmp (o, a0, b0) ->
    bind (term t a0) (fun p ->
      bind (term t b0) (fun q -> Ok (compared o p q v0)))

(** val own : table -> op -> iexpr -> formula list res **)

let own t o b0 =
  match o with
  | FloorDiv ->
    bind (term t b0) (fun p -> Ok
      (match pconstant p with
       | Some c -> if Z.eqb c Z0 then (negated (FEq p)) :: [] else []
       | None -> (negated (FEq p)) :: []))
  | FloorMod ->
    bind (term t b0) (fun p -> Ok
      (match pconstant p with
       | Some c -> if Z.eqb c Z0 then (negated (FEq p)) :: [] else []
       | None -> (negated (FEq p)) :: []))
  | TruncDiv ->
    bind (term t b0) (fun p -> Ok
      (match pconstant p with
       | Some c -> if Z.eqb c Z0 then (negated (FEq p)) :: [] else []
       | None -> (negated (FEq p)) :: []))
  | TruncMod ->
    bind (term t b0) (fun p -> Ok
      (match pconstant p with
       | Some c -> if Z.eqb c Z0 then (negated (FEq p)) :: [] else []
       | None -> (negated (FEq p)) :: []))
  | Shl ->
    bind (term t b0) (fun p -> Ok
      (match pconstant p with
       | Some c -> if Z.leb Z0 c then [] else (FGe p) :: []
       | None -> (FGe p) :: []))
  | Shr ->
    bind (term t b0) (fun p -> Ok
      (match pconstant p with
       | Some c -> if Z.leb Z0 c then [] else (FGe p) :: []
       | None -> (FGe p) :: []))
  | _ -> Ok []

(** val guard : formula -> formula res -> formula list res **)

let guard needed excuse =
  match needed with
  | FAnd l ->
    (match l with
     | [] -> Ok []
     | _ :: _ ->
       bind excuse (fun x -> Ok ((some (x :: (needed :: []))) :: [])))
  | _ -> bind excuse (fun x -> Ok ((some (x :: (needed :: []))) :: []))

(** val idefined : table -> iexpr -> formula res **)

let rec idefined t = function
| IBin (o, a0, b0) ->
  bind (idefined t a0) (fun f ->
    bind (idefined t b0) (fun g ->
      bind (own t o b0) (fun h -> Ok (both (f :: (g :: h))))))
| IAbs a0 -> idefined t a0
| INot a0 -> idefined t a0
| IIf (c, a0, b0) ->
  bind (idefined t a0) (fun f ->
    bind (idefined t b0) (fun g ->
      bind (guard f (truth t c false)) (fun x ->
        bind (guard g (truth t c true)) (fun y ->
          bind (bdefined t c) (fun d -> Ok (both (d :: (app x y))))))))
| IWrap (_, a0) -> idefined t a0
| _ -> Ok (FAnd [])

(** val bdefined : table -> bexpr -> formula res **)

and bdefined t = function
| BNot a0 -> bdefined t a0
| BAnd (a0, b0) ->
  bind (bdefined t b0) (fun g ->
    bind (guard g (truth t a0 false)) (fun x ->
      bind (bdefined t a0) (fun f -> Ok (both (f :: x)))))
| BOr (a0, b0) ->
  bind (bdefined t b0) (fun g ->
    bind (guard g (truth t a0 true)) (fun x ->
      bind (bdefined t a0) (fun f -> Ok (both (f :: x)))))
| BImp (a0, b0) ->
  bind (bdefined t b0) (fun g ->
    bind (guard g (truth t a0 false)) (fun x ->
      bind (bdefined t a0) (fun f -> Ok (both (f :: x)))))
| BIff (a0, b0) ->
  bind (bdefined t a0) (fun f ->
    bind (bdefined t b0) (fun g -> Ok (both (f :: (g :: [])))))
| BIf (c, a0, b0) ->
  bind (bdefined t a0) (fun f ->
    bind (bdefined t b0) (fun g ->
      bind (guard f (truth t c false)) (fun x ->
        bind (guard g (truth t c true)) (fun y ->
          bind (bdefined t c) (fun d -> Ok (both (d :: (app x y))))))))
| BCmp (_, a0, b0) ->
  bind (idefined t a0) (fun f ->
    bind (idefined t b0) (fun g -> Ok (both (f :: (g :: [])))))
| _ -> Ok (FAnd [])

(** val settled : table -> bexpr -> bool -> formula res **)

let rec settled t e v0 =
  match e with
  | BNot a0 -> settled t a0 (negb v0)
  | BAnd (a0, b0) ->
    if v0
    then bind (settled t a0 v0) (fun f ->
           bind (settled t b0 v0) (fun g -> Ok (both (f :: (g :: [])))))
    else bind (settled t a0 v0) (fun f ->
           bind (settled t a0 (negb v0)) (fun x ->
             bind (settled t b0 v0) (fun g -> Ok
               (some (f :: ((both (x :: (g :: []))) :: []))))))
  | BOr (a0, b0) ->
    if v0
    then bind (settled t a0 v0) (fun f ->
           bind (settled t a0 (negb v0)) (fun x ->
             bind (settled t b0 v0) (fun g -> Ok
               (some (f :: ((both (x :: (g :: []))) :: []))))))
    else bind (settled t a0 v0) (fun f ->
           bind (settled t b0 v0) (fun g -> Ok (both (f :: (g :: [])))))
  | BImp (a0, b0) ->
    if v0
    then bind (settled t a0 false) (fun f ->
           bind (settled t a0 true) (fun x ->
             bind (settled t b0 true) (fun g -> Ok
               (some (f :: ((both (x :: (g :: []))) :: []))))))
    else bind (settled t a0 true) (fun f ->
           bind (settled t b0 false) (fun g -> Ok (both (f :: (g :: [])))))
  | _ ->
    bind (bdefined t e) (fun d ->
      bind (truth t e v0) (fun f -> Ok (both (d :: (f :: [])))))

(** val pbelow : int -> poly -> bool **)

let pbelow k p =
  forallb (fun t -> forallb (fun a0 -> Nat.ltb a0 k) (fst t)) p

(** val fbelow : int -> formula -> bool **)

let rec fbelow k = function
| FGe p -> pbelow k p
| FEq p -> pbelow k p
| FAnd l -> forallb (fbelow k) l
| FOr l -> forallb (fbelow k) l

(** val atom_ok : table -> int -> atom -> bool **)

let atom_ok t k = function
| ASym (_, _) -> true
| AKind (j, args) ->
  (&&) (fits_arity j (length args)) (forallb (pbelow k) args)
| AIte (c, yes, no, a0, b0) ->
  (&&) ((&&) ((&&) (fbelow k yes) (pbelow k a0)) (pbelow k b0))
    (match truth t c true with
     | Ok y ->
       (match truth t c false with
        | Ok n0 -> (&&) (feqb y yes) (feqb n0 no)
        | Bad -> false)
     | Bad -> false)

(** val atoms_ok : table -> int -> atom list -> bool **)

let rec atoms_ok t k = function
| [] -> true
| x :: rest' -> (&&) (atom_ok t k x) (atoms_ok t (Stdlib.Int.succ k) rest')

(** val table_ok : table -> bool **)

let table_ok t =
  atoms_ok t 0 t

type sch =
| V of int
| C of z
| SAdd of sch * sch
| SSub of sch * sch
| SMul of sch * sch

(** val spoly : poly list -> sch -> poly **)

let rec spoly ps = function
| V n0 -> nth n0 ps []
| C z0 -> pconst z0
| SAdd (a0, b0) -> padd (spoly ps a0) (spoly ps b0)
| SSub (a0, b0) -> psub (spoly ps a0) (spoly ps b0)
| SMul (a0, b0) -> pmul (spoly ps a0) (spoly ps b0)

type fact =
| Nonneg of sch
| Null of sch

(** val finst : poly list -> fact -> formula **)

let finst ps = function
| Nonneg s -> FGe (spoly ps s)
| Null s -> FEq (spoly ps s)

type axiom = { ax_kind : kind; ax_count : int; ax_needs : sch list;
               ax_gives : fact }

(** val v : sch **)

let v =
  V 0

(** val a : sch **)

let a =
  V (Stdlib.Int.succ 0)

(** val b : sch **)

let b =
  V (Stdlib.Int.succ (Stdlib.Int.succ 0))

(** val axioms : (string * axiom) list **)

let axioms =
  let neg = fun s -> SSub ((C Z0), s) in
  let ax1 = fun k needs gives -> { ax_kind = k; ax_count = (Stdlib.Int.succ
    0); ax_needs = needs; ax_gives = gives }
  in
  ("define", (ax1 DEFINE [] (Null (SSub (v, a))))) :: (("fd/low",
  (ax1 FD ((SSub (b, (C (Zpos XH)))) :: []) (Nonneg (SSub (a, (SMul (b,
    v))))))) :: (("fd/high",
  (ax1 FD ((SSub (b, (C (Zpos XH)))) :: []) (Nonneg (SSub ((SSub ((SAdd
    ((SMul (b, v)), b)), (C (Zpos XH)))), a))))) :: (("fd/low-negative",
  (ax1 FD ((SSub ((neg b), (C (Zpos XH)))) :: []) (Nonneg (SSub ((SMul (b,
    v)), a))))) :: (("fd/high-negative",
  (ax1 FD ((SSub ((neg b), (C (Zpos XH)))) :: []) (Nonneg (SSub ((SSub ((SSub
    (a, (SMul (b, v)))), b)), (C (Zpos XH))))))) :: (("td/low-pp",
  (ax1 TD (a :: ((SSub (b, (C (Zpos XH)))) :: [])) (Nonneg (SSub (a, (SMul
    (b, v))))))) :: (("td/high-pp",
  (ax1 TD (a :: ((SSub (b, (C (Zpos XH)))) :: [])) (Nonneg (SSub ((SSub
    ((SAdd ((SMul (b, v)), b)), (C (Zpos XH)))), a))))) :: (("td/low-np",
  (ax1 TD ((neg a) :: ((SSub (b, (C (Zpos XH)))) :: [])) (Nonneg (SSub ((SMul
    (b, v)), a))))) :: (("td/high-np",
  (ax1 TD ((neg a) :: ((SSub (b, (C (Zpos XH)))) :: [])) (Nonneg (SSub ((SAdd
    ((SSub (a, (SMul (b, v)))), b)), (C (Zpos XH))))))) :: (("td/low-pn",
  (ax1 TD (a :: ((SSub ((neg b), (C (Zpos XH)))) :: [])) (Nonneg (SSub (a,
    (SMul (b, v))))))) :: (("td/high-pn",
  (ax1 TD (a :: ((SSub ((neg b), (C (Zpos XH)))) :: [])) (Nonneg (SSub ((SSub
    ((SSub ((SMul (b, v)), b)), (C (Zpos XH)))), a))))) :: (("td/low-nn",
  (ax1 TD ((neg a) :: ((SSub ((neg b), (C (Zpos XH)))) :: [])) (Nonneg (SSub
    ((SMul (b, v)), a))))) :: (("td/high-nn",
  (ax1 TD ((neg a) :: ((SSub ((neg b), (C (Zpos XH)))) :: [])) (Nonneg (SSub
    ((SSub ((SSub (a, (SMul (b, v)))), b)), (C (Zpos XH))))))) :: (("truth/low-ge",
  (ax1 GE [] (Nonneg v))) :: (("truth/high-ge",
  (ax1 GE [] (Nonneg (SSub ((C (Zpos XH)), v))))) :: (("truth/low-eq",
  (ax1 EQ [] (Nonneg v))) :: (("truth/high-eq",
  (ax1 EQ [] (Nonneg (SSub ((C (Zpos XH)), v))))) :: (("p2/positive",
  (ax1 P2 (a :: []) (Nonneg (SSub (v, (C (Zpos XH))))))) :: (("p2/growth",
  (ax1 P2 (a :: []) (Nonneg (SSub ((SSub (v, a)), (C (Zpos XH))))))) :: (("and/low-left",
  (ax1 AND (a :: []) (Nonneg v))) :: (("and/low-right",
  (ax1 AND (b :: []) (Nonneg v))) :: (("and/high-left",
  (ax1 AND (a :: []) (Nonneg (SSub (a, v))))) :: (("and/high-right",
  (ax1 AND (b :: []) (Nonneg (SSub (b, v))))) :: (("and/least-left",
  (ax1 AND ((SSub ((neg b), (C (Zpos XH)))) :: []) (Nonneg (SSub (a, v))))) :: (("and/least-right",
  (ax1 AND ((SSub ((neg a), (C (Zpos XH)))) :: []) (Nonneg (SSub (b, v))))) :: (("and/same",
  (ax1 AND ((SSub (a, b)) :: ((SSub (b, a)) :: [])) (Null (SSub (v, a))))) :: (("and/opposite",
  (ax1 AND ((SAdd ((SAdd (a, b)), (C (Zpos XH)))) :: ((SSub ((SSub ((neg a),
    b)), (C (Zpos XH)))) :: [])) (Null v))) :: (("p2/order", { ax_kind = P2;
  ax_count = (Stdlib.Int.succ (Stdlib.Int.succ 0)); ax_needs = ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))) :: ((SSub ((V
  (Stdlib.Int.succ (Stdlib.Int.succ 0))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))) :: [])); ax_gives = (Nonneg (SSub
  ((V 0), (V (Stdlib.Int.succ 0))))) }) :: (("p2/double", { ax_kind = P2;
  ax_count = (Stdlib.Int.succ (Stdlib.Int.succ 0)); ax_needs = ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))) :: ((SSub ((SSub
  ((V (Stdlib.Int.succ (Stdlib.Int.succ 0))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))), (C (Zpos XH)))) :: []));
  ax_gives = (Nonneg (SSub ((V 0), (SMul ((C (Zpos (XO XH))), (V
  (Stdlib.Int.succ 0))))))) }) :: (("p2/product", { ax_kind = P2; ax_count =
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0))); ax_needs = ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))) :: ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))) :: ((SSub ((SSub ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))) :: ((SSub ((SAdd ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0))))),
  (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))) :: [])))); ax_gives = (Null (SSub ((V 0), (SMul
  ((V (Stdlib.Int.succ 0)), (V (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))) }) :: (("and/commute", { ax_kind = AND; ax_count =
  (Stdlib.Int.succ (Stdlib.Int.succ 0)); ax_needs = ((SSub ((V
  (Stdlib.Int.succ (Stdlib.Int.succ 0))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))) :: ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ 0))))) :: ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))))) :: ((SSub ((V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0))))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))) :: []))));
  ax_gives = (Null (SSub ((V 0), (V (Stdlib.Int.succ
  0))))) }) :: (("and/and", { ax_kind = AND; ax_count = (Stdlib.Int.succ
  (Stdlib.Int.succ 0)); ax_needs = ((SSub ((V (Stdlib.Int.succ
  (Stdlib.Int.succ 0))), (V (Stdlib.Int.succ 0)))) :: ((SSub ((V
  (Stdlib.Int.succ 0)), (V (Stdlib.Int.succ (Stdlib.Int.succ 0))))) :: ((SSub
  ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))))) :: ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))) :: []))));
  ax_gives = (Null (SSub ((V 0), (V (Stdlib.Int.succ 0))))) }) :: (("and/or",
  { ax_kind = AND; ax_count = (Stdlib.Int.succ (Stdlib.Int.succ 0));
  ax_needs = ((SSub ((SSub ((SAdd ((V (Stdlib.Int.succ (Stdlib.Int.succ 0))),
  (V (Stdlib.Int.succ 0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))) :: ((SSub ((SSub ((SAdd ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))), (V (Stdlib.Int.succ 0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  0))))) :: ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))) :: ((SSub ((V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))) :: [])))); ax_gives = (Null (SSub ((V 0), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))))) }) :: (("and/xor", { ax_kind = AND; ax_count = (Stdlib.Int.succ
  (Stdlib.Int.succ 0)); ax_needs = ((SSub ((SSub ((SAdd ((V (Stdlib.Int.succ
  (Stdlib.Int.succ 0))), (SMul ((C (Zpos (XO XH))), (V (Stdlib.Int.succ
  0)))))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))) :: ((SSub
  ((SSub ((SAdd ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0))))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))), (SMul ((C
  (Zpos (XO XH))), (V (Stdlib.Int.succ 0)))))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ 0))))) :: ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))) :: ((SSub ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))) :: [])))); ax_gives = (Null (SSub ((SAdd ((V 0),
  (V (Stdlib.Int.succ 0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))))) }) :: (("and/not", { ax_kind = AND; ax_count = (Stdlib.Int.succ
  (Stdlib.Int.succ 0)); ax_needs = ((SAdd ((SAdd ((V (Stdlib.Int.succ
  (Stdlib.Int.succ 0))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))))), (C (Zpos XH)))) :: ((SSub
  ((SSub ((SSub ((C Z0), (V (Stdlib.Int.succ (Stdlib.Int.succ 0))))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))), (C (Zpos XH)))) :: ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))) :: ((SSub ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))) :: [])))); ax_gives = (Null (SSub ((SAdd ((V 0),
  (V (Stdlib.Int.succ 0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))))) }) :: (("and/signs", { ax_kind = AND; ax_count =
  (Stdlib.Int.succ (Stdlib.Int.succ 0)); ax_needs = ((SAdd ((V
  (Stdlib.Int.succ (Stdlib.Int.succ 0))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0))))))) :: ((SSub
  ((SSub ((C Z0), (V (Stdlib.Int.succ (Stdlib.Int.succ 0))))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))) :: ((SAdd ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))) :: ((SSub ((SSub ((C Z0), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))))) :: ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))) :: ((SSub ((C (Zpos XH)), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))) :: ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))))) :: ((SSub ((C (Zpos XH)), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))))) :: [])))))))); ax_gives = (Null (SAdd ((V 0), (V
  (Stdlib.Int.succ 0))))) }) :: [])))))))))))))))))))))))))))))))))))

(** val power_shift : int -> axiom **)

let power_shift n0 =
  let step1 = C (Z.of_nat n0) in
  { ax_kind = P2; ax_count = (Stdlib.Int.succ (Stdlib.Int.succ 0));
  ax_needs = ((V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))) :: ((SSub ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ 0))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))),
  step1)) :: ((SSub ((SAdd ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))), step1)), (V (Stdlib.Int.succ (Stdlib.Int.succ
  0))))) :: []))); ax_gives = (Null (SSub ((V 0), (SMul ((C
  (Z.pow (Zpos (XO XH)) (Z.of_nat n0))), (V (Stdlib.Int.succ 0))))))) }

(** val power_below : int -> axiom **)

let power_below n0 =
  { ax_kind = P2; ax_count = (Stdlib.Int.succ 0); ax_needs = (a :: ((SSub ((C
    (Z.of_nat n0)), a)) :: [])); ax_gives = (Nonneg (SSub ((C
    (Z.pow (Zpos (XO XH)) (Z.of_nat n0))), v))) }

(** val power_above : int -> axiom **)

let power_above n0 =
  { ax_kind = P2; ax_count = (Stdlib.Int.succ 0); ax_needs = ((SSub (a, (C
    (Z.of_nat n0)))) :: []); ax_gives = (Nonneg (SSub (v, (C
    (Z.pow (Zpos (XO XH)) (Z.of_nat n0)))))) }

(** val bits_below : int -> axiom **)

let bits_below n0 =
  let ones1 = C (Z.sub (Z.pow (Zpos (XO XH)) (Z.of_nat n0)) (Zpos XH)) in
  { ax_kind = AND; ax_count = (Stdlib.Int.succ 0); ax_needs = (a :: ((SSub
  (ones1, a)) :: (b :: ((SSub (ones1, b)) :: [])))); ax_gives = (Nonneg (SAdd
  ((SSub ((SSub (ones1, a)), b)), v))) }

(** val bits_apart : int -> axiom **)

let bits_apart n0 =
  let power = C (Z.pow (Zpos (XO XH)) (Z.of_nat n0)) in
  { ax_kind = AND; ax_count = (Stdlib.Int.succ (Stdlib.Int.succ 0));
  ax_needs = ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ 0))), (SMul (power,
  (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))))) :: ((SSub ((SMul (power, (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ 0))))) :: ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))) :: ((SSub ((SSub (power, (C (Zpos XH)))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))) :: []))));
  ax_gives = (Null (V 0)) }

(** val bits_split : int -> axiom **)

let bits_split n0 =
  let power = C (Z.pow (Zpos (XO XH)) (Z.of_nat n0)) in
  { ax_kind = AND; ax_count = (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0))); ax_needs = ((SSub ((SSub ((V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0)))), (SMul (power, (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))))) :: ((SSub ((SAdd ((SMul (power, (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))) :: ((SSub ((SSub ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))), (SMul (power, (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0))))))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ 0))))))))))) :: ((SSub ((SAdd ((SMul
  (power, (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0))))))))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))))))), (V (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0))))))) :: ((V (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ 0)))))))) :: ((SSub ((SSub (power, (C (Zpos XH)))), (V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))))) :: ((V
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))))) :: ((SSub ((SSub (power, (C (Zpos XH)))), (V (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
  0))))))))))) :: [])))))))); ax_gives = (Null (SSub ((SSub ((V 0), (SMul
  (power, (V (Stdlib.Int.succ 0)))))), (V (Stdlib.Int.succ (Stdlib.Int.succ
  0)))))) }

(** val numbered : (string * (int -> axiom)) list **)

let numbered =
  ("p2/shift", power_shift) :: (("p2/below", power_below) :: (("p2/above",
    power_above) :: (("and/below", bits_below) :: (("and/apart",
    bits_apart) :: (("and/split", bits_split) :: [])))))

type entry = poly * z list

type sum = (z * int) list

(** val assignments : int -> z list list **)

let rec assignments k =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> [] :: [])
    (fun k' ->
    flat_map (fun a0 -> (Z0 :: a0) :: (((Zpos XH) :: a0) :: []))
      (assignments k'))
    k

(** val zip : (z -> z -> z) -> z list -> z list -> z list **)

let rec zip f u v0 =
  match u with
  | [] -> []
  | x :: u' -> (match v0 with
                | [] -> []
                | y :: v' -> (f x y) :: (zip f u' v'))

(** val weighed : z list -> entry list -> sum -> entry option **)

let rec weighed zero known = function
| [] -> Some ([], zero)
| p :: s' ->
  let (c, i) = p in
  (match nth_error known i with
   | Some e ->
     let (p0, v0) = e in
     (match weighed zero known s' with
      | Some e0 ->
        let (q, w) = e0 in
        Some ((padd (pscale [] c p0) q), (zip Z.add (map (Z.mul c) v0) w))
      | None -> None)
   | None -> None)

(** val is_bit : z -> bool **)

let is_bit x =
  (||) (Z.eqb x Z0) (Z.eqb x (Zpos XH))

(** val operand : z list -> entry list -> sum -> poly -> z list option **)

let operand zero known s p =
  match weighed zero known s with
  | Some e ->
    let (q, v0) = e in
    if (&&) (peqb q p) (forallb is_bit v0) then Some v0 else None
  | None -> None

(** val opened :
    table -> z list -> entry list -> int list -> sum list -> poly option **)

let rec opened t zero known atoms sums =
  match atoms with
  | [] ->
    (match sums with
     | [] -> None
     | s :: l ->
       (match l with
        | [] ->
          (match weighed zero known s with
           | Some e ->
             let (p, v0) = e in if forallb (Z.eqb Z0) v0 then Some p else None
           | None -> None)
        | _ :: _ -> None))
  | n0 :: atoms' ->
    (match sums with
     | [] -> None
     | s :: l ->
       (match l with
        | [] -> None
        | t0 :: sums' ->
          (match nth_error t n0 with
           | Some a0 ->
             (match a0 with
              | AKind (k, args) ->
                (match k with
                 | AND ->
                   (match args with
                    | [] -> None
                    | p :: l0 ->
                      (match l0 with
                       | [] -> None
                       | q :: l1 ->
                         (match l1 with
                          | [] ->
                            (match operand zero known s p with
                             | Some v0 ->
                               (match operand zero known t0 q with
                                | Some w ->
                                  opened t zero
                                    (app known (((pvar n0),
                                      (zip Z.mul v0 w)) :: [])) atoms' sums'
                                | None -> None)
                             | None -> None)
                          | _ :: _ -> None)))
                 | _ -> None)
              | _ -> None)
           | None -> None)))

(** val leaf_entries : z list list -> int -> poly list -> entry list **)

let rec leaf_entries all k = function
| [] -> []
| p :: leaves' ->
  (p,
    (map (fun a0 -> nth k a0 Z0) all)) :: (leaf_entries all (Stdlib.Int.succ
                                            k) leaves')

(** val bits_zero :
    table -> poly list -> int list -> sum list -> poly option **)

let bits_zero t leaves atoms sums =
  if (<=) (length leaves) (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
       (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ 0))))))
  then let all = assignments (length leaves) in
       opened t (map (fun _ -> Z0) all) (((pconst (Zneg XH)),
         (map (fun _ -> Zpos XH) all)) :: (leaf_entries all 0 leaves)) atoms
         sums
  else None

type stream =
| SLeaf of poly
| SSum of (z * int) list * z
| SAnd of int * z * int * int
| SFloor of int * z * int * int

(** val sum_poly : poly list -> (z * int) list -> z -> poly option **)

let rec sum_poly known l c =
  match l with
  | [] -> Some (pconst c)
  | p :: l' ->
    let (k, i) = p in
    (match nth_error known i with
     | Some p0 ->
       (match sum_poly known l' c with
        | Some q -> Some (padd (pscale [] k p0) q)
        | None -> None)
     | None -> None)

(** val power_of_two : z -> bool **)

let power_of_two d =
  (&&) (Z.ltb Z0 d) (Z.eqb (Z.pow (Zpos (XO XH)) (Z.log2 d)) d)

(** val stream_poly : table -> poly list -> stream -> poly option **)

let stream_poly t known = function
| SLeaf p -> Some p
| SSum (l, c) -> sum_poly known l c
| SAnd (n0, e, i, j) ->
  (match nth_error t n0 with
   | Some a0 ->
     (match a0 with
      | AKind (k, args) ->
        (match k with
         | AND ->
           (match args with
            | [] -> None
            | p :: l ->
              (match l with
               | [] -> None
               | q :: l0 ->
                 (match l0 with
                  | [] ->
                    (match nth_error known i with
                     | Some x ->
                       (match nth_error known j with
                        | Some y ->
                          if (&&)
                               ((&&) (peqb x (pscale [] e p))
                                 (peqb y (pscale [] e q))) (power_of_two e)
                          then Some (pscale [] e (pvar n0))
                          else None
                        | None -> None)
                     | None -> None)
                  | _ :: _ -> None)))
         | _ -> None)
      | _ -> None)
   | None -> None)
| SFloor (n0, e, i, j) ->
  (match nth_error t n0 with
   | Some a0 ->
     (match a0 with
      | AKind (k, args) ->
        (match k with
         | FD ->
           (match args with
            | [] -> None
            | p :: l ->
              (match l with
               | [] -> None
               | q :: l0 ->
                 (match l0 with
                  | [] ->
                    (match nth_error known i with
                     | Some x ->
                       (match nth_error known j with
                        | Some y ->
                          (match pconstant q with
                           | Some d ->
                             if (&&)
                                  ((&&)
                                    ((&&) (peqb x (pscale [] e p))
                                      (peqb y (pconst (Z.opp (Z.mul e d)))))
                                    (Z.ltb Z0 e)) (power_of_two (Z.mul e d))
                             then Some (pscale [] (Z.mul e d) (pvar n0))
                             else None
                           | None -> None)
                        | None -> None)
                     | None -> None)
                  | _ :: _ -> None)))
         | _ -> None)
      | _ -> None)
   | None -> None)

(** val polys : table -> poly list -> stream list -> poly list option **)

let rec polys t known = function
| [] -> Some []
| s :: l' ->
  (match stream_poly t known s with
   | Some p ->
     (match polys t (app known (p :: [])) l' with
      | Some ps -> Some (p :: ps)
      | None -> None)
   | None -> None)

(** val place : poly list -> poly -> int **)

let rec place ps p =
  match ps with
  | [] -> 0
  | q :: ps' -> if peqb p q then 0 else Stdlib.Int.succ (place ps' p)

(** val indexed : poly list -> formula -> formula **)

let rec indexed ps = function
| FGe p -> FGe (pvar (place ps p))
| FEq p -> FEq (pvar (place ps p))
| FAnd l -> FAnd (map (indexed ps) l)
| FOr l -> FOr (map (indexed ps) l)

(** val equated : formula -> int list **)

let rec equated = function
| FGe _ -> []
| FEq p ->
  (match p with
   | [] -> []
   | p0 :: l ->
     let (m, _) = p0 in
     (match m with
      | [] -> []
      | n0 :: l0 ->
        (match l0 with
         | [] -> (match l with
                  | [] -> n0 :: []
                  | _ :: _ -> [])
         | _ :: _ -> [])))
| FAnd l -> flat_map equated l
| FOr l -> flat_map equated l

(** val get : z list -> int -> z **)

let get l i =
  nth i l Z0

type state = z list * bool list

(** val state_eq_dec : state -> state -> bool **)

let state_eq_dec s t =
  let (a0, b0) = s in
  let (a1, b1) = t in
  if list_eq_dec Z.eq_dec a0 a1 then list_eq_dec bool_dec b0 b1 else false

(** val same_state : state -> state -> bool **)

let same_state s t =
  if state_eq_dec s t then true else false

(** val got : z list -> int -> int -> z **)

let rec got r n0 i =
  match r with
  | [] -> Z0
  | b0 :: r' ->
    if (=) n0 (Stdlib.Int.succ i)
    then b0
    else got r' (sub n0 (Stdlib.Int.succ 0)) i

(** val weighed0 : (z * int) list -> z list -> int -> z **)

let rec weighed0 l r n0 =
  match l with
  | [] -> Z0
  | p :: l' ->
    let (c, i) = p in Z.add (Z.mul c (got r n0 i)) (weighed0 l' r n0)

(** val went :
    stream list -> z list -> z list -> z list -> int -> z list * z list **)

let rec went l carries letter r n0 =
  match l with
  | [] -> ((rev_append r []), [])
  | s :: l' ->
    (match carries with
     | [] -> ((rev_append r []), [])
     | k :: carries' ->
       let t =
         match s with
         | SLeaf _ -> (((hd Z0 letter), Z0), (tl letter))
         | SSum (w, _) ->
           let total0 = Z.add k (weighed0 w r n0) in
           (((Z.b2z (Z.odd total0)), (Z.div2 total0)), letter)
         | SAnd (_, _, i, j) ->
           (((Z.mul (got r n0 i) (got r n0 j)), Z0), letter)
         | SFloor (_, _, i, j) ->
           (((Z.mul (got r n0 i) (got r n0 j)), Z0), letter)
       in
       let after =
         went l' carries' (snd t) ((fst (fst t)) :: r) (Stdlib.Int.succ n0)
       in
       ((fst after), ((snd (fst t)) :: (snd after))))

(** val flagged : bool list -> bool list -> z list -> bool list **)

let rec flagged watched flags bits0 =
  match watched with
  | [] -> []
  | w :: watched' ->
    (match flags with
     | [] -> []
     | f :: flags' ->
       (match bits0 with
        | [] -> []
        | b0 :: bits' ->
          ((||) f ((&&) w (Z.eqb b0 (Zpos XH)))) :: (flagged watched' flags'
                                                      bits')))

(** val leaf_count : stream list -> int **)

let rec leaf_count = function
| [] -> 0
| s :: l' ->
  (match s with
   | SLeaf _ -> Stdlib.Int.succ (leaf_count l')
   | _ -> leaf_count l')

(** val starts : stream list -> z list **)

let starts l =
  map (fun s -> match s with
                | SSum (_, c) -> c
                | _ -> Z0) l

(** val maybe : bool list -> int -> z **)

let maybe flags n0 =
  if nth n0 flags false then Zpos XH else Z0

(** val signed0 : bool list -> z list -> int -> z **)

let signed0 flags bits0 n0 =
  if Z.eqb (get bits0 n0) (Zpos XH) then Zneg XH else maybe flags n0

(** val step :
    stream list -> bool list -> state -> z list -> z list * state **)

let step streams watched s letter =
  let after = went streams (fst s) letter [] 0 in
  ((fst after), ((snd after), (flagged watched (snd s) (fst after))))

(** val possible : formula -> state -> bool **)

let possible goal s =
  feval (maybe (snd s)) goal

(** val accepted : formula -> state -> (z list * state) -> bool **)

let accepted goal s after =
  (&&) (same_state s (snd after)) (feval (signed0 (snd s) (fst after)) goal)

(** val mem : state -> state list -> bool **)

let mem s l =
  existsb (same_state s) l

(** val closed :
    stream list -> bool list -> formula -> z list list -> state list -> bool **)

let closed streams watched goal letters l =
  forallb (fun s ->
    forallb (fun a0 ->
      let after = step streams watched s a0 in
      (&&) ((||) (negb (possible goal (snd after))) (mem (snd after) l))
        (negb (accepted goal s after))) letters) l

(** val reach :
    stream list -> bool list -> formula -> z list list -> int -> state list
    -> state list -> state list **)

let rec reach streams watched goal letters fuel seen todo =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> seen)
    (fun fuel' ->
    match todo with
    | [] -> seen
    | s :: todo' ->
      let fresh =
        fold_left (fun found a0 ->
          let t = snd (step streams watched s a0) in
          if possible goal t
          then if mem t found
               then found
               else if mem t seen then found else t :: found
          else found) letters []
      in
      reach streams watched goal letters fuel' (app fresh seen)
        (app todo' fresh))
    fuel

(** val narrow : z -> bool **)

let narrow c =
  Z.ltb (Z.abs c)
    (Z.pow (Zpos (XO XH)) (Zpos (XO (XO (XO (XO (XO (XO (XO XH)))))))))

(** val all_narrow : stream list -> bool **)

let all_narrow l =
  forallb (fun s ->
    match s with
    | SLeaf _ -> true
    | SSum (w, c) -> (&&) (forallb (fun t -> narrow (fst t)) w) (narrow c)
    | SAnd (_, e, _, _) -> narrow e
    | SFloor (_, e, _, _) -> narrow e) l

(** val most : int -> int **)

let most leaves =
  mul
    (mul (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ 0)))))))))) (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ 0)))))))))))
    (nth leaves ((Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ 0)))))))))))))))))))) :: ((Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ 0)))))))))))))) :: ((Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      0)))))))))) :: ((Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      0))))))) :: ((Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ 0))))) :: ((Stdlib.Int.succ
      (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      0)))) :: ((Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
      0))) :: []))))))) 0)

(** val refuted : table -> stream list -> formula list -> bool **)

let refuted t l fs =
  match polys t [] l with
  | Some ps ->
    if (&&)
         ((&&)
           ((<=) (leaf_count l) (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ 0)))))))
           ((<=) (length l) (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
             (Stdlib.Int.succ
             0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
         (all_narrow l)
    then let goal = FAnd (map (indexed ps) fs) in
         let asked = equated goal in
         let watched =
           map (fun n0 -> existsb ((=) n0) asked) (seq 0 (length l))
         in
         let letters = assignments (leaf_count l) in
         let start0 = ((starts l), (map (fun _ -> false) l)) in
         let all =
           reach l watched goal letters (most (leaf_count l)) (start0 :: [])
             (start0 :: [])
         in
         (&&) (mem start0 all) (closed l watched goal letters all)
    else false
  | None -> false

type choice =
| ChSign of poly
| ChOr of int
| ChAtom of int

type factor =
| Prem of int
| Square of poly
| Negated

type step0 =
| Combine of (poly * factor list) list * formula
| Equal of int * int * formula
| Congruence of int * int * int option list * formula
| Schema of string * int option * int list * int option list * formula
| Bitwise of poly list * int list * sum list * formula
| Carried of stream list * int list * formula
| Cases of choice * step0 list list * formula

(** val absurd : formula **)

let absurd =
  FGe (pconst (Zneg XH))

(** val is_absurd : formula -> bool **)

let is_absurd = function
| FGe p -> (match pconstant p with
            | Some c -> Z.ltb c Z0
            | None -> false)
| FEq p ->
  (match pconstant p with
   | Some c -> negb (Z.eqb c Z0)
   | None -> false)
| _ -> false

type facts = formula list

(** val product :
    facts -> poly -> poly -> factor list -> (poly * bool) option **)

let rec product fs negation start0 = function
| [] -> Some (start0, false)
| x :: l' ->
  (match product fs negation start0 l' with
   | Some p0 ->
     let (p, zero) = p0 in
     (match x with
      | Prem i ->
        (match nth_error fs i with
         | Some f ->
           (match f with
            | FGe q -> Some ((pmul p q), zero)
            | FEq q -> Some ((pmul p q), true)
            | _ -> None)
         | None -> None)
      | Square q -> Some ((pmul p (pmul q q)), zero)
      | Negated -> Some ((pmul p negation), zero))
   | None -> None)

(** val positive0 : poly -> bool **)

let positive0 p =
  match pconstant p with
  | Some c -> Z.ltb Z0 c
  | None -> false

(** val total : facts -> poly -> (poly * factor list) list -> poly option **)

let rec total fs negation = function
| [] -> Some []
| p :: terms' ->
  let (start0, l) = p in
  (match product fs negation start0 l with
   | Some p0 ->
     let (p1, zero) = p0 in
     (match total fs negation terms' with
      | Some q ->
        if (||) zero (positive0 start0) then Some (padd p1 q) else None
      | None -> None)
   | None -> None)

(** val combined : facts -> (poly * factor list) list -> formula -> bool **)

let combined fs terms = function
| FGe p ->
  (match total fs (minus1 p) terms with
   | Some sum0 ->
     (match pconstant sum0 with
      | Some c -> Z.ltb c Z0
      | None -> false)
   | None -> false)
| _ -> false

(** val known_facts : facts -> int list -> formula list option **)

let rec known_facts fs = function
| [] -> Some []
| i :: l' ->
  (match nth_error fs i with
   | Some f ->
     (match known_facts fs l' with
      | Some found -> Some (f :: found)
      | None -> None)
   | None -> None)

(** val equation : facts -> int -> poly option **)

let equation fs i =
  match nth_error fs i with
  | Some f -> (match f with
               | FEq p -> Some p
               | _ -> None)
  | None -> None

(** val same_args :
    facts -> poly list -> poly list -> int option list -> bool **)

let rec same_args fs xs ys premises =
  match xs with
  | [] ->
    (match ys with
     | [] -> (match premises with
              | [] -> true
              | _ :: _ -> false)
     | _ :: _ -> false)
  | x :: xs' ->
    (match ys with
     | [] -> false
     | y :: ys' ->
       (match premises with
        | [] -> false
        | o :: ps ->
          (match o with
           | Some i ->
             (match equation fs i with
              | Some p ->
                (&&) ((||) (peqb (psub x y) p) (peqb (psub y x) p))
                  (same_args fs xs' ys' ps)
              | None -> false)
           | None -> (&&) (peqb x y) (same_args fs xs' ys' ps))))

(** val premise_ok : facts -> poly -> int option -> bool **)

let premise_ok fs need = function
| Some i0 ->
  (match nth_error fs i0 with
   | Some f -> (match f with
                | FGe p -> peqb p need
                | _ -> false)
   | None -> false)
| None -> (match pconstant need with
           | Some c -> Z.leb Z0 c
           | None -> false)

(** val premises_ok : facts -> poly list -> int option list -> bool **)

let rec premises_ok fs needs l =
  match needs with
  | [] -> (match l with
           | [] -> true
           | _ :: _ -> false)
  | x :: needs' ->
    (match l with
     | [] -> false
     | i :: l' -> (&&) (premise_ok fs x i) (premises_ok fs needs' l'))

(** val operands : table -> kind -> int list -> poly list list option **)

let rec operands t k = function
| [] -> Some []
| n0 :: atoms' ->
  (match nth_error t n0 with
   | Some a0 ->
     (match a0 with
      | AKind (j, args) ->
        (match operands t k atoms' with
         | Some l -> if kind_eq_dec j k then Some (args :: l) else None
         | None -> None)
      | _ -> None)
   | None -> None)

(** val instance :
    table -> facts -> axiom -> int list -> int option list -> formula option **)

let instance t fs x atoms premises =
  match operands t x.ax_kind atoms with
  | Some args ->
    let ps = app (map pvar atoms) (concat args) in
    if (&&) ((=) (length atoms) x.ax_count)
         (premises_ok fs (map (spoly ps) x.ax_needs) premises)
    then Some (finst ps x.ax_gives)
    else None
  | None -> None

(** val find_axiom : string -> int option -> axiom option **)

let find_axiom name = function
| Some n0 ->
  (match find (fun t -> (=) (fst t) name) numbered with
   | Some t ->
     if (<=) n0 (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ (Stdlib.Int.succ
          (Stdlib.Int.succ
          0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
     then Some (snd t n0)
     else None
   | None -> None)
| None ->
  (match find (fun t -> (=) (fst t) name) axioms with
   | Some t -> Some (snd t)
   | None -> None)

(** val same : formula -> formula -> formula option **)

let same gives f =
  if feqb f gives then Some f else None

(** val simple : table -> facts -> step0 -> formula option **)

let simple t fs = function
| Combine (terms, gives) ->
  if combined fs terms gives then Some gives else None
| Equal (i, j, gives) ->
  (match nth_error fs i with
   | Some f ->
     (match f with
      | FGe p ->
        (match nth_error fs j with
         | Some f0 ->
           (match f0 with
            | FGe q -> if peqb (pneg p) q then same gives (FEq p) else None
            | _ -> None)
         | None -> None)
      | _ -> None)
   | None -> None)
| Congruence (a0, b0, premises, gives) ->
  (match nth_error t a0 with
   | Some a1 ->
     (match a1 with
      | AKind (j, xs) ->
        (match nth_error t b0 with
         | Some a2 ->
           (match a2 with
            | AKind (k, ys) ->
              if kind_eq_dec j k
              then if same_args fs xs ys premises
                   then same gives (FEq (psub (pvar a0) (pvar b0)))
                   else None
              else None
            | _ -> None)
         | None -> None)
      | _ -> None)
   | None -> None)
| Schema (name, number, atoms, premises, gives) ->
  if (=) name "min/low"
  then (match atoms with
        | [] -> None
        | k :: l ->
          (match l with
           | [] ->
             (match premises with
              | [] ->
                (match number with
                 | Some number0 ->
                   (match nth_error t k with
                    | Some a0 ->
                      (match a0 with
                       | AKind (k0, args) ->
                         (match k0 with
                          | MIN ->
                            (match nth_error args number0 with
                             | Some p -> same gives (FGe (psub p (pvar k)))
                             | None -> None)
                          | _ -> None)
                       | _ -> None)
                    | None -> None)
                 | None -> None)
              | _ :: _ -> None)
           | _ :: _ -> None))
  else if (=) name "and/mask"
       then (match atoms with
             | [] -> None
             | k :: l ->
               (match l with
                | [] ->
                  (match premises with
                   | [] ->
                     (match number with
                      | Some _ -> None
                      | None ->
                        (match nth_error t k with
                         | Some a0 ->
                           (match a0 with
                            | AKind (k0, args) ->
                              (match k0 with
                               | AND ->
                                 (match args with
                                  | [] -> None
                                  | p :: l0 ->
                                    (match l0 with
                                     | [] -> None
                                     | q :: l1 ->
                                       (match l1 with
                                        | [] ->
                                          (match bit_and t p q with
                                           | Ok s0 ->
                                             same gives (FEq
                                               (psub (pvar k) s0))
                                           | Bad -> None)
                                        | _ :: _ -> None)))
                               | _ -> None)
                            | _ -> None)
                         | None -> None))
                   | _ :: _ -> None)
                | _ :: _ -> None))
       else if (=) name "and/power"
            then (match atoms with
                  | [] -> None
                  | n0 :: l ->
                    (match l with
                     | [] -> None
                     | w :: l0 ->
                       (match l0 with
                        | [] -> None
                        | u :: l1 ->
                          (match l1 with
                           | [] ->
                             (match premises with
                              | [] -> None
                              | i :: l2 ->
                                (match l2 with
                                 | [] ->
                                   (match number with
                                    | Some _ -> None
                                    | None ->
                                      (match nth_error t n0 with
                                       | Some a0 ->
                                         (match a0 with
                                          | AKind (k0, args) ->
                                            (match k0 with
                                             | AND ->
                                               (match args with
                                                | [] -> None
                                                | p :: l3 ->
                                                  (match l3 with
                                                   | [] -> None
                                                   | q :: l4 ->
                                                     (match l4 with
                                                      | [] ->
                                                        (match nth_error t w with
                                                         | Some a1 ->
                                                           (match a1 with
                                                            | AKind (
                                                                k1, args0) ->
                                                              (match k1 with
                                                               | P2 ->
                                                                 (match args0 with
                                                                  | [] -> None
                                                                  | k :: l5 ->
                                                                    (match l5 with
                                                                    | [] ->
                                                                    (match 
                                                                    nth_error
                                                                    t u with
                                                                    | Some a2 ->
                                                                    (match a2 with
                                                                    | AKind (
                                                                    k2, args1) ->
                                                                    (match k2 with
                                                                    | FD ->
                                                                    (match args1 with
                                                                    | [] ->
                                                                    None
                                                                    | x :: l6 ->
                                                                    (match l6 with
                                                                    | [] ->
                                                                    None
                                                                    | y :: l7 ->
                                                                    (match l7 with
                                                                    | [] ->
                                                                    if 
                                                                    (&&)
                                                                    (premise_ok
                                                                    fs k i)
                                                                    ((&&)
                                                                    (peqb q
                                                                    (psub
                                                                    (pvar w)
                                                                    (pconst
                                                                    (Zpos XH))))
                                                                    ((&&)
                                                                    (peqb x p)
                                                                    (peqb y
                                                                    (pvar w))))
                                                                    then 
                                                                    same
                                                                    gives
                                                                    (FEq
                                                                    (padd
                                                                    (psub
                                                                    (pvar n0)
                                                                    p)
                                                                    (pmul
                                                                    (pvar w)
                                                                    (pvar u))))
                                                                    else None
                                                                    | _ :: _ ->
                                                                    None)))
                                                                    | _ ->
                                                                    None)
                                                                    | _ ->
                                                                    None)
                                                                    | None ->
                                                                    None)
                                                                    | _ :: _ ->
                                                                    None))
                                                               | _ -> None)
                                                            | _ -> None)
                                                         | None -> None)
                                                      | _ :: _ -> None)))
                                             | _ -> None)
                                          | _ -> None)
                                       | None -> None))
                                 | _ :: _ -> None))
                           | _ :: _ -> None))))
            else if (=) name "and/bit"
                 then (match atoms with
                       | [] -> None
                       | n0 :: l ->
                         (match l with
                          | [] -> None
                          | w :: l0 ->
                            (match l0 with
                             | [] -> None
                             | u :: l1 ->
                               (match l1 with
                                | [] -> None
                                | t0 :: l2 ->
                                  (match l2 with
                                   | [] ->
                                     (match premises with
                                      | [] -> None
                                      | i :: l3 ->
                                        (match l3 with
                                         | [] ->
                                           (match number with
                                            | Some _ -> None
                                            | None ->
                                              (match nth_error t n0 with
                                               | Some a0 ->
                                                 (match a0 with
                                                  | AKind (k0, args) ->
                                                    (match k0 with
                                                     | AND ->
                                                       (match args with
                                                        | [] -> None
                                                        | p :: l4 ->
                                                          (match l4 with
                                                           | [] -> None
                                                           | q :: l5 ->
                                                             (match l5 with
                                                              | [] ->
                                                                (match 
                                                                 nth_error t w with
                                                                 | Some a1 ->
                                                                   (match a1 with
                                                                    | AKind (
                                                                    k1, args0) ->
                                                                    (match k1 with
                                                                    | P2 ->
                                                                    (match args0 with
                                                                    | [] ->
                                                                    None
                                                                    | k :: l6 ->
                                                                    (match l6 with
                                                                    | [] ->
                                                                    (match 
                                                                    nth_error
                                                                    t u with
                                                                    | Some a2 ->
                                                                    (match a2 with
                                                                    | AKind (
                                                                    k2, args1) ->
                                                                    (match k2 with
                                                                    | FD ->
                                                                    (match args1 with
                                                                    | [] ->
                                                                    None
                                                                    | x :: l7 ->
                                                                    (match l7 with
                                                                    | [] ->
                                                                    None
                                                                    | y :: l8 ->
                                                                    (match l8 with
                                                                    | [] ->
                                                                    (match 
                                                                    nth_error
                                                                    t t0 with
                                                                    | Some a3 ->
                                                                    (match a3 with
                                                                    | AKind (
                                                                    k3, args2) ->
                                                                    (match k3 with
                                                                    | FD ->
                                                                    (match args2 with
                                                                    | [] ->
                                                                    None
                                                                    | z0 :: l9 ->
                                                                    (match l9 with
                                                                    | [] ->
                                                                    None
                                                                    | d :: l10 ->
                                                                    (match l10 with
                                                                    | [] ->
                                                                    if 
                                                                    (&&)
                                                                    (premise_ok
                                                                    fs k i)
                                                                    ((&&)
                                                                    (peqb q
                                                                    (pvar w))
                                                                    ((&&)
                                                                    (peqb x p)
                                                                    ((&&)
                                                                    (peqb y
                                                                    (pvar w))
                                                                    ((&&)
                                                                    (peqb z0
                                                                    (pvar u))
                                                                    (peqb d
                                                                    (pconst
                                                                    (Zpos (XO
                                                                    XH))))))))
                                                                    then 
                                                                    same
                                                                    gives
                                                                    (FEq
                                                                    (psub
                                                                    (pvar n0)
                                                                    (pmul
                                                                    (pvar w)
                                                                    (psub
                                                                    (pvar u)
                                                                    (pmul
                                                                    (pconst
                                                                    (Zpos (XO
                                                                    XH)))
                                                                    (pvar t0))))))
                                                                    else None
                                                                    | _ :: _ ->
                                                                    None)))
                                                                    | _ ->
                                                                    None)
                                                                    | _ ->
                                                                    None)
                                                                    | None ->
                                                                    None)
                                                                    | _ :: _ ->
                                                                    None)))
                                                                    | _ ->
                                                                    None)
                                                                    | _ ->
                                                                    None)
                                                                    | None ->
                                                                    None)
                                                                    | _ :: _ ->
                                                                    None))
                                                                    | _ ->
                                                                    None)
                                                                    | _ ->
                                                                    None)
                                                                 | None ->
                                                                   None)
                                                              | _ :: _ -> None)))
                                                     | _ -> None)
                                                  | _ -> None)
                                               | None -> None))
                                         | _ :: _ -> None))
                                   | _ :: _ -> None)))))
                 else (match find_axiom name number with
                       | Some x ->
                         (match instance t fs x atoms premises with
                          | Some f -> same gives f
                          | None -> None)
                       | None -> None)
| Bitwise (leaves, atoms, sums, gives) ->
  (match bits_zero t leaves atoms sums with
   | Some p -> same gives (FEq p)
   | None -> None)
| Carried (streams, premises, gives) ->
  (match known_facts fs premises with
   | Some l -> if refuted t streams l then same gives absurd else None
   | None -> None)
| Cases (_, _, _) -> None

(** val alternatives : table -> facts -> choice -> facts list option **)

let alternatives t fs = function
| ChSign p -> Some (((FGe p) :: []) :: (((FGe (minus1 p)) :: []) :: []))
| ChOr i ->
  (match nth_error fs i with
   | Some f ->
     (match f with
      | FOr l -> Some (map (fun f0 -> flattened (f0 :: [])) l)
      | _ -> None)
   | None -> None)
| ChAtom k ->
  let x = pvar k in
  (match nth_error t k with
   | Some a0 ->
     (match a0 with
      | ASym (_, _) -> None
      | AKind (k0, args) ->
        (match k0 with
         | MIN -> Some (map (fun p -> (FEq (psub x p)) :: []) args)
         | GE ->
           (match args with
            | [] -> None
            | p :: l ->
              (match l with
               | [] ->
                 Some (((FEq (psub x (pconst (Zpos XH)))) :: ((FGe
                   p) :: [])) :: (((FEq x) :: ((FGe
                   (minus1 p)) :: [])) :: []))
               | _ :: _ -> None))
         | EQ ->
           (match args with
            | [] -> None
            | p :: l ->
              (match l with
               | [] ->
                 Some (((FEq (psub x (pconst (Zpos XH)))) :: ((FEq
                   p) :: [])) :: (((FEq x) :: ((FGe
                   (psub p (pconst (Zpos XH)))) :: [])) :: (((FEq x) :: ((FGe
                   (minus1 p)) :: [])) :: [])))
               | _ :: _ -> None))
         | _ -> None)
      | AIte (_, yes, no, p, q) ->
        Some
          ((app (flattened (yes :: [])) ((FEq (psub x p)) :: [])) :: (
          (app (flattened (no :: [])) ((FEq (psub x q)) :: [])) :: [])))
   | None -> None)

(** val closes : facts -> formula -> bool **)

let closes fs wanted =
  existsb (fun f -> (||) (feqb f wanted) (is_absurd f)) fs

type verdict =
| Accepted
| Fails of int list

(** val each_branch :
    (facts -> step0 list -> verdict) -> facts list -> step0 list list -> int
    -> verdict **)

let rec each_branch check0 alts branches k =
  match alts with
  | [] -> (match branches with
           | [] -> Accepted
           | _ :: _ -> Fails [])
  | alt :: alts' ->
    (match branches with
     | [] -> Fails []
     | branch :: branches' ->
       (match check0 alt branch with
        | Accepted -> each_branch check0 alts' branches' (Stdlib.Int.succ k)
        | Fails p -> Fails (k :: p)))

(** val run :
    int -> table -> facts -> step0 list -> formula -> int -> verdict **)

let rec run fuel t fs steps wanted k =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> Fails (k :: []))
    (fun fuel' ->
    match steps with
    | [] -> if closes fs wanted then Accepted else Fails (k :: [])
    | s :: rest ->
      (match s with
       | Cases (on, branches, gives) ->
         (match alternatives t fs on with
          | Some alts ->
            (match each_branch (fun alt branch ->
                     run fuel' t (app fs alt) branch gives 0) alts branches 0 with
             | Accepted ->
               run fuel' t (app fs (gives :: [])) rest wanted
                 (Stdlib.Int.succ k)
             | Fails p -> Fails (k :: p))
          | None -> Fails (k :: []))
       | _ ->
         (match simple t fs s with
          | Some f ->
            run fuel' t (app fs (f :: [])) rest wanted (Stdlib.Int.succ k)
          | None -> Fails (k :: []))))
    fuel

type hazards = (bool * bexpr) list

(** val under : bexpr -> hazards -> hazards **)

let under c l =
  map (fun s -> ((fst s), (BOr (c, (snd s))))) l

(** val inside : dtype -> iexpr -> hazards **)

let inside d e =
  (false, (BCmp (CGe, e, (INum (low d))))) :: ((false, (BCmp (CLe, e, (INum
    (high d))))) :: [])

(** val own_hazards : dtype -> iexpr -> op -> iexpr -> hazards **)

let own_hazards d e o b0 =
  match o with
  | FloorDiv -> (true, (BCmp (CNe, b0, (INum Z0)))) :: (inside d e)
  | FloorMod -> (true, (BCmp (CNe, b0, (INum Z0)))) :: []
  | TruncDiv -> (true, (BCmp (CNe, b0, (INum Z0)))) :: (inside d e)
  | TruncMod -> (true, (BCmp (CNe, b0, (INum Z0)))) :: []
  | Min -> []
  | Max -> []
  | Shl -> (true, (BCmp (CGe, b0, (INum Z0)))) :: (inside d e)
  | Shr -> (true, (BCmp (CGe, b0, (INum Z0)))) :: (inside d e)
  | _ -> inside d e

(** val ihaz : dtype -> iexpr -> hazards **)

let rec ihaz d e = match e with
| INum z0 -> if within d z0 then [] else (false, (BConst false)) :: []
| ISym _ -> []
| IBin (o, a0, b0) -> app (ihaz d a0) (app (ihaz d b0) (own_hazards d e o b0))
| IAbs a0 -> app (ihaz d a0) (inside d e)
| INot a0 -> app (ihaz d a0) (inside d e)
| IIf (c, a0, b0) ->
  app (bhaz d c) (app (under (BNot c) (ihaz d a0)) (under c (ihaz d b0)))
| IWrap (_, a0) -> app (ihaz d a0) (inside d e)

(** val bhaz : dtype -> bexpr -> hazards **)

and bhaz d = function
| BNot a0 -> bhaz d a0
| BAnd (a0, b0) -> app (bhaz d a0) (under (BNot a0) (bhaz d b0))
| BOr (a0, b0) -> app (bhaz d a0) (under a0 (bhaz d b0))
| BImp (a0, b0) -> app (bhaz d a0) (under (BNot a0) (bhaz d b0))
| BIff (a0, b0) -> app (bhaz d a0) (bhaz d b0)
| BIf (c, a0, b0) ->
  app (bhaz d c) (app (under (BNot c) (bhaz d a0)) (under c (bhaz d b0)))
| BCmp (_, a0, b0) -> app (ihaz d a0) (ihaz d b0)
| _ -> []

(** val op_dec : op -> op -> bool **)

let op_dec x y =
  match x with
  | Add -> (match y with
            | Add -> true
            | _ -> false)
  | Sub -> (match y with
            | Sub -> true
            | _ -> false)
  | Mul -> (match y with
            | Mul -> true
            | _ -> false)
  | FloorDiv -> (match y with
                 | FloorDiv -> true
                 | _ -> false)
  | FloorMod -> (match y with
                 | FloorMod -> true
                 | _ -> false)
  | TruncDiv -> (match y with
                 | TruncDiv -> true
                 | _ -> false)
  | TruncMod -> (match y with
                 | TruncMod -> true
                 | _ -> false)
  | Min -> (match y with
            | Min -> true
            | _ -> false)
  | Max -> (match y with
            | Max -> true
            | _ -> false)
  | Shl -> (match y with
            | Shl -> true
            | _ -> false)
  | Shr -> (match y with
            | Shr -> true
            | _ -> false)
  | BitAnd -> (match y with
               | BitAnd -> true
               | _ -> false)
  | BitOr -> (match y with
              | BitOr -> true
              | _ -> false)
  | BitXor -> (match y with
               | BitXor -> true
               | _ -> false)

(** val cmp_dec : cmp -> cmp -> bool **)

let cmp_dec x y =
  match x with
  | CEq -> (match y with
            | CEq -> true
            | _ -> false)
  | CNe -> (match y with
            | CNe -> true
            | _ -> false)
  | CLt -> (match y with
            | CLt -> true
            | _ -> false)
  | CLe -> (match y with
            | CLe -> true
            | _ -> false)
  | CGt -> (match y with
            | CGt -> true
            | _ -> false)
  | CGe -> (match y with
            | CGe -> true
            | _ -> false)

(** val dtype_dec : dtype -> dtype -> bool **)

let dtype_dec x y =
  let { signed = signed1; bits = bits0 } = x in
  let { signed = signed2; bits = bits1 } = y in
  if bool_dec signed1 signed2 then Z.eq_dec bits0 bits1 else false

(** val isame : iexpr -> iexpr -> bool **)

let rec isame x y =
  match x with
  | INum m -> (match y with
               | INum n0 -> Z.eqb m n0
               | _ -> false)
  | ISym s -> (match y with
               | ISym t -> (=) s t
               | _ -> false)
  | IBin (o, a0, b0) ->
    (match y with
     | IBin (o', a', b') ->
       (&&) ((&&) (if op_dec o o' then true else false) (isame a0 a'))
         (isame b0 b')
     | _ -> false)
  | IAbs a0 -> (match y with
                | IAbs a' -> isame a0 a'
                | _ -> false)
  | INot a0 -> (match y with
                | INot a' -> isame a0 a'
                | _ -> false)
  | IIf (c, a0, b0) ->
    (match y with
     | IIf (c', a', b') ->
       (&&) ((&&) (bsame c c') (isame a0 a')) (isame b0 b')
     | _ -> false)
  | IWrap (d, a0) ->
    (match y with
     | IWrap (d', a') ->
       (&&) (if dtype_dec d d' then true else false) (isame a0 a')
     | _ -> false)

(** val bsame : bexpr -> bexpr -> bool **)

and bsame x y =
  match x with
  | BConst s -> (match y with
                 | BConst t -> eqb s t
                 | _ -> false)
  | BSym s -> (match y with
               | BSym t -> (=) s t
               | _ -> false)
  | BNot a0 -> (match y with
                | BNot a' -> bsame a0 a'
                | _ -> false)
  | BAnd (a0, b0) ->
    (match y with
     | BAnd (a', b') -> (&&) (bsame a0 a') (bsame b0 b')
     | _ -> false)
  | BOr (a0, b0) ->
    (match y with
     | BOr (a', b') -> (&&) (bsame a0 a') (bsame b0 b')
     | _ -> false)
  | BImp (a0, b0) ->
    (match y with
     | BImp (a', b') -> (&&) (bsame a0 a') (bsame b0 b')
     | _ -> false)
  | BIff (a0, b0) ->
    (match y with
     | BIff (a', b') -> (&&) (bsame a0 a') (bsame b0 b')
     | _ -> false)
  | BIf (c, a0, b0) ->
    (match y with
     | BIf (c', a', b') ->
       (&&) ((&&) (bsame c c') (bsame a0 a')) (bsame b0 b')
     | _ -> false)
  | BCmp (o, a0, b0) ->
    (match y with
     | BCmp (o', a', b') ->
       (&&) ((&&) (if cmp_dec o o' then true else false) (isame a0 a'))
         (isame b0 b')
     | _ -> false)

(** val distinct : bexpr list -> hazards -> hazards **)

let rec distinct seen = function
| [] -> []
| p :: l' ->
  let (k, s) = p in
  if existsb (bsame s) seen
  then distinct seen l'
  else (k, s) :: (distinct (s :: seen) l')

(** val refuting : table -> bool -> formula -> hazards -> formula res **)

let rec refuting t require0 base = function
| [] -> Ok base
| p :: l' ->
  let (k, s) = p in
  bind (refuting t require0 base l') (fun rest ->
    bind (truth t s true) (fun holds ->
      let both_ =
        match holds with
        | FAnd l0 ->
          (match l0 with
           | [] -> rest
           | _ :: _ -> both (holds :: (rest :: [])))
        | _ -> both (holds :: (rest :: []))
      in
      if (||) require0 (negb k)
      then bind (truth t s false) (fun fails -> Ok
             (some (fails :: (both_ :: []))))
      else Ok both_))

(** val settled_all : table -> bexpr list -> formula list res **)

let rec settled_all t = function
| [] -> Ok []
| e :: l' ->
  bind (settled t e true) (fun f ->
    bind (settled_all t l') (fun fs -> Ok (f :: fs)))

(** val symbol_facts : dtype option -> table -> int -> facts **)

let rec symbol_facts fits0 rest k =
  match rest with
  | [] -> []
  | a0 :: rest' ->
    (match a0 with
     | ASym (truth0, _) ->
       if truth0
       then (FGe (pvar k)) :: ((FGe
              (psub (pconst (Zpos XH)) (pvar k))) :: (symbol_facts fits0
                                                       rest' (Stdlib.Int.succ
                                                       k)))
       else app
              (match fits0 with
               | Some d ->
                 (FGe (psub (pvar k) (pconst (low d)))) :: ((FGe
                   (psub (pconst (high d)) (pvar k))) :: [])
               | None -> []) (symbol_facts fits0 rest' (Stdlib.Int.succ k))
     | _ -> symbol_facts fits0 rest' (Stdlib.Int.succ k))

(** val failing : table -> question -> formula res **)

let failing t q =
  match q.fits with
  | Some d ->
    bind (settled t q.claim false) (fun base ->
      refuting t q.require base (distinct [] (bhaz d q.claim)))
  | None ->
    bind (settled t q.claim q.require) (fun f -> Ok
      (if q.require then negated f else f))

(** val start : table -> question -> facts res **)

let start t q =
  bind (settled_all t q.assumptions) (fun given ->
    bind (failing t q) (fun wanted -> Ok
      (app (flattened given)
        (app (symbol_facts q.fits t 0) (flattened (wanted :: []))))))

(** val range_ok : question -> bool **)

let range_ok q =
  match q.fits with
  | Some d -> (&&) (Z.leb (low d) Z0) (Z.leb (Zpos XH) (high d))
  | None -> true

(** val check_log : int -> question -> table -> step0 list -> verdict **)

let check_log fuel q t log =
  if (&&) (range_ok q) (table_ok t)
  then (match start t q with
        | Ok fs -> run fuel t fs log absurd 0
        | Bad -> Fails [])
  else Fails []

type row =
| RSym of bool * int
| RKind of kind * poly list
| RChoice of bexpr * poly * poly

(** val atom_of : table -> row -> atom res **)

let atom_of t = function
| RSym (t0, k) -> Ok (ASym (t0, k))
| RKind (k, args) -> Ok (AKind (k, args))
| RChoice (c, a0, b0) ->
  bind (truth t c true) (fun y ->
    bind (truth t c false) (fun n0 -> Ok (AIte (c, y, n0, a0, b0))))

(** val fill : table -> row list -> table res **)

let rec fill t = function
| [] -> Ok t
| x :: rows' ->
  bind (atom_of t x) (fun a0 ->
    match lookup t a0 with
    | Ok _ -> Bad
    | Bad -> fill (app t (a0 :: [])) rows')

(** val max_shift : z **)

let max_shift =
  Zpos (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO XH))))))))))))

(** val max_bits : z **)

let max_bits =
  Zpos (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO (XO
    XH))))))))))))))))

(** val max_points : z **)

let max_points =
  Zpos (XO (XO (XO (XO (XO (XI (XO (XO (XI (XO (XO (XO (XO (XI (XO (XI (XI
    (XI XH))))))))))))))))))

(** val max_work : z **)

let max_work =
  Zpos (XO (XO (XO (XO (XO (XO (XO (XO (XI (XO (XI (XI (XO (XI (XO (XO (XI
    (XO (XO (XO (XI (XI (XO (XO XH))))))))))))))))))))))))

(** val thent :
    'a1 outcome option -> ('a1 -> 'a2 outcome option) -> 'a2 outcome option **)

let thent x f =
  match x with
  | Some o ->
    (match o with
     | Val a0 -> f a0
     | NoValue -> Some NoValue
     | Outside -> Some Outside)
  | None -> None

(** val kept : z outcome -> z outcome option **)

let kept x = match x with
| Val z0 -> if Z.ltb (Z.log2 (Z.abs z0)) max_bits then Some x else None
| _ -> Some x

(** val shifted : op -> z -> z -> z option option **)

let shifted o x y =
  match o with
  | Shl ->
    if Z.ltb y Z0
    then Some None
    else if Z.eqb x Z0
         then Some (Some Z0)
         else if Z.ltb max_shift y then None else Some (bin o x y)
  | Shr ->
    if Z.ltb y Z0
    then Some None
    else if Z.eqb x Z0
         then Some (Some Z0)
         else if Z.ltb max_shift y then None else Some (bin o x y)
  | _ -> Some (bin o x y)

(** val itry : dtype option -> env -> iexpr -> z outcome option **)

let rec itry fits0 v0 = function
| INum z0 -> kept (ranged fits0 z0)
| ISym k -> kept (ranged fits0 (v0.ints k))
| IBin (o, a0, b0) ->
  thent (itry fits0 v0 a0) (fun x ->
    thent (itry fits0 v0 b0) (fun y ->
      match shifted o x y with
      | Some o0 ->
        (match o0 with
         | Some z0 -> kept (ranged fits0 z0)
         | None -> Some NoValue)
      | None -> None))
| IAbs a0 -> thent (itry fits0 v0 a0) (fun x -> kept (ranged fits0 (Z.abs x)))
| INot a0 ->
  thent (itry fits0 v0 a0) (fun x ->
    kept (ranged fits0 (Z.sub (Z.opp x) (Zpos XH))))
| IIf (c, a0, b0) ->
  thent (btry fits0 v0 c) (fun t ->
    if t then itry fits0 v0 a0 else itry fits0 v0 b0)
| IWrap (d, a0) ->
  thent (itry fits0 v0 a0) (fun x -> kept (ranged fits0 (wrap d x)))

(** val btry : dtype option -> env -> bexpr -> bool outcome option **)

and btry fits0 v0 = function
| BConst t -> Some (Val t)
| BSym k -> Some (Val (v0.bools k))
| BNot a0 -> thent (btry fits0 v0 a0) (fun t -> Some (Val (negb t)))
| BAnd (a0, b0) ->
  thent (btry fits0 v0 a0) (fun t ->
    if t then btry fits0 v0 b0 else Some (Val false))
| BOr (a0, b0) ->
  thent (btry fits0 v0 a0) (fun t ->
    if t then Some (Val true) else btry fits0 v0 b0)
| BImp (a0, b0) ->
  thent (btry fits0 v0 a0) (fun t ->
    if t then btry fits0 v0 b0 else Some (Val true))
| BIff (a0, b0) ->
  thent (btry fits0 v0 a0) (fun x ->
    thent (btry fits0 v0 b0) (fun y -> Some (Val (eqb x y))))
| BIf (c, a0, b0) ->
  thent (btry fits0 v0 c) (fun t ->
    if t then btry fits0 v0 a0 else btry fits0 v0 b0)
| BCmp (o, a0, b0) ->
  thent (itry fits0 v0 a0) (fun x ->
    thent (itry fits0 v0 b0) (fun y -> Some (Val (compare0 o x y))))

(** val hold : env -> bexpr list -> bool option **)

let rec hold v0 = function
| [] -> Some true
| a0 :: l' ->
  (match btry None v0 a0 with
   | Some o ->
     (match o with
      | Val a1 -> if a1 then hold v0 l' else Some false
      | _ -> Some false)
   | None -> None)

(** val point_ok : question -> env -> bool **)

let point_ok q v0 =
  match hold v0 q.assumptions with
  | Some b0 ->
    if b0
    then (match btry q.fits v0 q.claim with
          | Some o ->
            (match o with
             | Val t -> t
             | NoValue -> negb q.require
             | Outside -> false)
          | None -> false)
    else true
  | None -> false

type span = z option * z option

(** val at_least : z -> span -> span **)

let at_least z0 s =
  ((Some (match fst s with
          | Some l -> Z.max l z0
          | None -> z0)), (snd s))

(** val at_most : z -> span -> span **)

let at_most z0 s =
  ((fst s), (Some (match snd s with
                   | Some h -> Z.min h z0
                   | None -> z0)))

(** val tightened : cmp -> z -> span -> span **)

let tightened o z0 s =
  match o with
  | CEq -> at_least z0 (at_most z0 s)
  | CNe -> s
  | CLt -> at_most (Z.sub z0 (Zpos XH)) s
  | CLe -> at_most z0 s
  | CGt -> at_least (Z.add z0 (Zpos XH)) s
  | CGe -> at_least z0 s

(** val mirrored : cmp -> cmp **)

let mirrored o = match o with
| CLt -> CGt
| CLe -> CGe
| CGt -> CLt
| CGe -> CLe
| _ -> o

(** val bounded : int -> bexpr -> span -> span **)

let rec bounded k a0 s =
  match a0 with
  | BAnd (a1, b0) -> bounded k a1 (bounded k b0 s)
  | BCmp (o, a1, b0) ->
    (match a1 with
     | INum z0 ->
       (match b0 with
        | ISym j -> if (=) j k then tightened (mirrored o) z0 s else s
        | _ -> s)
     | ISym j ->
       (match b0 with
        | INum z0 -> if (=) j k then tightened o z0 s else s
        | _ -> s)
     | _ -> s)
  | _ -> s

(** val first_span : dtype option -> span **)

let first_span = function
| Some d -> ((Some (low d)), (Some (high d)))
| None -> (None, None)

(** val span_of : question -> int -> span **)

let span_of q k =
  fold_right (bounded k) (first_span q.fits) q.assumptions

(** val values_of : question -> int -> bool -> (z * z) option **)

let values_of q k = function
| true -> Some (Z0, (Zpos (XO XH)))
| false ->
  let (o, o0) = span_of q k in
  (match o with
   | Some l ->
     (match o0 with
      | Some h -> Some (l, (Z.max Z0 (Z.add (Z.sub h l) (Zpos XH))))
      | None -> None)
   | None -> None)

(** val box : question -> int -> bool list -> (z * z) list option **)

let rec box q k = function
| [] -> Some []
| t :: l' ->
  (match values_of q k t with
   | Some x ->
     (match box q (Stdlib.Int.succ k) l' with
      | Some xs -> Some (x :: xs)
      | None -> None)
   | None -> None)

(** val upto : int -> z -> (z -> bool) -> bool **)

let rec upto n0 z0 f =
  (fun fO fS n -> if n=0 then fO () else fS (n-1))
    (fun _ -> true)
    (fun n' -> (&&) (f z0) (upto n' (Z.add z0 (Zpos XH)) f))
    n0

(** val everywhere : (z * z) list -> (z list -> bool) -> bool **)

let rec everywhere b0 f =
  match b0 with
  | [] -> f []
  | p :: b' ->
    let (l, n0) = p in
    upto (Z.to_nat n0) l (fun x -> everywhere b' (fun xs -> f (x :: xs)))

(** val env_of : z list -> env **)

let env_of xs =
  { ints = (fun k -> nth k xs Z0); bools = (fun k ->
    negb (Z.eqb (nth k xs Z0) Z0)) }

(** val inodes : iexpr -> z **)

let rec inodes = function
| IBin (_, a0, b0) -> Z.add (Z.add (Zpos XH) (inodes a0)) (inodes b0)
| IAbs a0 -> Z.add (Zpos XH) (inodes a0)
| INot a0 -> Z.add (Zpos XH) (inodes a0)
| IIf (c, a0, b0) ->
  Z.add (Z.add (Z.add (Zpos XH) (bnodes c)) (inodes a0)) (inodes b0)
| IWrap (_, a0) -> Z.add (Zpos XH) (inodes a0)
| _ -> Zpos XH

(** val bnodes : bexpr -> z **)

and bnodes = function
| BNot a0 -> Z.add (Zpos XH) (bnodes a0)
| BAnd (a0, b0) -> Z.add (Z.add (Zpos XH) (bnodes a0)) (bnodes b0)
| BOr (a0, b0) -> Z.add (Z.add (Zpos XH) (bnodes a0)) (bnodes b0)
| BImp (a0, b0) -> Z.add (Z.add (Zpos XH) (bnodes a0)) (bnodes b0)
| BIff (a0, b0) -> Z.add (Z.add (Zpos XH) (bnodes a0)) (bnodes b0)
| BIf (c, a0, b0) ->
  Z.add (Z.add (Z.add (Zpos XH) (bnodes c)) (bnodes a0)) (bnodes b0)
| BCmp (_, a0, b0) -> Z.add (Z.add (Zpos XH) (inodes a0)) (inodes b0)
| _ -> Zpos XH

(** val affordable : question -> (z * z) list -> bool **)

let affordable q b0 =
  let points =
    fold_right (fun x n0 -> Z.mul (Z.max (Zpos XH) (snd x)) n0) (Zpos XH) b0
  in
  let nodes =
    fold_right (fun a0 n0 -> Z.add (bnodes a0) n0) (bnodes q.claim)
      q.assumptions
  in
  (&&) (Z.leb points max_points) (Z.leb (Z.mul points nodes) max_work)

(** val check_points : question -> bool **)

let check_points q =
  (&&) (scoped q)
    (match box q 0 q.symbols with
     | Some b0 ->
       (&&) (affordable q b0)
         (everywhere b0 (fun xs -> point_ok q (env_of xs)))
     | None -> false)

type evidence =
| ByLog of row list * step0 list
| ByPoints

type answer =
| Certified
| Unscoped
| NoTable
| Step of int list
| NotEverywhere

(** val check : int -> question -> evidence -> answer **)

let check fuel q e =
  if scoped q
  then (match e with
        | ByLog (rows, log) ->
          (match fill [] rows with
           | Ok t ->
             (match start t q with
              | Ok _ ->
                (match check_log fuel q t log with
                 | Accepted -> Certified
                 | Fails place0 -> Step place0)
              | Bad -> NoTable)
           | Bad -> NoTable)
        | ByPoints -> if check_points q then Certified else NotEverywhere)
  else Unscoped
