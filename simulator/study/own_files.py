"""Reading the YAML files of the studies, which are ours and long: by libyaml, if it is there."""

from __future__ import annotations

from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_own(text: str) -> Any:
    """Return what a text of a shipped file says; yaml.YAMLError if it is no YAML."""
    return yaml.load(text, Loader=_LOADER)
