"""The project's own modules as trees: each is parsed once, for all tests that look at it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")


@cache
def tree(path: Path) -> ast.Module:
    """Return a module as it is parsed."""
    return ast.parse(path.read_text(encoding="utf-8"))


def within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements (and ``except`` and ``case``) that stand right in one."""
    for name in _BODIES:
        yield from getattr(node, name, ())


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements of a module: no expression holds one, and most of a module is those."""
    for child in within(node):
        yield child
        yield from statements(child)
