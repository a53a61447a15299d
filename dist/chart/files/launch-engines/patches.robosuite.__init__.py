"""Patches of robosuite, in which LIBERO simulates."""
