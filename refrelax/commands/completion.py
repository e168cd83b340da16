"""``completion``: what a shell completes, made from the parsers of the commands.

``eval "$(refrelax completion bash)"`` in ``.bashrc``; ``refrelax completion zsh > _refrelax`` in a folder of ``fpath``;
``refrelax completion fish > ~/.config/fish/completions/refrelax.fish``.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a command (``--numerics``) or, without a name, its positional arguments: the words that it takes,
    whether it takes a value at all, and a line of help."""

    name: str
    words: tuple[str, ...]
    takes: bool
    help: str


Table = dict[str, tuple[str, tuple[Choice, ...]]]
"""Command to its line of help and its choices."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", choices=(*SHELLS, "words"), help="the shell; words: the rules and operators that explain takes"
    )


def completion(options: argparse.Namespace) -> int:
    """0; the script goes to standard output."""
    print("\n".join(names()) if options.shell == "words" else SHELLS[options.shell](table()))
    return 0


def names() -> list[str]:
    """Rule ids and operators."""
    from refrelax.conformance import spec_text
    from refrelax.semantics.ops import OPERATORS

    rules = dict.fromkeys(each.rule for each in spec_text.paragraphs())
    return [*rules, *(name.replace("relax.", "R.", 1) for name in OPERATORS)]


def table() -> Table:
    """What every command takes, as its parser says."""
    from refrelax.commands import COMMANDS

    found: Table = {}
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=f"refrelax {name}")
        command.load(parser)
        found[name] = (command.help, tuple(_choices(parser)))
    return found


def _choices(parser: argparse.ArgumentParser) -> Iterator[Choice]:
    for action in parser._actions:
        words, said = tuple(map(str, action.choices or ())), (action.help or "").replace("%%", "%")
        if not action.option_strings and words:
            yield Choice("", words, True, said)
        for option in action.option_strings:
            yield Choice(option, words, action.nargs != 0, said)


def _plain(text: str) -> str:
    """A line of help that can stand between single quotes."""
    return re.sub(r"['\\\n\[\]:`$]", " ", text)


def bash(table: Table) -> str:
    """A function for bash, and its registration."""
    values = [
        f'    "{name} {each.name}") words="{" ".join(each.words)}"; found=1 ;;'
        for name, (_, choices) in table.items()
        for each in choices
        if each.name and each.words
    ]
    free = sorted({each.name for _, choices in table.values() for each in choices if each.takes and not each.words})
    options, places = [], []
    for name, (_, choices) in table.items():
        options.append(f'      {name}) words="{" ".join(each.name for each in choices if each.name)}" ;;')
        words = " ".join(word for each in choices if not each.name for word in each.words)
        if words:
            places.append(f'      {name}) words="{words}" ;;')
    return BASH.format(
        commands=" ".join(table), values="\n".join(values), free="|".join(each for each in free if each),
        options="\n".join(options), places="\n".join(places),
    )  # fmt: skip


BASH = """\
# eval "$(refrelax completion bash)"
_refrelax() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}"
  local words="" found=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands} --help --version" -- "$cur"))
    return
  fi
  case "$command $prev" in
{values}
  esac
  if [ -z "$found" ]; then
    case "$prev" in {free}) return ;; esac
    case "$cur" in
    -*)
      case "$command" in
{options}
      esac ;;
    *)
      case "$command" in
{places}
      explain) [ -n "$_refrelax_words" ] || _refrelax_words="$("${{COMP_WORDS[0]}}" completion words 2>/dev/null)"
        words="$_refrelax_words" ;;
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _refrelax refrelax"""


def zsh(table: Table) -> str:
    """A function for zsh's own system."""
    lines = ["#compdef refrelax", "_refrelax() {", "  local -a commands", "  commands=("]
    lines += [f"    '{name}:{_plain(said)}'" for name, (said, _) in table.items()]
    lines += ["  )", "  if (( CURRENT == 2 )); then _describe command commands; return; fi", '  case "$words[2]" in']
    for name, (_, choices) in table.items():
        lines.append(f"  {name}) shift words; (( CURRENT-- )); _arguments \\")
        lines += [f"    {_argument(each)} \\" for each in choices if each.name]
        place = next((each.words for each in choices if not each.name), ())
        words = "($(_refrelax_names))" if name == "explain" else f"({' '.join(place)})" if place else "_files"
        lines.append(f"    '*:argument:{words}' ;;" if name != "explain" else f'    "*:rule:{words}" ;;')
    ended = ["  esac", "}", "_refrelax_names() { refrelax completion words 2>/dev/null }", '_refrelax "$@"']
    return "\n".join([*lines, *ended])


def _argument(choice: Choice) -> str:
    value = "" if not choice.takes else f":value:({' '.join(choice.words)})" if choice.words else ":value:_files"
    return f"'{choice.name}[{_plain(choice.help)}]{value}'"


def fish(table: Table) -> str:
    """Lines for fish."""
    lines = []
    for name, (said, choices) in table.items():
        lines.append(f"complete -c refrelax -n __fish_use_subcommand -f -a {name} -d '{_plain(said)}'")
        seen = f"complete -c refrelax -n '__fish_seen_subcommand_from {name}'"
        for each in choices:
            words = f" -x -a '{' '.join(each.words)}'" if each.words else " -r" if each.takes else ""
            if not each.name:
                lines.append(f"{seen} -f -a '{' '.join(each.words)}'")
            else:
                dashed = f"-l {each.name[2:]}" if each.name.startswith("--") else f"-s {each.name[1:]}"
                lines.append(f"{seen} {dashed}{words} -d '{_plain(each.help)}'")
    lines.append("complete -c refrelax -n '__fish_seen_subcommand_from explain' -f -a '(refrelax completion words)'")
    return "\n".join(lines)


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
"""Shell to what makes its script."""
