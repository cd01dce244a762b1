"""Tables and figures of the five sources that have numbers, and the lessons that show them.

``SHOWN``: a lesson has its numbers beside simulated ones: of tables of SS-ken the times and rates,
and of counters the counts. ``CHECKED``: there is nothing to simulate; its numbers follow from other
printed ones, or a machine has them. ``UNEXPLAINED``: times beside simulated ones that do not
explain them. ``NOT_SHOWN``: why no lesson has them. ``LOST``: graphs of which no value is left in
the copies that this project was made from.
Drawings, commands and tables of words are not listed. Sentences that print a number stand under
the section where they are.
"""

from __future__ import annotations

Listed = dict[str, dict[str, tuple[str, ...]]]
"""Items by lesson and source."""

SHOWN: Listed = {
    "lesson1_records_and_buffers": {"nwt": ("table 4.2(1)", "table 4.2(2)", "table 4.3")},
    "lesson2_caches_and_prestaging": {"ssken": ("fig. 2.13", "fig. 2.15", "fig. 2.24")},
    "lesson4_parallel_io": {"sr8000": ("3.2(1) and 4", "3.2(2) and 4", "abstract and 4")},
    "lesson5_messages_and_servers": {
        "orion": ("2(2)", "3", "4"),
        "ninf": (
            *("Results with a single client", "Mean performance on a LAN", "Results on a LAN"),
        ),
    },
    "lesson6_traces_and_cures": {
        "ssken": (
            *("fig. 2.6", "fig. 2.7", "fig. 2.11", "fig. 2.12", "fig. 2.17", "fig. 2.18"),
            *("fig. 2.19", "fig. 2.20", "fig. 2.21", "fig. 2.23", "fig. 2.28", "fig. 2.29"),
            *("fig. 4.1.7", "fig. 4.1.8", "fig. 4.1.9", "fig. 4.1.10"),
            *("table 4.2.1", "table 4.2.2", "table 4.2.3", "table 4.2.4"),
            *("table 4.2.5", "table 4.2.6", "table 4.2.7", "table 4.2.8"),
            *("table 4.3.4.1", "table 4.3.4.2", "4.3.3 (2)", "table 4.3.5", "table 4.3.6"),
            *("table 4.3.7", "table 4.3.8", "table 4.3.9", "table 4.3.10", "fig. 4.3.8"),
            *("table 4.3.11.1", "table 4.4.3", "table 4.4.4", "fig. 4.4.4", "table 4.4.5"),
            "fig. 4.5.1",
        )
    },
    "lesson7_a_centre_and_its_queue": {"nwt": ("table 2.1", "table 2.2", "table 4.1")},
}

CHECKED: Listed = {
    "lesson2_caches_and_prestaging": {"ssken": ("fig. 2.16",)},
    "lesson6_traces_and_cures": {
        "ssken": (
            *("fig. 2.8", "fig. 2.9", "fig. 2.30", "fig. 4.1.3"),
            *("table 4.4.1", "table 4.4.2"),
        )
    },
}

UNEXPLAINED: Listed = {
    "lesson6_traces_and_cures": {
        "ssken": (
            *("table 4.3.3", "fig. 4.3.5", "fig. 4.3.7", "table 4.3.11.2"),
            *("fig. 4.5.4", "fig. 4.5.5"),
        )
    },
}

NOT_SHOWN: dict[str, dict[str, str]] = {
    "ssken": {
        "fig. 2.25": "two processes write 122.27 and 120.57 MiB/s to FEFS; no rate of its servers"
        " or of the way to them is printed (by bytes and times of figure 2.17: at least 96 each)",
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


def lessons_of(listed: Listed) -> dict[tuple[str, str], str]:
    """Return the lesson of each item of a list, by source and name."""
    return {
        (study, item): lesson
        for lesson, studies in listed.items()
        for study, items in studies.items()
        for item in items
    }


def shown() -> dict[tuple[str, str], str]:
    """Return the lesson of each table or figure that one has, by source and name."""
    return {**lessons_of(SHOWN), **lessons_of(CHECKED), **lessons_of(UNEXPLAINED)}


def count() -> str:
    """Return how many are shown, in a sentence."""
    simulated, checked, calls = (len(lessons_of(one)) for one in (SHOWN, CHECKED, UNEXPLAINED))
    without = sum(map(len, NOT_SHOWN.values()))
    return (
        f"Of {len(shown()) + without} tables, figures and sentences with numbers in the five"
        f" sources {simulated} are shown beside simulated numbers, {checked} beside what follows"
        f" from other numbers, {calls} as times that the model does not explain, and {without} is"
        " not."
    )
