"""Links shared by max-min fairness: drawn from their section, in machine files only."""
