"""What runs: the pod, its launch ConfigMap, and one construct a mode."""
