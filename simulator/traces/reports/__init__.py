"""Reports over traced calls, as data; :mod:`simulator.report.trace` writes them."""
