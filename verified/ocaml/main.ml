(* refrelax-verified FILE...: checks certificates; "-" is standard input.
   Exit status: 0 all certified, 1 one is refused, 3 one has evidence that is not checked here, 2 usage. *)
open Core
open Json

let max_bytes = 16_000_000

(* Bytes that one certificate may make the checker allocate: counted, never timed. Points are few by Points.v. *)
let budget = ref 0.
let for_log = 2e9
let for_points = 4e10
let steps = 1_000_000

let text path =
  let channel = if path = "-" then stdin else open_in_bin path in
  let buffer = Buffer.create 65_536 in
  (try
     while Buffer.length buffer <= max_bytes do Buffer.add_channel buffer channel 1 done
   with End_of_file -> ());
  if path <> "-" then close_in channel;
  if Buffer.length buffer > max_bytes then bad "expected at most %d bytes" max_bytes;
  Buffer.contents buffer

(* The rule of the step at [place]. *)
let rec rule log place = match place with
  | [ k ] | [ k; _ ] -> (match List.nth_opt log k with
      | Some (Combine _) -> "combine" | Some (Equal _) -> "equal" | Some (Congruence _) -> "congruence"
      | Some (Schema (name, _, _, _, _)) -> name | Some (Bitwise _) -> "bits" | Some (Carried _) -> "carries" | Some (Cases _) -> "cases" | None -> "nothing absurd at the end")
  | k :: branch :: rest -> (match List.nth_opt log k with
      | Some (Cases (_, branches, _)) -> (match List.nth_opt branches branch with Some inner -> rule inner rest | None -> "cases")
      | _ -> "cases")
  | [] -> "no step"

let refused evidence = function
  | Unscoped -> "expected symbols that are declared"
  | NoTable -> "expected a table of the atoms of the question, operands first, each once"
  | NotEverywhere -> "expected a claim that holds at all of few points"
  | Step place ->
    let log = match evidence with ByLog (_, log) -> log | ByPoints -> [] in
    Printf.sprintf "step %s (%s) does not follow" (String.concat "." (List.map string_of_int place)) (rule log place)
  | Certified -> ""

let examined path =
  let found = parse (text path) in
  let names = match found with Obj fields -> (match List.assoc_opt "names" fields with Some names -> names | None -> Null) | _ -> Null in
  let read = Door.certificate found in
  (match read with Door.Evidence (_, ByPoints) -> budget := for_points | _ -> ());
  match read with
  | Door.Script _ -> 3, "OPEN a script needs a solver"
  | Door.Evidence (question, evidence) ->
    match check steps question evidence with
    | Certified -> 0, "CERTIFIED by verified: " ^ Door.said question names
    | other -> 1, "REJECTED " ^ refused evidence other

let one path =
  let before = Gc.allocated_bytes () in
  let spent () = if Gc.allocated_bytes () -. before > !budget then bad "expected a certificate that takes less work to check" in
  budget := for_log;
  let alarm = Gc.create_alarm spent in
  let code, line =
    try examined path with
    | Bad why -> 1, "REJECTED " ^ why
    | Stack_overflow | Out_of_memory -> 1, "REJECTED expected a certificate that takes less work to check"
    | Sys_error why -> 2, why in
  Gc.delete_alarm alarm;
  Printf.printf "%s: %s\n%!" path line;
  code

let () =
  match List.tl (Array.to_list Sys.argv) with
  | [] -> prerr_endline "usage: refrelax-verified FILE..."; exit 2
  | paths -> exit (List.fold_left (fun worst path -> let code = one path in if worst = 1 || code = 1 then 1 else max worst code) 0 paths)
