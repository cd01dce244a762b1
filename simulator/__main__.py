"""Entry point of ``python -m simulator``, the same as ``nwtsim``."""

from __future__ import annotations

import sys

from simulator.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
