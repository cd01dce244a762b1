"""The first advices, for the reports of commands that were asked something else."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.report.lined import wrapped
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.advise import Advice, Advised

MOST = 2


def first_lines(advised: Advised, question: Sequence[str] = ()) -> str:
    """Write the first advices, for the reports of other commands.

    ``question`` are the words of the command that has all advice.
    """
    if not advised.advice:
        return ""
    tried = ["each resource twice as good"]
    if advised.runs:
        tried.append(f"{counted(advised.runs, 'change')} of the program")
    lines = [f"What helps most (tried: {' and '.join(tried)}):"]
    shown = advised.advice[:MOST]
    for one in shown:
        lines += _brief(one)
    if question:
        told = "tries more"
        if not all(one.command for one in shown):
            told += ", and with -o DIR writes the changed calls"
        lines.append(f"  '{shlex.join(question)}' {told}")
    return "\n".join(lines)


def _brief(one: Advice) -> list[str]:
    """Write what to do, and the command that does it: not broken, so that it can be copied."""
    presumes = f", if {one.cure.presumes.rstrip('.')}" if one.cure.presumes else ""
    told = f"  {one.finding.pattern}: {one.cure.how.rstrip('.')}{presumes}"
    lines = wrapped(told).split("\n")
    lines = [lines[0], *(f"    {line}" for line in lines[1:])]
    how = shlex.join(one.command) if one.command else "the calls of the log changed so"
    return [*lines, f"  {format_time(one.elapsed_ns)}: {how}"]
