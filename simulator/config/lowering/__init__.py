"""From typed sections to a plan: names become rows, paths become tiers, jobs become processes."""
