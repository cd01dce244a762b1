"""Modules as their source says, where Python would import the compiled ones."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

PACKAGE = "simulator"
ROOT = Path(__file__).resolve().parent.parent


class _SourcesOnly:
    """Finds the modules of the package, but only in their sources."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.split(".", maxsplit=1)[0] != PACKAGE:
            return None
        for folder in path or [str(ROOT)]:
            spec = FileFinder(folder, (SourceFileLoader, [".py"])).find_spec(name, target)
            if spec is not None:
                return spec
        return None


def sources_only() -> None:
    """From now on import the package's modules from source: for a process that has none yet."""
    assert not any(_is_ours(name) for name in sys.modules)
    sys.meta_path.insert(0, _SourcesOnly())


def is_compiled(module: ModuleType) -> bool:
    """Whether a module is the one that a compiler made."""
    return not str(module.__file__).endswith(".py")


def interpreted(*names: str) -> list[ModuleType]:
    """Import modules, and what of the package they import, from source; nobody else sees them."""
    known = {name: module for name, module in sys.modules.items() if _is_ours(name)}
    for name in known:
        del sys.modules[name]
    finder = _SourcesOnly()
    sys.meta_path.insert(0, finder)
    try:
        found = [importlib.import_module(name) for name in names]
        if f"{PACKAGE}.native.engine" in sys.modules:
            _import_kinds(sys.modules[f"{PACKAGE}.kinds"])
        return found
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_ours(name)]:
            del sys.modules[name]
        sys.modules.update(known)


def _import_kinds(kinds: ModuleType) -> None:
    """Import the native modules of all kinds, which the engine asks for when it runs."""
    for folder in ("parts", "policies"):
        for name in kinds.names(folder, "native"):
            kinds.part_module(folder, name, "native")


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(PACKAGE + ".")
