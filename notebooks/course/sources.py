"""Tables and figures of the five sources that have numbers, and the lessons that show them.

``SHOWN``: a lesson has its numbers beside simulated ones. Of tables of SS-ken these are the times
and rates; the counts are what the simulated jobs are made of. ``NOT_SHOWN``: why no lesson has
them. ``LOST``: graphs of which no value is left in the copies that this project was made from.
Drawings, commands and tables of words are not listed. Sentences that print a number stand under
the section where they are.
"""

from __future__ import annotations

SHOWN: dict[str, dict[str, tuple[str, ...]]] = {
    "lesson1_records_and_buffers": {"nwt": ("table 4.2(1)", "table 4.2(2)", "table 4.3")},
    "lesson4_parallel_io": {"sr8000": ("3.2(1) and 4", "3.2(2) and 4", "abstract and 4")},
    "lesson5_messages_and_servers": {
        "orion": ("2(2)", "3", "4"),
        "ninf": (
            *("Results with a single client", "Mean performance on a LAN", "Results on a LAN"),
        ),
    },
    "lesson6_traces_and_cures": {
        "ssken": (
            *("fig. 2.6", "fig. 2.11", "fig. 2.12", "fig. 2.23", "fig. 2.28"),
            *("fig. 4.1.7", "fig. 4.1.8", "fig. 4.1.9", "fig. 4.1.10"),
            *("table 4.2.1", "table 4.2.2", "table 4.2.4"),
            *("table 4.2.5", "table 4.2.7", "table 4.2.8"),
            *("table 4.3.4.1", "table 4.3.4.2", "4.3.3 (2)", "table 4.3.5", "table 4.3.6"),
            *("table 4.3.7", "table 4.3.8", "table 4.3.9", "table 4.3.10", "fig. 4.3.8"),
            *("table 4.3.11.1", "table 4.4.3", "table 4.4.4", "table 4.4.5"),
        )
    },
    "lesson7_a_centre_and_its_queue": {"nwt": ("table 2.1", "table 2.2", "table 4.1")},
}

_QUOTIENT = "a quotient of printed times; what the processors did meanwhile is not printed"
_CACHE = "how much the client's cache held, whose size is not printed"
_BY_CONSTRUCTION = "counts, of which the simulated job is made"
_OF_THE_SITE = "what the site consists of: nothing to simulate"
_UNKNOWN = "single calls that took seconds and minutes; the authors do not know why"

NOT_SHOWN: dict[str, dict[str, str]] = {
    "ssken": {
        "fig. 2.7": "the run of figure 2.12, in other units",
        "fig. 2.8": _QUOTIENT,
        "fig. 2.9": _QUOTIENT,
        "fig. 2.13": _CACHE,
        "fig. 2.15": _CACHE,
        "fig. 2.16": "an option of a mount, which the machine has",
        "fig. 2.17": _BY_CONSTRUCTION,
        "fig. 2.18": _BY_CONSTRUCTION,
        "fig. 2.19": _BY_CONSTRUCTION,
        "fig. 2.20": _BY_CONSTRUCTION,
        "fig. 2.21": "a window of 30 s; the client's memory and the array's cache are not printed",
        "fig. 2.24": "a command; which one ran is a claim of the study (ior-c2)",
        "fig. 2.25": "a window of 30 s; of the servers nothing is printed",
        "fig. 2.29": "the length of a file, which the job has",
        "fig. 2.30": "when the job of figure 2.8 began and ended",
        "fig. 4.1.3": _OF_THE_SITE,
        "table 4.2.3": _BY_CONSTRUCTION,
        "table 4.2.6": _BY_CONSTRUCTION,
        "table 4.3.3": "calls on sockets; 145 MB in 0.9 ms cannot be",
        "fig. 4.3.5": "one call that waited for a server of which too little is printed",
        "fig. 4.3.7": _UNKNOWN,
        "table 4.3.11.2": _UNKNOWN,
        "table 4.4.1": _OF_THE_SITE,
        "table 4.4.2": _OF_THE_SITE,
        "fig. 4.4.4": _BY_CONSTRUCTION,
        "fig. 4.5.1": "a script; no time of what it does is printed",
        "fig. 4.5.4": _UNKNOWN,
        "fig. 4.5.5": _UNKNOWN,
    },
}

LOST: dict[str, tuple[str, ...]] = {
    "orion": ("figures 1 to 4",),
    "sr8000": ("figures 5 and 6",),
    "ninf": (
        *("SPARC and Alpha clients", "calls on a LAN", "use and load of the server on a LAN"),
        *("one site and several, 4 and 16 clients, Mflop/s and MB/s", "EP on a LAN and a WAN"),
    ),
    "ssken": (
        *("figures 3.4 to 3.9", "figures 3.13, 3.14 and 3.16", "figures 4.1.4 to 4.1.6"),
        *("figure 4.1.11", "tables 4.3.1 and 4.3.2", "figures 4.3.2, 4.3.6 and 4.3.10"),
        *("figures 4.4.1 to 4.4.3", "figures 4.5.2 and 4.5.3", "figures 4.5.2.1 to 4.5.2.5"),
    ),
}
"""Lessons 4 and 5 draw the simulated curves of the first three, without crosses."""

NAMES = {"nwt": "NWT", "orion": "Orion", "sr8000": "SR8000", "ninf": "Ninf", "ssken": "SS-ken"}


def shown() -> dict[tuple[str, str], str]:
    """Return the lesson of each table or figure that one shows, by source and name."""
    return {
        (study, item): lesson
        for lesson, studies in SHOWN.items()
        for study, items in studies.items()
        for item in items
    }


def count() -> str:
    """Return how many are shown, in a sentence."""
    without = sum(map(len, NOT_SHOWN.values()))
    many = len(shown())
    return (
        f"Of {many + without} tables, figures and sentences with numbers in the five sources"
        f" {many} are shown beside simulated numbers, and {without} are not."
    )
