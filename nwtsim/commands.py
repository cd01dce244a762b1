"""Commands of nwtsim from Python, as in a terminal; and SQL queries on a trace."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path
from typing import Any


class Printed:
    """Output of a command, and its picture, if it has one."""

    def __init__(self, text: str, picture: Path | None) -> None:
        self.text = text
        self.picture = picture

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text.rstrip()

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Show the picture rather than the text."""
        if self.picture is not None:
            import base64

            picture = base64.b64encode(self.picture.read_bytes()).decode()
            return {"image/png": picture, "text/plain": f"<picture {self.picture.name}>"}
        return {"text/plain": repr(self)}


def command(words: str, *, folder: str | Path = ".") -> Printed:
    """Run a command of nwtsim in a folder: ``nwtsim.command("trace summary job.parquet")``.

    InputError with the command's message if it fails.
    """
    from simulator.cli.main import main
    from simulator.errors import InputError

    said = shlex.split(words)
    place = Path(folder)
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(place),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(said)
    if code:
        raise InputError(f"nwtsim {words}: exit code {code}\n{err.getvalue()}".rstrip())
    plot = said[said.index("--plot") + 1] if "--plot" in said[:-1] else None
    return Printed(out.getvalue(), place / plot if plot else None)


def trace_rows(
    trace: str | Path, query: str, *, files: tuple[str, ...] = ()
) -> list[tuple[Any, ...]]:
    """Return the rows of an SQL query on the table ``calls`` of a trace.

    ``trace`` is a store or a log, ``files`` selects calls by the ends of their files' names;
    docs/traces.md lists the columns. MissingExtraError without pyarrow and DuckDB.
    """
    from simulator.traces.reports.choice import Choice
    from simulator.traces.reports.opened import opened

    with opened([Path(trace)], Choice(files=files)) as chosen:
        return chosen.rows(query)
