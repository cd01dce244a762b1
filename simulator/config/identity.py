"""One short text that is the same exactly if two inputs mean the same."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

from simulator.config.section import Section, cached, fields_of

_NAMES = {"name", "title", "references"}
"""What people call a file, and what they cite, changes no result."""

_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode
_key = functools.lru_cache(1 << 12)(_ENCODE)
_MOST = 4096
_texts: dict[int, tuple[object, str]] = {}
"""What sections say, by their identity: variants of one file share most of theirs."""


def digest_of(*inputs: Section | str) -> str:
    """Return the SHA-256 of all values of some files, and of texts that stand for others."""
    parts = [
        json.dumps(one)
        if isinstance(one, str)
        else _joined({key: _text(getattr(one, key)) for key in _keys(type(one)) if _says(one, key)})
        for one in inputs
    ]
    return hashlib.sha256(f"[{','.join(parts)}]".encode("ascii")).hexdigest()


def _says(section: Section, key: str) -> bool:
    """Return whether a key is an old one, or says anything but what was so before it was there."""
    return key not in section.later or getattr(section, key) != getattr(type(section), key)


@cached
def _keys(section: type[Section]) -> tuple[str, ...]:
    return tuple(sorted(fields_of(section).keys() - _NAMES))


def _joined(parts: dict[str, str]) -> str:
    inner = ",".join([f"{_key(key)}:{parts[key]}" for key in sorted(parts)])
    return f"{{{inner}}}"


def _text(part: Any) -> str:
    """Return a part of a file as JSON."""
    key = id(part)
    known = _texts.get(key)
    if known is None:
        if len(_texts) >= _MOST:
            _texts.clear()
        # The part itself is kept too, so that no other gets its identity.
        known = _texts[key] = (part, _made(part))
    return known[1]


def _made(part: Any) -> str:
    """The text of a part; those of sections and their values are kept by themselves."""
    if isinstance(part, Section):
        mine = vars(part)
        return _joined({key: _text(mine[key]) for key in fields_of(type(part)) if _says(part, key)})
    if isinstance(part, dict) and any(isinstance(one, Section) for one in part.values()):
        return _joined({name: _text(one) for name, one in part.items()})
    if isinstance(part, list | tuple) and any(isinstance(one, Section) for one in part):
        return f"[{','.join(map(_text, part))}]"
    return _ENCODE(values_of(part))


def values_of(value: Any) -> Any:
    """Return a section as a mapping of plain values, as JSON has them."""
    if isinstance(value, Section):
        return {key: values_of(getattr(value, key)) for key in fields_of(type(value))}
    if is_dataclass(value):
        return {one.name: values_of(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, dict):
        return {key: values_of(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [values_of(one) for one in value]
    return value
