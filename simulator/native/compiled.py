"""Kinds that the native engine has a module for, compiled or interpreted as the engine itself.

The class of a kind has its name in capitals, and that of its base: ``SecondChancePolicy`` for the
policy ``second-chance``. A compiled engine contains the modules that were there when it was
compiled, and cannot call others.
"""

from __future__ import annotations

from typing import TypeVar

from simulator.errors import RefusedError
from simulator.kinds import kind_class, names
from simulator.native import engine

Base = TypeVar("Base")


def native_class(
    folder: str, name: str, base: type[Base], noun: str, example: str = ""
) -> type[Base]:
    """Return the class of a kind; RefusedError if the native engine does not have it.

    ``example`` is something of this kind.
    """
    if name not in names(folder, "native"):
        as_one = f", as {example} is one" if example else ""
        raise RefusedError(f"the native engine has no {noun} {name!r}{as_one}")
    if str(engine.__file__).endswith(".py"):
        return kind_class(folder, name, "native", base)
    class_name = "".join(word.capitalize() for word in name.split("-")) + base.__name__
    compiled: type[Base] | None = getattr(engine, class_name, None)
    if compiled is None:
        about = "is not compiled, as the engine is; run 'make setup' in a checkout"
        about = f"of {example} {about}" if example else about
        raise RefusedError(f"the native engine's {noun} {name!r} {about}")
    return compiled
