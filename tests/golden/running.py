"""From the inputs of a case to its record: texts are converted, and run as composed machines.

Cases of the NWT are in :mod:`tests.golden.composed`.
"""

from __future__ import annotations

from typing import Any, Literal

from tests.golden.arrays import arrays_record
from tests.golden.inputs import Inputs
from tests.golden.services import services_record

Engine = Literal["reference", "native"]
ENGINES: dict[str, tuple[Engine, ...]] = {
    "sr8000": ("native", "reference"),
    "orion": ("reference",),
    "ninf": ("reference",),
}
"""Study -> the engines that carry it out; results are frozen from the first."""


def record_of(inputs: Inputs, engine: Engine) -> dict[str, Any]:
    """Run a case, sample-path identities checked, and give its record; ConfigError if it is wrong.

    Only the reference engine keeps the services of a timeline: of another the record lacks
    ``spans``.
    """
    if inputs.study == "sr8000":
        return arrays_record(inputs, engine)
    return services_record(inputs)
