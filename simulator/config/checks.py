"""What checks of a file look at, and what they find."""

from __future__ import annotations

from typing import Any

from simulator.config.errors import Path

Fault = tuple[Path, str]
"""Where something is wrong, and what."""

Plain = dict[str, Any]
"""A section as :mod:`simulator.config.plain` gives it: None stands for what is wrong."""
