"""Seeing what the definition does: recordings of runs, and pages and pictures made from them.

==============  ============================================================================
``recording``   a run written down: steps in a tree, values, memory over time, threads
``steps``       what a recording is made of, and its documented JSON form
``shown``       values as they are shown: a few elements, with what is known of each
``stepper``     a recording as one page that steps forward and back
``derivation``  the types of a function as a tree: text, SVG
``comparison``  two programs side by side, with the claims that license what changed
``plan``        a memory plan as a chart of bytes over bindings
``sheet``       the frame of pages without scripts
``play``        what the playground asks, as plain data
==============  ============================================================================
"""
