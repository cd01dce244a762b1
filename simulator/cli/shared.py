"""Options that several commands have: the table of each, by its name."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

MOST_JOBS = 1024
Table: TypeAlias = "Mapping[str, str | tuple[str, dict[str, Any]]]"


class AppendKnob(argparse.Action):
    """``--buffer '8 MB'`` is ``--set buffer='8 MB'``: one more setting, in the order written.

    The name is looked up in the machine and the workload when they are read.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Add the setting to those before."""
        namespace.settings = [*(namespace.settings or ()), (str(self.const), str(values))]


_OF_JOBS = {
    "buffer": ("SIZE", "Fortran buffer of each file, like '8 MB'"),
    "record": ("SIZE", "user data of one READ or WRITE, '64 kB'"),
    "policy": ("WORD", "Fortran runtime: nwt, nwt-predicted, gfortran, flang, posix"),
    "path": ("WORD", "how files are reached: a path of their file system"),
    "clients": ("N", "processes of each job, like '8'"),
}
"""Settings of all jobs of a workload, with an option on every machine."""


_MACHINE = "a machine file, or a shipped name, like nwt or workstation"
_WORKLOAD = "a workload file, or a shipped name, like test-read or test-write"

SHARED: dict[str, Table] = {
    "inputs": {"machine MACHINE": _MACHINE, "workload WORKLOAD": _WORKLOAD},
    "inputs-or-none": {"machine MACHINE ?": _MACHINE, "workload WORKLOAD ?": _WORKLOAD},
    "settings": {
        "[settings, which override the files (the last one wins)]": "",
        "--set PATH=VALUE setting*": "any value, like --set machine.nodes.pe.count=4 or --set"
        " workload.jobs.0.nodes=8",
        **{
            f"--{name} {metavar}": (
                about,
                {"dest": "settings", "const": name, "action": AppendKnob},
            )
            for name, (metavar, about) in _OF_JOBS.items()
        },
    },
    "seed": {
        "--seed N seed": "seed of the random variation of service times that the machine file"
        " gives; the same seed gives the same result (default: service times do not vary)"
    },
    "drawn-seed": {  # Of what judges targets, and varies service times itself.
        "--seed N seed": "seed of the random variation of service times that the machine file"
        " gives (default: 1); the same seed gives the same result"
    },
    "no-noise": {
        "--no-noise": (
            "do not vary service times: what meets a target that way may miss it from run to run",
            {"dest": "noise", "action": "store_false"},
        )
    },
    "engine": {
        "--engine auto|native|reference=auto": "simulation engine (auto: the fastest available;"
        " all agree to the nanosecond)"
    },
    "full": {
        "--full": "the whole table report (default: what fits a screen of 40 lines); all other"
        " formats are whole"
    },
    "html": {
        "--html FILE page": "also write the report as a page for a browser: one file with its"
        " pictures, without scripts"
    },
    "out": {"--out FILE file": "write the report to this file"},
    "limits": {
        "--[no-]limits": "say what limits, by runs in which one resource is better (default: in the"
        " table, and unless it takes long); a long run is shortened for it where that changes"
        " nothing"
    },
    "job": {
        "--job NAME": "the job of the workload that what limits and advice are about (default: what"
        " limits is about each, advice about the whole run)"
    },
    "jobs": {
        f"--jobs N 1..{MOST_JOBS}": "number of threads or processes (default: the number of CPUs);"
        " does not change the result"
    },
    "progress": {
        "--[no-]progress": "show progress on standard error (default: if that is a terminal)"
    },
    # -- of runs with other draws, and of many points
    "replications": {
        "[from run to run]": "",
        "--replications N|auto[:MOST] text": "make N runs with seeds that follow from --seed"
        " (default: 1), and give each figure with its interval; auto: 8, 16, 32, ... runs, until"
        " the intervals of the elapsed time and of the rates are as narrow as --precision asks, 256"
        " (or MOST) at most. Replication 3 of any two machines has the same draws",
        "--confidence PERCENT": "of the intervals (default: '95 %%'); with auto it holds although"
        " it looks several times",
        "--precision PERCENT": "half-width that auto asks for, of the mean (default: '2 %%')",
    },
    "executor": {
        "--executor processes|dask": "where points run: in processes of this computer, or on a Dask"
        " cluster, which without --scheduler is made of them; does not change the result (default:"
        " processes)",
        "--scheduler ADDRESS": "the scheduler of a Dask cluster that stands already, like"
        " tcp://10.0.0.1:8786, or its file (docs/scale.md)",
    },
    "store": {
        "[either]": "",
        "--store FILE file": "the store of results that are not simulated again, in this study or"
        " another, by the same version of the program (default: NWTSIM_STORE, or"
        " nwtsim/results.sqlite in the user's folder for caches)",
        "--no-store": "simulate everything anew, and keep nothing for other studies",
    },
    # -- of traces
    "reading": {
        "--cwd DIR": "working directory of the first process of the log",
        "--lenient": "skip damaged lines of the log, and count them",
    },
    "exclude-dir": {
        "--exclude-dir DIR[,DIR] names,": "leave out calls on files below this folder, like /usr;"
        " their time stays as computing (may be repeated)"
    },
    "placing": {
        "--path NAME": "how files are reached: a path of the file system (default: its first)",
        "--filesystem NAME": "the file system that holds the files (default: the machine's first)",
        "--[no-]prestage": "put files that existed before the job into the stores (default: no; for"
        " a recorded log into the page cache, if they were there)",
    },
    "think": {
        "--think HOW think": "time between the calls of a process: keep, none, or scale=X (default:"
        " without what strace took of it, if 'nwtsim trace record' has measured that; else keep)"
    },
}
"""Name -> its options, in the order of the help."""
