"""``prove-rewrite``: a rewrite rule, its two sides as programs, for all sizes and attributes.

It is ``validate`` that asks for a proof.
"""

from __future__ import annotations

import argparse

from refrelax.commands.shared import add_json, seconds


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="LHS", help="TVMScript: what the rule matches")
    parser.add_argument("after", metavar="RHS", help="TVMScript: what it puts there; - is standard input")
    when = "of which symbols the rule may be used, as 'n >= 1' or 'm %% 8 == 0'; repeatable"
    parser.add_argument("--given", action="append", default=[], metavar="'n >= 1'", dest="assume", help=when)
    parser.add_argument("--entry", metavar="ENTRY", help="the function (default: main)")
    parser.add_argument("--relax", action="append", default=[], metavar="NAME", help="a named relaxation; repeatable")
    parser.add_argument("--timeout", type=seconds, metavar="S", help="for everything: 90, 60s, 10m, 2h")
    parser.add_argument("--effort", choices=("quick", "normal", "thorough"), default="normal", help="of the proof")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--certificates", metavar="DIR", help="claims and descent of the proof, for `refrelax certify`")
    parser.add_argument("--html", metavar="OUT", help="also a page: verdict, claims, programs, counterexample")
    add_json(parser)


def prove_rewrite(options: argparse.Namespace) -> int:
    """0 proved for all sizes, 1 refuted, 3 neither."""
    from refrelax.commands import judge

    asked = argparse.ArgumentParser()
    judge.validate_arguments(asked)
    whole = asked.parse_args([options.before])
    vars(whole).update(vars(options))
    whole.require = "proved"
    return judge.validate(whole)
