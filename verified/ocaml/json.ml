(* JSON, strictly: each key once, integers only, no control characters, not nested without end. *)
open Core

type json = Null | Int of z | Bool of bool | Str of string | Arr of json list | Obj of (string * json) list

exception Bad of string
let bad format = Printf.ksprintf (fun why -> raise (Bad why)) format

let max_depth = 1_000
let max_digits = 2_467 (* of 2 ** 8192 *)

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n lsr 1)) else XO (positive (n lsr 1))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))

let z_of_digits digits =
  let nine = z_of_int 1_000_000_000 and total = ref Z0 and length = String.length digits in
  let first = length mod 9 in
  if first > 0 then total := z_of_int (int_of_string ("0u" ^ String.sub digits 0 first));
  for chunk = 0 to (length / 9) - 1 do
    let value = int_of_string ("0u" ^ String.sub digits (first + (9 * chunk)) 9) in
    total := Z.add (Z.mul nine !total) (z_of_int value)
  done;
  !total

let parse (s : string) : json =
  let at = ref 0 in
  let peek () = if !at < String.length s then s.[!at] else '\000' in
  let next () = if !at >= String.length s then bad "expected more, found the end"; let c = s.[!at] in incr at; c in
  let rec skip () = match peek () with ' ' | '\n' | '\t' | '\r' -> incr at; skip () | _ -> () in
  let eat c = skip (); if !at < String.length s && peek () = c then incr at else bad "expected %C at character %d" c !at in
  let word text value =
    let length = String.length text in
    if !at + length <= String.length s && String.sub s !at length = text then (at := !at + length; value)
    else bad "expected JSON at character %d" !at in
  let hex () =
    let code = ref 0 in
    for _ = 1 to 4 do
      let digit = match next () with
        | '0' .. '9' as c -> Char.code c - 48
        | 'a' .. 'f' as c -> Char.code c - 87
        | 'A' .. 'F' as c -> Char.code c - 55
        | _ -> bad "expected four hexadecimal digits at character %d" !at in
      code := (!code * 16) + digit
    done;
    !code in
  let escaped b = match next () with
    | ('"' | '\\' | '/') as c -> Buffer.add_char b c
    | 'n' -> Buffer.add_char b '\n' | 't' -> Buffer.add_char b '\t' | 'r' -> Buffer.add_char b '\r'
    | 'b' -> Buffer.add_char b '\b' | 'f' -> Buffer.add_char b '\012'
    | 'u' -> let code = hex () in if code < 128 then Buffer.add_char b (Char.chr code) else Printf.bprintf b "\\u%04x" code
    | _ -> bad "expected an escape at character %d" !at in
  let string () =
    eat '"';
    let b = Buffer.create 16 in
    let rec more () = match next () with
      | '"' -> Buffer.contents b
      | '\\' -> escaped b; more ()
      | c when c < ' ' -> bad "expected no control character in a string, at character %d" !at
      | c -> Buffer.add_char b c; more () in
    more () in
  let digits () =
    let from = !at in
    while (match peek () with '0' .. '9' -> true | _ -> false) do incr at done;
    let text = String.sub s from (!at - from) in
    (match peek () with '.' | 'e' | 'E' -> bad "expected integers only, at character %d" !at | _ -> ());
    if text = "" || (String.length text > 1 && text.[0] = '0') then bad "expected an integer at character %d" from;
    if String.length text > max_digits then bad "expected an integer of at most %d digits" max_digits;
    z_of_digits text in
  let rec value depth =
    if depth = 0 then bad "expected a certificate that is nested less deeply";
    skip ();
    match peek () with
    | '[' -> incr at; skip (); if peek () = ']' then (incr at; Arr []) else Arr (items depth [])
    | '{' -> incr at; skip (); if peek () = '}' then (incr at; Obj []) else Obj (fields depth [])
    | '"' -> Str (string ())
    | 'n' -> word "null" Null
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | '-' -> incr at; Int (Z.opp (digits ()))
    | _ -> Int (digits ())
  and items depth found =
    let found = value (depth - 1) :: found in
    skip (); if peek () = ',' then (incr at; items depth found) else (eat ']'; List.rev found)
  and fields depth found =
    skip ();
    let key = string () in
    if List.mem_assoc key found then bad "expected each key once, found %S twice" key;
    if List.length found > 16 then bad "expected fewer keys";
    eat ':';
    let found = (key, value (depth - 1)) :: found in
    skip (); if peek () = ',' then (incr at; fields depth found) else (eat '}'; List.rev found) in
  let found = value max_depth in
  skip ();
  if !at <> String.length s then bad "expected the end at character %d" !at;
  found

let field key = function
  | Obj fields -> (match List.assoc_opt key fields with Some found -> found | None -> bad "expected a field %S, found none" key)
  | _ -> bad "expected an object with a field %S" key

(* The fields of an object are among these. *)
let only keys = function
  | Obj fields -> List.iter (fun (key, _) -> if not (List.mem key keys) then bad "expected no field %S" key) fields
  | _ -> bad "expected an object"

let list f = function Arr found -> List.map f found | _ -> bad "expected a list"
