"""Fixtures for the whole suite."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(Path(__file__).parent))

from rlinf_constructs.node import use_packaged_node  # noqa: E402 - after the path

use_packaged_node()
