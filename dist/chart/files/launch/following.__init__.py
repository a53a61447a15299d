"""What the engine does, read from its output and its logs while it runs."""
