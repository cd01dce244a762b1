"""Package of the published studies' code, which is stored with their data in ``experiments/``.

``simulator.experiments.nwt.claims`` is ``experiments/nwt/claims.py`` of the checkout, or of the
copy that a wheel carries inside the package. It is imported when its study is used.
"""

from simulator.shipped import shipped_root

__path__ = [str(shipped_root("experiments"))]
