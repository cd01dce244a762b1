"""The course: exercises that the simulator checks, and pictures that need no other package."""

from . import messages as messages
from . import parallel as parallel
from . import records as records
from .exercises import Exercise as Exercise
from .exercises import Lesson as Lesson
