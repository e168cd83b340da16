"""From the AST back to text: canonical TVMScript, spelled as TVM 0.27 spells it."""
