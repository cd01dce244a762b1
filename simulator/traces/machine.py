"""What of the reader is compiled, as one module: lines to tokens, tokens to rows.

What is not compiled takes it from here: the parts have the same names, but are other classes where
they are imported by themselves.
"""

from __future__ import annotations

from simulator.traces.arguments import Arguments
from simulator.traces.calls import Calls
from simulator.traces.files import Files
from simulator.traces.follow import Follower
from simulator.traces.names import Names
from simulator.traces.presence import present32, present64
from simulator.traces.rows import Rows
from simulator.traces.strace import Scanner, run_scan
from simulator.traces.tables import Tables
from simulator.traces.text import Text
from simulator.traces.truss import TrussScanner, run_truss
from simulator.traces.used import Used

__all__ = [
    "Arguments",
    "Calls",
    "Files",
    "Follower",
    "Names",
    "Rows",
    "Scanner",
    "Tables",
    "Text",
    "TrussScanner",
    "Used",
    "present32",
    "present64",
    "run_scan",
    "run_truss",
]
