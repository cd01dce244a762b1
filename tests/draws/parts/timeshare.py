"""PEs that tasks of numerical servers share: drawn from their section, in machine files only."""
