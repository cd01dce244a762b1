"""Published studies compared with the simulator: figures, claims, and a verdict for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from nwtsim.arguments import python_words
from nwtsim.records import dataframe_of
from simulator.errors import unknown

if TYPE_CHECKING:
    import pandas as pd

    from simulator.study.ledger import Ledger

Row = dict[str, Any]


class Study:
    """A published study that was reproduced.

    ``print(study)`` writes what ``nwtsim reproduce`` does.
    """

    def __init__(self, made: Ledger) -> None:
        from simulator.report.forms import versioned

        self._made = made
        self._record = versioned(made.to_json())

    @property
    def name(self) -> str:
        """The name of the study."""
        return str(self._record["study"])

    @property
    def passed(self) -> bool:
        """True if every verdict is as expected, contradictions included that the study lists."""
        return self._made.passed

    @property
    def figures(self) -> list[Row]:
        """A row for each published figure, with its unit and its location in the paper.

        ``paper`` and ``paper_min``, ``paper_max`` (the range of agreement), ``simulated``,
        ``simulated_min`` and ``simulated_max``, ``role``, ``verdict`` (the role if it is inside,
        otherwise contradicted). Those of the NWT also have ``workload`` and ``settings``.
        """
        return [{**_figure(one), **more} for one, more in zip(self._cells, self._runs, strict=True)]

    @property
    def claims(self) -> list[Row]:
        """A row for each claim: its text, its verdict, and the figures that decide it."""
        return [dict(one) for one in self._record["claims"]]

    def figure(self, name: str) -> Row:
        """Return the row of a figure; UnknownNameError for an unknown name."""
        for one in self.figures:
            if one["id"] == name:
                return one
        raise unknown(f"{self.name} has no figure", name, [one["id"] for one in self.figures])

    @property
    def _cells(self) -> list[Row]:
        return list(self._record["cells"])

    @property
    def _runs(self) -> Iterator[Row]:
        """Return the settings of each figure's run, for studies with one run per figure."""
        from simulator.study.study_file import calibrated_names, load_study

        cells = {}
        if self.name in calibrated_names():
            cells = {cell.id: cell for cell in load_study(self.name).cells}
        for one in self._cells:
            cell = cells.get(one["id"])
            yield {"workload": cell.workload, "settings": dict(cell.settings)} if cell else {}

    def to_dict(self) -> Row:
        """Return every number of the study."""
        return dict(self._record)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the figures as a pandas DataFrame; MissingExtraError without pandas."""
        return dataframe_of(self.figures)

    def to_html(self) -> str:
        """Return the page written by ``nwtsim reproduce --html``: it needs no network."""
        from simulator.experiments.validation.ledger_page import repeated
        from simulator.report.forms import written
        from simulator.report.html.study import study_page

        return written(study_page([repeated(self._made)], []), "html")

    def __str__(self) -> str:
        from simulator.report.ledger import render_ledger

        return render_ledger(self._made, "table")

    def __repr__(self) -> str:
        from simulator.report.ledger import counted

        return f"<Study {self.name}: {counted(self._made)}>"

    def _repr_html_(self) -> str:
        from nwtsim.html import shown

        head = ("figure", "", "paper", "simulated", "", "")
        claims = [(str(one["text"]), one["verdict"]) for one in self.claims]
        return shown([repr(self)[1:-1]], (head, map(_row, self.figures)), ((), claims))


def _figure(one: Row) -> Row:
    paper, simulated = one["paper"], one["simulated"]
    return {
        "id": one["id"],
        "what": one["what"],
        "unit": one["unit"],
        "paper": paper["mean"],
        "paper_min": paper["min"],
        "paper_max": paper["max"],
        "simulated": simulated["mean"],
        "simulated_min": simulated["min"],
        "simulated_max": simulated["max"],
        "role": one["role"],
        "verdict": one["verdict"],
    }


def _row(one: Row) -> list[str]:
    cells = [one["id"], one["what"], f"{one['paper']:.4g} {one['unit']}"]
    cells += [f"{one['simulated']:.4g} {one['unit']}", one["role"], one["verdict"]]
    return list(map(str, cells))


def reproduce(
    name: str,
    *,
    runs: int | None = None,
    seed: int | None = None,
    engine: Literal["auto", "native", "reference"] = "auto",
) -> Study:
    """Reproduce a published study: ``nwt``, ``sr8000``, ``orion``, ``ninf`` or ``ssken``.

    ``runs``: the number of simulations of each figure (by default that of the study). InputError
    for an unknown name.
    """
    from simulator.study.studies import DEFAULT_SEED, reproduce_study

    used = DEFAULT_SEED if seed is None else seed
    with python_words():
        return Study(reproduce_study(name, runs=runs, seed=used, engine=engine))


def published(name: str) -> dict[str, float]:
    """Return the published figures of a study by their names, without running anything.

    InputError for an unknown name.
    """
    from simulator.study.studies import check_study
    from simulator.study.study_file import calibrated_names, load_study, load_study_file

    check_study(name)
    if name in calibrated_names():
        return {cell.id: cell.mean for cell in load_study(name).cells}
    figures = load_study_file(name).figures
    return {figure.id: figure.value for figure in figures if figure.value is not None}
