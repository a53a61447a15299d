"""Stands for the action space of a robot platform."""

NUM_ACTIONS_CHUNK = 8
