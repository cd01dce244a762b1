"""Numbers with a name: what is where in a row of each table, states, and kinds.

A table is one array of whole numbers. A row begins at a multiple of the table's width, and its
fields stand at fixed places behind. They are in four modules, by what they are about, which import
nothing: for the compiler they become an enumeration (merging.py). Not compiled themselves.
"""

from simulator.native.jobcodes import *
from simulator.native.partcodes import *
from simulator.native.requestcodes import *
from simulator.native.storecodes import *
