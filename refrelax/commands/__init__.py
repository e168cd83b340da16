"""The commands, one file a family: arguments and output; the work is done by the rooms."""

from refrelax.commands import bisect, certify, conformance, demo, fuzz, judge, lower, prove, read, rules, run, trace
from refrelax.commands.shared import Command, Stop

COMMANDS: dict[str, Command] = {
    "demo": Command("the main job on the models in the package, judged", demo.arguments, demo.demo),
    "parse": Command("the canonical JSON of a module", read.parse_arguments, read.parse),
    "fmt": Command("the canonical TVMScript of a module", read.fmt_arguments, read.fmt),
    "check": Command("well-formedness and types; all diagnostics", read.check_arguments, read.check),
    "run": Command("run a function", run.arguments, run.run),
    "trace": Command("a run, event by event", trace.arguments, trace.run),
    "lower": Command("passes, each with the claims that it rests on", lower.arguments, lower.lower),
    "diff": Command("the first binding on which an implementation diverges", judge.diff_arguments, judge.diff),
    "bisect": Command("the first pass that changed the meaning", bisect.arguments, bisect.bisect),
    "validate": Command("one program against another", judge.validate_arguments, judge.validate),
    "fuzz": Command("generated programs against an implementation", fuzz.arguments, fuzz.fuzz),
    "prove": Command("prove or refute a claim over integers", prove.arguments, prove.prove),
    "certify": Command("check the certificates of proofs", certify.arguments, certify.certify),
    "rules": Command("the tie between spec, code and cases", rules.rules_arguments, rules.rules),
    "explain": Command("what a rule or operator says, where it lives, cases", rules.explain_arguments, rules.explain),
    "conformance": Command("export the suite, or run it on an implementation", conformance.arguments, conformance.run),
}
"""Name to command, in the order of ``refrelax --help``."""

__all__ = ["COMMANDS", "Command", "Stop"]
