"""A campaign: generate, judge, name the cause, and shrink, blame and report only what is new; with a memory."""
