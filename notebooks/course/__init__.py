"""The course: exercises that the simulator checks, and pictures that need no other package."""

from types import ModuleType

from . import caches as caches
from . import centre as centre
from . import disks as disks
from . import messages as messages
from . import parallel as parallel
from . import purchase as purchase
from . import records as records
from . import traces as traces
from .exercises import Exercise as Exercise
from .exercises import Lesson as Lesson

MODULES: dict[str, ModuleType] = {
    "lesson1_records_and_buffers": records,
    "lesson2_caches_and_prestaging": caches,
    "lesson3_disks_arrays_striping": disks,
    "lesson4_parallel_io": parallel,
    "lesson5_messages_and_servers": messages,
    "lesson6_traces_and_cures": traces,
    "lesson7_a_centre_and_its_queue": centre,
    "lesson8_which_machine": purchase,
}
"""The notebooks, and the modules that have their exercises."""
