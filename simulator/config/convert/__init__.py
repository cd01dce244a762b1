"""From the formats of version 1 to ``machine/2`` and ``workload/2``: texts in, commented texts out.

To add a format: a function from the text of a file and its name to the new text, in
:data:`CONVERTERS`.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.config.convert.array_files import convert_array, convert_parallel
from simulator.config.convert.call_files import convert_calls, convert_servers
from simulator.config.convert.mesh_files import convert_mesh, convert_workstations
from simulator.config.convert.old import comments
from simulator.config.convert.storage_machine import convert_machine
from simulator.config.convert.storage_workload import convert_workload
from simulator.config.convert.writing import scalar
from simulator.config.errors import ConfigError, Problem
from simulator.config.formats import KINDS
from simulator.config.textfile import format_in

Converter = Callable[[str, str], str]
"""(text of a file, its name for messages) -> the text of the new file; ConfigError with the
mistakes of the old one."""

CONVERTERS: dict[str, Converter] = {
    "machine/1": convert_machine,
    "workload/1": convert_workload,
    "workstations/1": convert_workstations,
    "mesh/1": convert_mesh,
    "parallel-io/1": convert_parallel,
    "array-io/1": convert_array,
    "server/1": convert_servers,
    "calls/1": convert_calls,
}
"""Old format -> how it becomes the new one."""


def convert(text: str, name: str = "<text>") -> str:
    """Convert the text of a file in an old format; ``name`` stands for the file in messages.

    ConfigError if it is wrong, is in no old format, or says what the new formats do not allow.
    """
    format_ = format_in(text)
    converter = CONVERTERS.get(format_ or "")
    if converter is None:
        raise ConfigError([Problem(name, 0, 0, "format", _refusal(format_))])
    made = converter(text, name)
    for kind in KINDS:
        if format_in(made) == kind.format:
            kind.parse(made, f"{name}, converted", ())
    return made


def lost_comments(old: str, new: str) -> list[int]:
    """Return the lines of comments of an old file that are not in the new one, nor its notes."""
    kept = set(comments(new).values())
    return [
        line
        for line, comment in comments(old).items()
        if comment not in kept and f"note: {scalar(comment.removeprefix('assumed: '))}" not in new
    ]


def _refusal(format_: str | None) -> str:
    if format_ in [kind.format for kind in KINDS]:
        return f"this file is in {format_} already; use it as it is"
    known = ", ".join(CONVERTERS)
    what = (
        "the file does not say its format" if format_ is None else f"{format_!r} is no old format"
    )
    return f"{what}; what can be converted: {known}"
