"""Reports for people and programs: pages, tables, diagrams, timelines and plots."""
