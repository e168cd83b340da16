"""Seeing what the definition does: recordings of runs, and pages and pictures made from them.

==============  ============================================================================
``recording``   a run written down: steps in a tree, values, memory over time, threads
``steps``       what a recording is made of, and its documented JSON form
``shown``       values as they are shown: a few elements, with what is known of each
``stepper``     a recording as one page that steps forward and back
==============  ============================================================================
"""
