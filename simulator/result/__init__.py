"""What a run gives: one result for every machine, whatever ran on it."""
