"""See that the environment has a PyTorch that is new enough, and say what to do if it has not."""

import sys

_HINT = "make demo SYSTEM_TORCH=1 takes PyTorch 2.6 or newer from %s: install it there, or leave SYSTEM_TORCH out"

try:
    import torch
except ImportError:
    sys.exit(_HINT % sys.base_prefix)
if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 6):
    sys.exit(f"PyTorch {torch.__version__} is too old: {_HINT % sys.base_prefix}")
