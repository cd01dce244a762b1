"""Kinds of things that are a module each: which there are, and the class of one.

The modules of a folder are its kinds, by their names: a cache policy in
``simulator/reference/policies/clock.py`` is called ``clock``. The folder that the environment
variable ``NWTSIM_PLUGINS`` names may have more of them, in folders of the same names
(``reference/policies/clock.py``); they are code, and run with the rights of the program.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.errors import InputError

if TYPE_CHECKING:
    from types import ModuleType

Base = TypeVar("Base")

PLUGINS = "NWTSIM_PLUGINS"
"""The environment variable with the folder of a user's own kinds."""
_ROOT = Path(__file__).resolve().parent


def places(folder: str) -> list[str]:
    """Return where the modules of a folder are: the ``__path__`` of its package.

    InputError if the user's folder of kinds does not exist.
    """
    found = [_ROOT / folder]
    own = os.environ.get(PLUGINS)
    if own:
        if not Path(own).is_dir():
            raise InputError(f"{PLUGINS}={own}: there is no such folder; make it, or unset this")
        if (Path(own) / folder).is_dir():
            found.append(Path(own).resolve() / folder)
    return [str(one) for one in found]


@functools.cache
def names(folder: str) -> tuple[str, ...]:
    """Return the kinds that a folder has, in alphabetical order.

    >>> names("reference/policies")
    ('arc', 'fifo', 'lru')
    """
    found = (path for place in places(folder) for path in Path(place).iterdir())
    stems = {path.name.partition(".")[0] for path in found}
    return tuple(
        sorted(stem.replace("_", "-") for stem in stems if not stem.startswith(("_", ".")))
    )


def module_of(package: ModuleType, name: str) -> ModuleType:
    """Return the module of a kind: that which the package has, or else import it."""
    stem = name.replace("-", "_")
    loaded: ModuleType | None = getattr(package, stem, None)
    return loaded or importlib.import_module(f"{package.__name__}.{stem}")


def classes_of(package: str, base: type[Base]) -> Iterator[type[Base]]:
    """Import all modules of a package of kinds; return their classes that are a ``base``."""
    for name in names(package.partition(".")[2].replace(".", "/")):
        module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
        yield from (one for one in vars(module).values() if _is_new(one, base, module))


def class_of(package: ModuleType, name: str, base: type[Base]) -> type[Base]:
    """Return the class of a kind: the only one in its module that is a ``base``.

    InputError if there is none, or more than one.
    """
    found: type[Base] = _class_of(package, name, base)  # type: ignore[arg-type]
    return found


@functools.cache
def _class_of(package: ModuleType, name: str, base: Any) -> Any:
    module = module_of(package, name)
    found = [one for one in vars(module).values() if _is_new(one, base, module)]
    if len(found) != 1:
        about = f"defines {len(found)} classes that are a {base.__name__}; write one"
        raise InputError(f"{module.__file__}: {about}")
    return found[0]


def _is_new(one: Any, base: type, module: ModuleType) -> bool:
    return isinstance(one, type) and issubclass(one, base) and one.__module__ == module.__name__
