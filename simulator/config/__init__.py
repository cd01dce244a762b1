"""Machine and workload files: YAML in, typed sections out, each mistake with its line.

Nothing below this package knows YAML. :mod:`simulator.config.formats` reads files.
"""

from simulator.config.errors import ConfigError as ConfigError
from simulator.config.errors import Problem as Problem
