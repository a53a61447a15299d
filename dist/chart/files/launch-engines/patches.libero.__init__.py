"""Patches for LIBERO, the simulator that both engines use."""
