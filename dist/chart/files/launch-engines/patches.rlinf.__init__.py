"""Patches for RLinf v0.3."""
