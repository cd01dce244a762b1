"""The command ``nwtsim``: one file for each subcommand, without logic."""
