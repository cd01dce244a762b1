"""``workload/1`` -> ``workload/2``: few keys have another name, so that the text is edited."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.config.convert.storage_sections import WORKLOAD
from simulator.config.convert.writing import scalar
from simulator.config.nodes import Mapping, Place, Sequence

_JOB_KEYS = {"count": "processes", "pes": "nodes"}
NEW = "workload/2"


@dataclass(frozen=True, slots=True)
class _Edit:
    """One word of the old text that becomes another one."""

    place: Place
    old: str
    new: str


def convert_workload(text: str, name: str) -> str:
    """Return the new text of a workload; ConfigError with the mistakes of the old one."""
    section, tree, _ = WORKLOAD.parse(text, name, ())
    edits = [_Edit(tree.entries["format"].place, WORKLOAD.format, NEW)]
    jobs = tree.entries.get("jobs")
    for job in jobs.items if isinstance(jobs, Sequence) else ():
        if isinstance(job, Mapping):
            edits += [
                _Edit(job.keys[old], old, new) for old, new in _JOB_KEYS.items() if old in job.keys
            ]
    if section.traced is not None:
        traced = tree.entries["traced"]
        assert isinstance(traced, Mapping)
        edits.append(_Edit(traced.keys["calls"], "calls", "file"))
    lines = _edited(text.removeprefix("\ufeff"), edits)
    if section.traced is not None:
        lines = _as_job(lines, tree.keys["traced"], section.name)
    return "\n".join(lines) + "\n"


def _edited(text: str, edits: list[_Edit]) -> list[str]:
    """Change words, those at the end of a line first."""
    lines = text.splitlines()
    for edit in sorted(set(edits), key=lambda one: -one.place.column):
        number, column = edit.place.line - 1, edit.place.column - 1
        line = lines[number]
        at = line.index(edit.old, column)  # Behind a quote or an anchor, perhaps.
        lines[number] = line[:at] + edit.new + line[at + len(edit.old) :]
    return lines


def _as_job(lines: list[str], traced: Place, name: str) -> list[str]:
    """Make a job of the section ``traced``: its keys are those of the job's ``calls``."""
    number = traced.line - 1
    head = ["jobs:", f"  - name: {scalar(name)}"]
    made = [*lines[:number], *head, f"    {lines[number].replace('traced', 'calls', 1)}"]
    inside = True
    for line in lines[number + 1 :]:
        inside = inside and (not line.strip() or line[0] in " #")
        made.append(f"    {line}" if inside and line.strip() else line)
    return made
