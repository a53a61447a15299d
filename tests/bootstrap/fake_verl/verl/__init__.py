"""A stand-in for SimpleVLA-RL: its command line, its logs and its checkpoints, on CPUs and in seconds."""
