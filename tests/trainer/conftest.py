"""Settings and fixtures of the trainer's tests."""

from __future__ import annotations

import hypothesis

# The first call of a torch function loads its kernels: how long an example takes says nothing.
hypothesis.settings.register_profile("trainer", deadline=None)
hypothesis.settings.load_profile("trainer")
