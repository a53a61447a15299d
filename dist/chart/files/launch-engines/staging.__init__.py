"""What a start of the engine finds: its folder, the newest complete checkpoint, and a model folder of its own."""
