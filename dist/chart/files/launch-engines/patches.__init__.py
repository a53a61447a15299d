"""Cures for faults of the upstream engines, applied to their modules while these are imported.

The engine's files stay as they are. `drive` runs the engine under the import hook, and `setup.setup` installs the hook
in each of its Ray workers; `registry` lists the patches, each of which lies in a module of its own below the engine's
name. A patch first checks that its target looks as expected, and says in the log what became of it.
"""
