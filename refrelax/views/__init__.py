"""Seeing what the definition does: recordings of runs, and pages and pictures made from them.

==============  ============================================================================
``recording``   a run as data: steps in a tree, values, memory over time, where poison arose
``shown``       values as they are shown: a few elements, with what is known of each
==============  ============================================================================
"""
