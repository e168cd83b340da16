"""What lowered modules run on: explicit storage, and the library functions of the virtual machine.

Spec: ``spec/08-effects-and-storage.md``.
"""
