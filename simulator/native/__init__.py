"""The native engine: carries out any plan, compiled where there is a C compiler.

Its modules are compiled by Cython from the unmodified ``.py`` and the ``.pxd`` beside it (the list
is ``ENGINE`` of :mod:`simulator.compiled`); without a compiler the same files run interpreted and
give the same answers.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from simulator.compiled import ENGINE


@cache
def native_build() -> str:
    """Return ``compiled``, ``interpreted`` or ``partly compiled: N of M`` for its modules."""
    return build_of(ENGINE)


def build_of(modules: tuple[str, ...]) -> str:
    """Return the same for any modules. They are found but not imported.

    >>> build_of(("simulator.compiled",))
    'interpreted'
    """
    specs = [find_spec(name) for name in modules]
    compiled = sum(spec is not None and not str(spec.origin).endswith(".py") for spec in specs)
    if compiled == len(modules):
        return "compiled"
    return f"partly compiled: {compiled} of {len(modules)}" if compiled else "interpreted"
