"""``nwtsim trace record``: a program run without and under strace, and what strace itself costs."""
