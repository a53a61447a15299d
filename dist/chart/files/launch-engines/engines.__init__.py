"""The engines that can be run: what each one's command line is, and the keys that the cluster determines."""
