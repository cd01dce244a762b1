"""The code of the published studies, which stands beside their data in ``experiments/``.

``simulator.experiments.nwt.claims`` is ``experiments/nwt/claims.py`` of the checkout, or of the
copy that a wheel carries inside the package. It is imported when its study is asked for.
"""

from simulator.shipped import shipped_root

__path__ = [str(shipped_root("experiments"))]
