"""The page of the Python API, from the docstrings of what ``nwtsim`` has for users."""

from __future__ import annotations

import inspect

import nwtsim


def page() -> str:
    """Write the page in MyST Markdown."""
    functions = [name for name in nwtsim.__all__ if inspect.isfunction(getattr(nwtsim, name))]
    classes = [name for name in nwtsim.__all__ if inspect.isclass(getattr(nwtsim, name))]
    errors = ["ConfigError", "InputError", "SimulationError"]
    parts = [
        "# Python API",
        "By example: [docs/python.md](/docs/python.md).",
        "## Functions",
        *(directive("autofunction", f"nwtsim.{name}") for name in functions),
        "## Classes",
        *(directive("autoclass", f"nwtsim.{name}", ":members:") for name in classes),
        "## Errors",
        *(directive("autoexception", f"nwtsim.{name}") for name in errors),
    ]
    return "\n\n".join(parts) + "\n"


def directive(name: str, of: str, *options: str) -> str:
    """Write a directive of autodoc."""
    lines = [f".. {name}:: {of}", *(f"   {one}" for one in options)]
    return "```{eval-rst}\n" + "\n".join(lines) + "\n```"
