"""What the search of the site finds by name beside commands and functions: keys of files."""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive ``key``, as Sphinx asks extensions to."""
    app.add_object_type("key", "key", objname="key of a file")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
