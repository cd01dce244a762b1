"""Kinds that the native engine has a module for, compiled or interpreted as the engine itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from simulator.errors import RefusedError
from simulator.kinds import class_of, module_of, names
from simulator.native import engine

if TYPE_CHECKING:
    from types import ModuleType

Base = TypeVar("Base")


def native_class(package: ModuleType, name: str, base: type[Base], noun: str) -> type[Base]:
    """Return the class of a kind; RefusedError if the native engine does not have it.

    A compiled engine cannot call an interpreted module.
    """
    folder = package.__name__.removeprefix("simulator.").replace(".", "/")
    if name not in names(folder):
        raise RefusedError(f"the native engine has no {noun} {name!r}")
    if _is_compiled(engine) and not _is_compiled(module_of(package, name)):
        about = "is not compiled, as the engine is; run 'make setup' in a checkout"
        raise RefusedError(f"the native engine's {noun} {name!r} {about}")
    return class_of(package, name, base)


def _is_compiled(module: ModuleType) -> bool:
    return not str(module.__file__).endswith(".py")
