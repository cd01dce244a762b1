"""What people and programs read: tables, explanations, diagrams, timelines and plots."""
