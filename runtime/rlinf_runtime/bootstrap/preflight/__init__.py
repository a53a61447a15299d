"""What a run needs of a node, looked at before the engine trips over it: one small module a check."""
