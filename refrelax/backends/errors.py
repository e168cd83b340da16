"""What a backend says when it cannot compile a module."""

from __future__ import annotations


class Unsupported(Exception):
    """The backend has no translation of something in the module: no verdict about the program."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"the backend cannot compile {what}")

    def __reduce__(self) -> tuple[object, ...]:
        return Unsupported, (self.what,)
