"""Who confirms the certificates of what was proved: ``python benchmarks/solver.py --certify``."""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from typing import Any

from refrelax.shape_solver import Proved, prove
from refrelax.shape_solver.certify import confirm


def certified(queries: list[dict[str, Any]], effort: Any) -> None:
    """Prints the share of each confirmer, times, and what nobody confirms."""
    who: Counter[str] = Counter()
    unconfirmed: list[str] = []
    writing: list[float] = []
    reading: list[float] = []
    ratios: list[float] = []
    sizes: list[int] = []
    for query in queries:
        begin = time.process_time()
        answer = prove(query["claim"], query["assume"], effort, query.get("fits"))
        proving = time.process_time() - begin
        if not isinstance(answer, Proved):
            continue
        start, begin = time.perf_counter(), time.process_time()
        document = json.loads(json.dumps(answer.certificate.document()))
        ratios.append((time.process_time() - begin) / max(proving, 1e-6))
        sizes.append(len(json.dumps(document["evidence"])))
        middle = time.perf_counter()
        found = confirm(document)
        writing.append(middle - start)
        reading.append(time.perf_counter() - middle)
        who[found.by or ("WRONG" if found.rejected else "nobody")] += 1
        if found.by is None or found.by == "z3":
            stage, reason = answer.stages[-1].name, found.rejected or found.missing or "z3 only"
            unconfirmed.append(f"{query['name']} ({stage}): {query['claim']}  if {query['assume']}: {reason}")
    total = sum(who.values())
    accepted = total - who["nobody"] - who["WRONG"] - who["z3"]
    shares = ", ".join(f"{name} {count}" for name, count in who.most_common())
    share = 100 * accepted / max(total, 1)
    print(f"certificates of {total} proofs: {shares}; checker, enumeration or cvc5: {share:.2f} %")
    for name, times in (("written", writing), ("checked", reading)):
        ordered = sorted(times) or [0.0]
        p95 = ordered[int(0.95 * (len(ordered) - 1))]
        median = statistics.median(ordered)
        print(f"  {name}: median {1e3 * median:.1f} ms, p95 {1e3 * p95:.0f} ms, {sum(ordered):.1f} s")
    for name, unit, numbers in (("a certificate costs", " proofs", ratios), ("its evidence has", " bytes", sizes)):
        ordered = sorted(map(float, numbers)) or [0.0]
        p95, p99 = (ordered[int(share * (len(ordered) - 1))] for share in (0.95, 0.99))
        median = statistics.median(ordered)
        print(f"  {name}: median {median:.1f}{unit}, p95 {p95:.1f}, p99 {p99:.1f}, max {ordered[-1]:.0f}")
    for line in unconfirmed:
        print(f"  {line}")
