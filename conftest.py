"""What pytest must not collect: the source of a module that is compiled here.

It would import the ``.py`` under the name of the compiled module, and put the two side by
side. Doctests of these modules run where they are interpreted (``make test-pure``).
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what has a compiled module beside it."""
    inside = "simulator" in collection_path.relative_to(config.rootpath).parts[:1]
    if inside and collection_path.suffix == ".py":
        stem = collection_path.stem
        if any(collection_path.parent.glob(f"{stem}.*.so")):
            return True
    return None
