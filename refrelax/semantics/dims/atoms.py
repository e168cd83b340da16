"""What a polynomial is a polynomial *over*: symbols, and terms that arithmetic does not open.

An atom is a plain record with a unique key; the polynomials inside it are in normal form themselves. ``Atoms`` is the
table of one question: it lives as long as one call and holds the facts that the call may use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from refrelax.semantics.dims.facts import Bound, Facts
from refrelax.semantics.dims.poly import Poly, serial, weight

TRUTHS = "?"
"""First character of the keys of atoms that are 0 or 1; such an atom is its own square."""


MAX_WORK = 150_000
"""Operations on terms that the normal form of one expression may take (``sh/fuel``)."""

MAX_SPENT = 4_000
"""Terms that all steps of one question of typing may look at together (``ranges.nonneg``)."""

LOOK, CHARGED = 5, 4
"""How many of the operations of ``MAX_WORK`` one of these terms takes as long as where both are added, and by how many
more are charged than are done."""

LONG = 400
"""A key longer than this is replaced by its digest, so that nesting does not make keys grow without bound."""


@dataclass(frozen=True, slots=True, eq=False)
class Atom:
    """``kind`` says how to read ``args``:

    * ``var`` — a symbol (``name``, ``dtype``);
    * ``fd`` — floor of ``args[0] / args[1]``; ``td`` — the quotient rounded towards zero;
    * ``min`` — the least of ``args`` (two or more, sorted);
    * ``ge`` — 1 where ``args[0] >= 0``, else 0; ``eq`` — 1 where ``args[0] == 0``, else 0;
    * ``p2`` — two to the power ``args[0]``;
    * ``cast`` — ``args[0]`` wrapped into ``dtype``;
    * ``float`` — an index or a truth that is computed from floats, a function ``name`` of ``args``;
    * ``call`` — anything else, a function ``name`` of ``args`` that nothing is known about.
    """

    key: str
    kind: str
    args: tuple[Poly, ...] = ()
    name: str = ""
    dtype: str = "int64"


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of an expression, and what it cost: a second occurrence of the same object is charged the same."""

    expression: object
    """Kept alive, so that its identity stays its own."""
    form: Poly
    work: int
    spent: int


@dataclass(slots=True)
class Atoms:
    """The atoms of one question by key, in order of first appearance, and the facts of the question."""

    facts: Facts
    table: dict[str, Atom] = field(default_factory=dict)
    intervals: dict[str, Bound] = field(default_factory=dict)
    """Intervals already computed (``ranges.atom_interval``)."""
    spent: int = 0
    """Terms that ``ranges.nonneg`` has looked at in this question."""
    work: int = 0
    """Operations on terms so far (``sh/fuel``): a count, never a time."""
    seen: dict[tuple[int, bool, bool], Seen] = field(default_factory=dict)
    """Normal forms of this question by the identity of the expression, whether it is guarded, and whether fuel is
    left."""
    guarded: int = 0
    """How many conditions stand around the part at hand: a division there may be meant not to be reached by zero."""

    def charge(self, operations: int) -> bool:
        """Counts operations; whether there is still fuel."""
        self.work += operations
        return self.work <= MAX_WORK

    @property
    def cost(self) -> int:
        """All operations so far, by how long they take: a part that stands again is charged, and takes nothing."""
        return min(self.work, MAX_WORK) // CHARGED + LOOK * self.spent

    @property
    def exhausted(self) -> bool:
        """Whether the fuel of this question is spent."""
        return self.work > MAX_WORK

    def remembered(self, e: object) -> Poly | None:
        """The normal form of this very object, charged again; ``None`` if it is new or the fuel would run out in it."""
        found = self.seen.get((id(e), self.guarded > 0, self.exhausted))
        if found is None:
            return None
        if self.exhausted:
            self.work += found.work
            self.spent += found.spent
            return found.form
        return found.form if self.pays(found.work, found.spent) else None

    def pays(self, work: int, spent: int) -> bool:
        """Charges what an answer cost when it was found; not if either count would run out in it."""
        if self.work + work > MAX_WORK or self.spent + spent > MAX_SPENT:
            return False
        self.work += work
        self.spent += spent
        return True

    def remember(self, e: object, form: Poly, work: int, spent: int) -> None:
        """``form`` is the normal form of ``e``; ``work`` and ``spent`` were the counts before."""
        if (work > MAX_WORK) == self.exhausted and (spent > MAX_SPENT) == (self.spent > MAX_SPENT):
            seen = Seen(e, form, self.work - work, self.spent - spent)
            self.seen[id(e), self.guarded > 0, self.exhausted] = seen

    def refuel(self) -> None:
        """Another part of the question starts: its normal form must not depend on what was asked before."""
        self.work = self.spent = 0

    def var(self, name: str, dtype: str) -> str:
        """The key of a symbol."""
        key = TRUTHS + name if dtype == "bool" else name
        if key not in self.table:
            self.table[key] = Atom(key, "var", (), name, dtype)
        return key

    def put(self, kind: str, args: tuple[Poly, ...], name: str = "", dtype: str = "int64") -> Poly:
        """The polynomial that is this one atom."""
        self.charge(sum(map(weight, args)))
        mark = TRUTHS if kind in ("ge", "eq") or dtype == "bool" else ""
        key = f"{mark}{kind}:{name}:{dtype}({','.join(map(serial, args))})"
        if len(key) > LONG:
            key = f"{mark}{kind}:{blake2b(key.encode(), digest_size=20).hexdigest()}"
        if key not in self.table:
            self.table[key] = Atom(key, kind, args, name, dtype)
        return {(key,): 1}

    def sole(self, p: Poly, kind: str) -> Atom | None:
        """The atom of ``kind`` that ``p`` is, if ``p`` is one."""
        if len(p) != 1:
            return None
        ((mono, coefficient),) = p.items()
        if coefficient != 1 or len(mono) != 1:
            return None
        atom = self.table[mono[0]]
        return atom if atom.kind == kind else None
