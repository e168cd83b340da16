"""The records of the whole suite, for the tests that ask all of them: made once in a process, since that takes half a
minute. Who changes one copies it."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice

from refrelax.conformance import load, load_named_examples
from refrelax.conformance.suite.records import Record, exported


@cache
def records(first: int | None = None) -> tuple[Record, ...]:
    """The records of all cases, or of the ``first``, as JSON gives them."""
    cases = islice((*load(), *load_named_examples()), first)
    return tuple(json.loads(json.dumps(each)) for each in exported(tuple(cases)))
