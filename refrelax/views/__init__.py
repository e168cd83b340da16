"""Seeing what the definition does: recordings of runs, and pages and pictures made from them.

==============  ============================================================================
``recording``   a run written down: steps in a tree, values, memory over time, threads
``steps``       what a recording is made of, and its documented JSON form
``shown``       values as they are shown: a few elements, with what is known of each
``stepper``     a recording as one page that steps forward and back
``equations``   which axis of what bound each symbol
``derivation``  the types of a function as a tree: text, SVG
``permitted``   what is permitted of a run, from the next two
``widths``      how wide the sets of a network's bindings are
``floats``      the permitted set of one element among the floats of its dtype
``fusion``      calls with their pattern kinds, and the groups that they became
``parting``     where an implementation parts from the definition
``comparison``  two programs side by side, with the claims that license what changed
``plan``        a memory plan as a chart of bytes over bindings
``sheet``       the frame of pages without scripts
``play``        what the playground asks, as plain data
==============  ============================================================================
"""
