"""A measured folder as a Python object: the probes, and the machine derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nwtsim.files import Machine
from nwtsim.paged import Paged

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.inputfile import Source
    from simulator.report.page import Page
    from simulator.study.measurement import Whole


class Measured(Paged):
    """A folder that was measured. ``print(measured)`` writes what ``nwtsim measure`` does."""

    def __init__(self, whole: Whole) -> None:
        from simulator.measure.compared import is_changed

        self._whole = whole
        self.text = whole.machine
        """The machine as YAML, with the spread and date of each value as its source."""
        self.same: bool | None = None if whole.earlier is None else not is_changed(whole.changes)
        """True if it agrees with the machine that it was compared with; None without one."""

    @property
    def machine(self) -> Machine:
        """The measured machine."""
        return Machine(self.text)

    def _page(self) -> Page:
        from simulator.report.measurement import measurement_page

        return measurement_page(self._whole)

    def __repr__(self) -> str:
        head, *_ = str(self).splitlines()
        return f"<Measured {head}>"


def measure(  # noqa: PLR0913 - all by their names
    folder: str | Path,
    *,
    size: str | None = None,
    time: str | None = None,
    processes: int | None = None,
    quick: bool = False,
    shared_folder: bool = False,
    fio: bool = False,
    programs: bool = False,
    compare: str | Path | Machine | None = None,
    seed: int = 1,
    progress: bool | None = False,
) -> Measured:
    """Measure the file system of a folder with bounded probes, as ``nwtsim measure`` does.

    All files are in a new folder inside of it, which is removed at the end, also after an error or
    an interrupt. ``size``: their maximum size (``"512 MiB"``, ``quick`` ``"128 MiB"``); ``time``:
    approximate time of all probes (``"60 s"``, ``quick`` ``"10 s"``); ``processes``: maximum number
    (by default processors; at most 64). ``shared_folder``: allow a folder in which other users
    could rename the files. ``fio``: run the same probes by fio, if installed; ``programs``: also
    run and predict simple programs; ``compare``: an earlier measured machine, to check (``same``)
    for changes. Starts processes by fork: call it before starting threads. InputError if measuring
    is impossible, or a bound is out of range.
    """
    import sys
    from pathlib import Path

    from nwtsim.arguments import check_seed, check_whole, python_words
    from simulator.measure.machine import machine_name
    from simulator.measure.probe import LEAST_MIB, MOST_PROCESSES, limits_of
    from simulator.report.progress import Probing
    from simulator.study.measurement import measured_whole
    from simulator.units import parse_size, parse_time

    check_seed(seed)
    if processes is not None:
        check_whole("processes", processes, 1, MOST_PROCESSES)
    most = None if size is None else int(parse_size(size))
    if most is not None and most < LEAST_MIB << 20:
        raise ValueError(f"size={size!r} is too little; write '{LEAST_MIB} MiB' or more")
    seconds = None if time is None else parse_time(time) / 1e9
    if seconds is not None and seconds <= 0:
        raise ValueError(f"time={time!r} is no time; write it like '60 s'")
    limits = limits_of(size=most, seconds=seconds, processes=processes, quick=quick, seed=seed)
    earlier: Source | None
    earlier = compare.source if isinstance(compare, Machine) else compare
    with python_words(), Probing(sys.stderr, wanted=progress) as line:
        whole = measured_whole(
            Path(folder),
            limits,
            line.heard,
            name=machine_name("measured"),
            shared=shared_folder,
            ask_fio=fio,
            run_programs=programs,
            compare=earlier,
        )
    return Measured(whole)
