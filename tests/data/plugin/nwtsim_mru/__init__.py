"""Kinds for nwtsim: the folders beside this module are those of a plug-in."""
