"""Patches for PRIME-RL/SimpleVLA-RL, the tree of the seed documents."""
