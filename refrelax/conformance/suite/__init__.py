"""The suite without the definition: cases, permitted outcomes and types as data, a protocol, and a judge of answers.

==============  ============================================================================
``values``      values as bits, and permitted sets of values, in JSON
``records``     a case as the record that is exported, with everything a judge needs
``store``       a folder with the records, their manifest and schemas: written and read
``judge``       an answer held against a record; nothing is run
``pairs``       all answers, acceptances and refusals counted in pairs
``scores``      tables, JUnit, JSON
``schemas``     the published schemas
``protocol``    what is asked of an implementation, and what it answers, line by line
``command``     an implementation as a command: deadlines, restarts, several at once
``serve``       the definition itself, answering by that protocol
==============  ============================================================================

Spec: ``spec/01-conformance.md``, *The suite for other implementations*.
"""
