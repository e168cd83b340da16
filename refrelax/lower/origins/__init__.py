"""Where a loop program comes from: the operator calls that it was made from, as an attribute of the function.

A lowered module says again and again what it was made from: ``T.func_attr({"Origin": …})`` holds, as text, a
graph-level function that calls operators alone. The text is a **hint** and is never believed. What it says counts where
it is *proved*: the origin is lowered again, and the loop program that comes out is the one that has the attribute, up
to names (``proof.py``). So a hint that somebody wrote by hand, or that no longer fits a loop program which a pass has
changed, is no hint at all. The definition never looks at origins; backends do, and may compute what the operators mean
in place of the loops.

* ``text.py``: the attribute;
* ``made.py``: the origins of what ``legalize`` and ``fuse_loops`` make;
* ``proof.py``: ``origin_of``, the origin of a loop program if it is proved;
* ``calls.py``: calls of such loop programs, written as the calls of operators that they are.

Spec: ``spec/10-lowering.md``, *Origins*.
"""
