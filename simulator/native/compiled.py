"""Kinds that the native engine has a module for, compiled or interpreted as the engine itself.

The class of a kind has its name in capitals: ``SecondChance`` for ``second-chance``. A compiled
engine contains the modules that were there when it was compiled, and cannot call others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from simulator.errors import RefusedError
from simulator.kinds import class_of, names
from simulator.native import engine

if TYPE_CHECKING:
    from types import ModuleType

Base = TypeVar("Base")


def native_class(package: ModuleType, name: str, base: type[Base], noun: str) -> type[Base]:
    """Return the class of a kind; RefusedError if the native engine does not have it."""
    folder = package.__name__.removeprefix("simulator.").replace(".", "/")
    if name not in names(folder):
        raise RefusedError(f"the native engine has no {noun} {name!r}")
    if str(engine.__file__).endswith(".py"):
        return class_of(package, name, base)
    compiled: type[Base] | None = getattr(engine, _class_name(name), None)
    if compiled is None:
        about = "is not compiled, as the engine is; run 'make setup' in a checkout"
        raise RefusedError(f"the native engine's {noun} {name!r} {about}")
    return compiled


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
