"""Kinds of things, a folder each: what there is of them, and the class of one.

A kind of part is a folder of ``simulator/kinds/parts``, a replacement policy one of
``simulator/kinds/policies``, a tier one of ``simulator/kinds/tiers``, the order of a batch queue
one of ``simulator/kinds/orders``, its backfill one of ``simulator/kinds/backfills``, a service
beside the storage one of the folder ``services`` of a plug-in; all that is known of it stands
there:

==================  ===========================================================================
``section.py``      its keys, defaults and checks; of a part its traits, its arithmetic and its
                    random draw, too; of a tier the steps of a walk along a path
``reference.py``    its class in the reference engine
``native.hpp``      its class in the native engine, of parts and policies: this has those that were
                    there when it was compiled, and the tiers that nwtsim comes with
``lowering.py``     of a service: the rows of a plan that it and its users need
==================  ===========================================================================

A tier of a machine file may be another one in a plan, or several: ``use`` is a ``store``, the
``buffers`` of an I/O node or a ``stage``, and ``route`` has none of its own.

Other things are a module each: a kind of phase in ``simulator/kinds/phases``, a runtime in
``simulator/kinds/runtimes`` (with a ``.hpp`` beside it, or the native engine takes it as a list of
calls), a report in ``report/formats`` (those that nwtsim has are in
``simulator/report/report.py``). A name has ``-`` where its folder or module has ``_``.
Plug-ins have more of all of them, in folders of the same names (``parts/zoned_disk``,
``report/formats/resources.py``): the folder ``kinds`` of a published study (``experiments/orion``),
the folder that the environment variable ``NWTSIM_PLUGINS`` names, and installed packages with an
entry point of the group ``nwtsim.kinds``. They are code, and run with the rights of the program.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.errors import InputError
from simulator.shipped import shipped_root

if TYPE_CHECKING:
    from types import ModuleType

Base = TypeVar("Base")

PLUGINS = "NWTSIM_PLUGINS"
"""The environment variable with the folder of a user's own kinds."""
GROUP = "nwtsim.kinds"
"""The group of entry points that name packages with kinds."""
_HERE = Path(__file__).resolve().parent
_FOLDERS = ("parts", "policies", "tiers", "orders", "backfills", "services")
"""Those whose kinds are a folder each."""


def places(folder: str) -> list[str]:
    """Return where the kinds of a folder are: the ``__path__`` of its package.

    InputError if a plug-in does not exist.
    """
    found = [(_HERE if (_HERE / folder).is_dir() else _HERE.parent) / folder]
    found += [one / folder for one in plugins().values() if (one / folder).is_dir()]
    return [str(one) for one in found]


def plugins() -> dict[str, Path]:
    """Return the folders of plug-ins, by the studies, the variable and the packages of them.

    InputError if one does not exist.
    """
    own = os.environ.get(PLUGINS)
    if not own:
        return {**_studies(), **_packages()}
    if not Path(own).is_dir():
        raise InputError(f"{PLUGINS}={own}: there is no such folder; make it, or unset this")
    return {**_studies(), PLUGINS: Path(own).resolve(), **_packages()}


@functools.cache
def _studies() -> dict[str, Path]:
    """Return the folders of the studies that have kinds of their own."""
    found = sorted(shipped_root("experiments").glob("*/kinds"))
    return {f"experiments/{path.parent.name}": path for path in found}


@functools.cache
def _packages() -> dict[str, Path]:
    """Return the folders of the packages that entry points name."""
    if not any(map(_has_kinds, sys.path)):
        return {}
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found = {}
    for one in sorted(entry_points(group=GROUP)):
        spec = find_spec(one.value) if "." not in one.value else None
        if spec is None or not spec.submodule_search_locations:
            about = (
                f"the entry point {one.name!r} of {GROUP} names {one.value!r}, which is no package"
            )
            raise InputError(f"{about} at the top; install what has it again, or uninstall it")
        found[one.value] = Path(spec.submodule_search_locations[0]).resolve()
    return found


def _has_kinds(folder: str) -> bool:
    """Return whether a package in a folder may have kinds; asking for all of them takes 30 ms."""
    texts = Path(folder).glob("*-info/entry_points.txt")
    return any(f"[{GROUP}]" in one.read_text("utf-8", "replace") for one in texts)


@functools.cache
def names(folder: str, module: str = "") -> tuple[str, ...]:
    """Return the kinds that a folder has, in alphabetical order.

    ``module``: only those that have a module of this name; ``native`` is C++.

    >>> "lru" in names("policies", "reference")
    True
    """
    found = (path for place in places(folder) for path in Path(place).iterdir())
    if folder in _FOLDERS:
        wanted = "native.hpp" if module == "native" else f"{module or '*'}.py"
        stems = {path.name for path in found if path.is_dir() and any(path.glob(wanted))}
    else:
        stems = {path.name.partition(".")[0] for path in found}
    return tuple(
        sorted(stem.replace("_", "-") for stem in stems if not stem.startswith(("_", ".")))
    )


def stem_of(name: str) -> str:
    """Return the name of the folder or module of a kind."""
    return name.replace("-", "_")


def module_of(package: ModuleType, name: str) -> ModuleType:
    """Return the module of a kind: that which the package has, or else import it."""
    loaded: ModuleType | None = getattr(package, stem_of(name), None)
    return loaded or importlib.import_module(f"{package.__name__}.{stem_of(name)}")


@functools.cache
def part_module(folder: str, name: str, module: str) -> ModuleType:
    """Import a module of a kind that is a folder: ``parts``, ``policies``, ``tiers`` and so on.

    InputError if it has none.
    """
    if name not in names(folder, module):
        raise InputError(f"{name} has no {module}.py in any of {', '.join(places(folder))}")
    within = f".{module}" if module else ""
    return importlib.import_module(f"simulator.kinds.{folder}.{stem_of(name)}{within}")


def classes_of(folder: str, module: str, base: type[Base]) -> Iterator[type[Base]]:
    """Import a module of all kinds of a folder; return their classes that are a ``base``."""
    for name in names(folder, module):
        yield from classes_in(part_module(folder, name, module), base)


def class_of(package: ModuleType, name: str, base: type[Base]) -> type[Base]:
    """Return the class of a kind: the only one in its module that is a ``base``.

    InputError if there is none, or more than one.
    """
    found: type[Base] = _only(module_of(package, name), base)  # type: ignore[arg-type]
    return found


def kind_class(folder: str, name: str, module: str, base: type[Base]) -> type[Base]:
    """Return the class of a kind that is a folder, as :func:`class_of` does."""
    found: type[Base] = _only(part_module(folder, name, module), base)  # type: ignore[arg-type]
    return found


@functools.cache
def _only(module: ModuleType, base: Any) -> Any:
    found = list(classes_in(module, base))
    if len(found) != 1:
        about = f"defines {len(found)} classes that are a {base.__name__}; write one"
        raise InputError(f"{module.__file__}: {about}")
    return found[0]


def classes_in(module: ModuleType, base: type[Base]) -> Iterator[type[Base]]:
    """Yield the classes that a module defines and that are a ``base``."""
    for one in vars(module).values():
        if isinstance(one, type) and issubclass(one, base) and one.__module__ == module.__name__:
            yield one
