"""Page of predictions that were committed before their results: docs/validation/blind.md."""

from __future__ import annotations

from collections.abc import Callable

import yaml

from ..filebench import __main__ as filebench
from ..frozen import Frozen, Row
from ..mlperf import __main__ as mlperf
from ..swarp import __main__ as swarp

_ABOUT = """\
# Predicted before they were measured, or seen

Written by `make validation`. Predictions are committed with their digest before results are seen;
`python -m experiments.NAME compare FILE` judges them by results in the columns of those that are
here. What was fitted, and to what, is in each README."""


def blind_page() -> str:
    """Return the page."""
    return "\n\n".join(
        [
            _ABOUT,
            _section(
                "mlperf",
                "MLPerf Storage v1.0: 132 reports",
                "Below are the 34 open results, to which three pairs of constants and four rates "
                "are fitted; 98 are blind, and not compared yet.",
                mlperf.FROZEN,
                mlperf.compare,
            ),
            _section(
                "swarp",
                "SWarp on Cori and Summit: 630 runs",
                "Below is the one open series, to which six values are fitted; all others are "
                "blind, and not compared yet.",
                swarp.FROZEN,
                swarp.compare,
            ),
            _section(
                "filebench",
                "RIKEN's Filebench script on a measured host",
                "Ten numbers, all blind: predicted on what `nwtsim measure` says of the host, "
                "then run there.",
                filebench.FROZEN,
                filebench.compare,
            ),
            "\n".join(f"- *{what}*: {why}" for what, why in _causes().items()) + "\n",
        ]
    )


def _section(
    name: str, title: str, about: str, frozen: Frozen, compare: Callable[[list[Row]], str]
) -> str:
    digest = frozen.seal.read_text("ascii")[:12]
    state = "as committed" if frozen.intact() else "**changed since**"
    table = compare(frozen.rows(frozen.seen)).rstrip("\n")
    return (
        f"## {title}\n\n{about} [README](../../experiments/{name}/README.md); `predictions.csv` "
        f"({digest}...) is {state}.\n\n```text\n{table}\n```"
    )


def _causes() -> dict[str, str]:
    found: dict[str, str] = yaml.safe_load(
        (filebench.FROZEN.folder / "causes.yaml").read_text("utf-8")
    )
    return found
