"""No command line, however bad, shows a traceback or is called a fault of refrelax."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from refrelax import cli
from refrelax.commands import COMMANDS
from refrelax.running import npz
from refrelax.running.arrays import to_constant

PROGRAM = """
from tvm.script import ir as I, relax as R, tirx as T
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2), "float32"), k: R.Prim("int64")) -> R.Tensor(("n", 2), "float32"):
        y = R.add(x, x)
        return y

    @R.function
    def deep(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        cls = Module
        y = cls.deep(x)
        return y

    @R.function
    def pair(p: R.Tuple(R.Tensor((2,), "bfloat16"), R.Shape([2])), f: R.Any) -> R.Any:
        return p

    @T.prim_func(private=True)
    def loops(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                v = T.axis.spatial(4, i)
                B[v] = A[v]
"""

ENTRIES = ("main", "deep", "pair", "loops", "nope", "", "é")
FILES = (
    "good.py",
    "bad.py",
    "latin.py",
    "empty.py",
    "folder",
    "missing.py",
    "nul.py",
    "deep.py",
    "",
    "\udce9.py",
    "a.npz",
)
ARCHIVES = ("a.npz", "other.npz", "zip.npz", "empty.npz", "short.npz", "good.py", "folder", "missing.npz")
IMPLS = (
    "numpy", "nothing", "json:loads", "json:nope", "re:A", ":", "theirs:Mine", "theirs:Raises", "theirs:Odd", "broken:x"
)  # fmt: skip
ARGS = (
    "x=[[1,2]]", "x=[[1,2],[3]]", "x=1", "x=[]", "x=null", 'x="a"', "x={}", 'x={"dtype":"q","shape":[1],"data":[1]}',
    'x={"dtype":"float32","shape":[-1,2],"data":[1]}', 'x={"dtype":"float32","shape":"a","data":[1]}', "x", "=", "k=1",
    "k=1e400", "k=99999999999999999999", 'k="z"', "x=[[NaN,Infinity]]", f"x={'[' * 5000}", "p=[[1,2],[2]]", "p=[1]",
    'f={"dtype":"float32"}', "A=[1,2,3,4]", "B=[0,0,0]", 'x={"shape":[1]}', "x=[[true,2]]", "f=\"\ud800\"",
)  # fmt: skip
DIMS = (
    "n=3",
    "n=-1",
    "n=0",
    "n=99999999999999999999999",
    "n=9223372036854775807",
    "n",
    "q=1",
    "n=1,n=2",
    f"n={'9' * 5000}",
)
CLAIMS = ("n == n", "n +", "", "1 // 0 == 1", "x" * 5000, "(" * 5000, "n << 99999999999 == 0", "n ** 3 == 1", "\ud800")


def options(command: str) -> dict[str, tuple[str, ...]]:
    """Options of a command with values that go wrong in many ways; none that runs for long."""
    inputs = {
        "--entry": ENTRIES, "--args": ARCHIVES, "--random": ("0", "-1", "x", "9" * 50), "--arg": ARGS, "--dim": DIMS,
        "--policy": ("special", "none"), "--consts": ARCHIVES, "--save-args": ("out.npz", "folder", "no/such/x.npz"),
        "--extern": ("lib.py:f", "lib.py:D", "lib.py:no", "missing.py:f", "bad.py:f", "lib.py", "a.b=lib.py:N", ""),
    }  # fmt: skip
    budget = {"--steps": ("5", "-1", "0"), "--elements": ("5", "-1"), "--check-regions": ()}
    readings = ("ieee", "enclosure", "exact", "symbolic", "sampled", "roman")
    run = {**inputs, **budget, "--numerics": readings, "--json": ()}
    return {
        "parse": {"--json": ()},
        "fmt": {},
        "check": {"--explain": (), "--svg": ("o.svg", "no/o"), "--json": (), "--consts": ARCHIVES},
        "run": {
            **run,
            "--backend": ("numpy", "interpreter", "none"),
            "--mode": ("bits", "x"),
            "--html": ("o.html", "no/o"),
            "--element": ("value", "value[0]", "value[0, 0]", "value.1[0]", "value[9, 9]", "x", f"value[{'9' * 5000}]"),
        },
        "trace": {**run, "--loops": (), "--html": ("o.html", "no/o")},
        "lower": {
            "--pipeline": ("none",),
            "--passes": ("a", ",", "legalize"),
            "-o": ("folder", "no/o"),
            "--json": (),
            "--html": ("o.html", "no/o"),
            "--memory": ("n=3", "n=0..3", "n=3..1", "n=..", "n=1..9999999999999999999999", f"n=1..{'9' * 5000}"),
        },
        "diff": {**inputs, "--impl": IMPLS, "--html": ("o.html", "no/o"), "--json": ()},
        "bisect": {**inputs, "--impl": ("refrelax", "x"), "--pipeline": ("none", ",", "legalize"), "--json": ()},
        "validate": {
            "--entry": ENTRIES,
            "--consts": ARCHIVES,
            "--seed": ("x",),
            "--extern": inputs["--extern"],
            "--html": ("o.html", "no/o"),
        },
        "prove-rewrite": {"--given": CLAIMS, "--entry": ENTRIES, "--html": ("o.html", "no/o"), "--json": ()},
        "prove": {"--assume": CLAIMS, "--fits": ("int8", "x"), "--smt2": ("folder", "q.smt2"), "--explain": ()},
        "certify": {"--time": ("x", "-1", "1"), "--json": ()},
        "explain": {"--json": ()},
        "exercise": {"--hint": ("1", "9", "x"), "--start": ("start.py", "no/o"), "--json": ()},
        "conformance": {"--only": ("zzz",), "--known": ("missing", "good.py"), "--deadline": ("0", "x"), "--json": ()},
        "rules": {"--only": ("zzz",), "--sample": ("-1", "x"), "--seed": ("1",), "--all": ()},
        "fuzz": {"--time": ("x", "-1s"), "--features": ("none",), "--jobs": ("0",), "--dtypes": ("q",)},
        "demo": {"--json": ()},
        "completion": {},
    }[command]


WORDS = {
    "validate": 2, "prove-rewrite": 2, "prove": 1, "explain": 1, "certify": 1, "run": 1, "trace": 1, "lower": 1,
    "diff": 1, "bisect": 1, "parse": 1, "fmt": 1, "check": 1,
}  # fmt: skip


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command line of the right shape, most of it wrong."""
    command = draw(st.sampled_from(sorted(COMMANDS)))
    match command:
        case "conformance":
            given = [command, draw(st.sampled_from(["run", "export", "x"]))]
            given += ["--impl", draw(st.sampled_from(IMPLS))] if given[1] == "run" else ["folder/out"]
            given += ["--only", "zzz"]
        case "rules":
            given = [command, draw(st.sampled_from(["check", "coverage", "mutate", "x"])), "--only", "zzz"]
        case "fuzz":
            given = [command, "--impl", draw(st.sampled_from([i for i in IMPLS if i != "numpy"])), "--jobs", "0"]
        case "demo":
            given = [command, draw(st.sampled_from(["none", "mlp/none", ""]))]
        case "prove":
            given = [command, draw(st.sampled_from(CLAIMS)), "--effort", "quick"]
        case "exercise":
            given = [
                command,
                draw(st.sampled_from(["", "1", "12", "13", "0", "x"])),
                *draw(st.sampled_from([[], ["bad.py"], ["nul.py"]])),
            ]
        case "completion":
            given = [command, draw(st.sampled_from(["bash", "words", "tcsh", ""]))]
        case "explain":
            given = [command, draw(st.sampled_from(["", "sh/equal", "R.add", "no/rule", "\ud800", "("]))]
        case _:
            given = [command, *(draw(st.sampled_from(FILES[:1] * 8 + FILES)) for _ in range(WORDS.get(command, 1)))]
    known = options(command)
    if command == "diff":
        given += ["--impl", draw(st.sampled_from(IMPLS))]
    if command == "bisect":
        given += ["--impl", "refrelax"]
    for name in draw(st.lists(st.sampled_from(sorted(known)), max_size=4, unique=True)) if known else ():
        given += [name, draw(st.sampled_from(known[name]))] if known[name] else [name]
    return given


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("edges")
    (home / "folder").mkdir()
    texts = {
        "good.py": PROGRAM, "bad.py": "def main(:\n", "empty.py": "", "nul.py": "x\0y",
        "deep.py": PROGRAM.replace("R.add(x, x)", "R.add(" * 3000 + "x" + ", x)" * 3000),
        "lib.py": "D = {'a.b': print, 'c': 3}\nN = 3\ndef f(x): return x\n",
        "theirs.py": (
            "class Mine:\n    def run(self, m, e, a): import refrelax as rr; return rr.Returned(a[0] if a else 0, 3)\n"
            "class Raises:\n    def run(self, m, e, a): raise KeyError('x')\n"
            "class Odd:\n    run = 3\n"
        ),
        "broken.py": "1 / 0\n",
    }  # fmt: skip
    for name, text in texts.items():
        (home / name).write_text(text, encoding="utf-8")
    (home / "latin.py").write_bytes(b"# \xe9\n")
    npz.write(home / "a.npz", {"0": to_constant([[1.0, 2.0]], "float32"), "1": to_constant(3, "int64")})
    npz.write(home / "other.npz", {"x": to_constant([[[1, 2]]], "int8"), "0.0": to_constant([1], "uint16")})
    npz.write(home / "empty.npz", {})
    (home / "zip.npz").write_bytes(b"PK\x03\x04" + b"\0" * 50)
    (home / "short.npz").write_bytes((home / "a.npz").read_bytes()[:-40])
    return home


def held(folder: Path, argv: list[str]) -> tuple[int, str, str]:
    """One command line in ``folder``: its exit code is one of the contract, and its words are no fault of ours."""
    out, err = io.StringIO(), io.StringIO()
    before, streams = Path.cwd(), (sys.stdout, sys.stderr)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.stdout, sys.stderr = out, err
    try:
        code = cli.main(argv)
    finally:
        sys.stdout, sys.stderr = streams
        sys.path.remove(str(folder))
        os.chdir(before)
    assert code in (0, 1, 2, 3), (code, argv)
    for word in ("Traceback", "fault of refrelax"):
        assert word not in out.getvalue() + err.getvalue(), (argv, err.getvalue())
    return code, out.getvalue(), err.getvalue()


@pytest.mark.thorough
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=40)
@given(argv=lines())
@example(argv=["run", "good.py", "--args", "a.npz", "--entry", "nope"])
@example(argv=["run", "good.py", "--random", "0", "--dim", "n=99999999999999999999999"])
@example(argv=["run", "good.py", "--random", "0", "--entry", "deep"])
@example(argv=["run", "good.py", "--args", "other.npz", "--backend", "numpy"])
@example(argv=["run", "good.py", "--args", "other.npz", "--entry", "pair", "--backend", "numpy"])
@example(argv=["run", "good.py", "--random", "0", "--numerics", "exact", "--policy", "special"])
@example(argv=["diff", "good.py", "--impl", "theirs:Mine", "--random", "0"])
def test_any_command_line(folder: Path, argv: list[str]) -> None:
    held(folder, argv)


@pytest.mark.nightly
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(argv=lines())
def test_very_many_command_lines(folder: Path, argv: list[str]) -> None:
    held(folder, argv)


STREAMS = [
    # what a shell does to our streams, the exit code, and what may be said
    ("fmt good.py >&-", 0, ""),
    ("check bad.py >&-", 1, "[syn/python-grammar]"),
    ("check good.py 2>&-", 0, ""),
    ("check nothing 2>&-", 2, ""),
    ("check - <&-", 2, "standard input is closed"),
    ("fmt good.py >/dev/full", 2, "standard output: no space left on device"),
    ("--help >/dev/full", 2, "standard output: no space left on device"),
    ("check bad.py 2>/dev/full", 2, ""),
    ("check bad.py >/dev/full", 1, "[syn/python-grammar]"),
    ("check good.py good.py | true", 0, ""),
    ("--help | true", 0, ""),
]


def often(k: int, *values: object) -> object:
    """Every other one each time, all of them every night: each starts a process."""
    return pytest.param(*values, marks=pytest.mark.nightly if k % 2 else ())


@pytest.mark.thorough
@pytest.mark.parametrize(("line", "code", "said"), [often(k, *each) for k, each in enumerate(STREAMS)])
def test_streams_that_are_closed_cut_or_full(folder: Path, line: str, code: int, said: str) -> None:
    command = f"{sys.executable} -m refrelax {line}; exit ${{PIPESTATUS[0]}}"
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == code and said in done.stderr, (done.returncode, done.stderr)
    assert "fault" not in done.stderr and "Exception" not in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("\n") == bool(said)


@pytest.mark.thorough
def test_an_encoding_that_lacks_a_character(folder: Path) -> None:
    surroundings = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "refrelax", "check", "--explain", "good.py"]
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    assert not done.returncode and "\\u2514" in done.stdout


LOADED = {
    "--version": "", "--help": "", "check good.py": "", "run good.py --random 0": "", "prove n+1>n": "",
    "lower good.py": "", "validate good.py good.py": "", "bisect good.py --impl refrelax --random 0": "",
    "diff good.py --impl numpy --random 0": "numpy ml_dtypes", "fuzz --help": "", "conformance run --help": "",
}  # fmt: skip
"""What a command loads of the packages that are optional or cost a start: nothing that it does not need."""

LOADS = """
import contextlib, io, json, sys
from refrelax.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.thorough
@pytest.mark.parametrize("line", [often(k, each) for k, each in enumerate(LOADED)])
def test_a_command_loads_what_it_needs(folder: Path, line: str) -> None:
    command = [sys.executable, "-c", LOADS, *line.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    heavy = {"z3", "numpy", "ml_dtypes", "rich", "hypothesis", "cvc5", "tvm", "cupy", "torch"}
    assert loaded & heavy <= set(LOADED[line].split())
    if line.startswith("--"):
        ours = {name for name in loaded if name.startswith("refrelax")}
        assert ours == {"refrelax", "refrelax.cli", "refrelax.commands", "refrelax.extras", "refrelax.version"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "line", ["validate good.py good.py", "conformance run --impl reference --only evaluation/bind"]
)
def test_long_work_shows_progress_on_a_terminal_alone(folder: Path, line: str) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "refrelax", *line.split()]
    surroundings = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    try:
        out = {"stdout": subprocess.PIPE, "stderr": theirs}
        shown = subprocess.run(command, cwd=folder, env=surroundings, check=False, **out)
        assert line.split()[0] in os.read(ours, 10_000).decode()
    finally:
        os.close(theirs)
        os.close(ours)
    piped = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert piped.stderr == b"" and piped.stdout == shown.stdout
