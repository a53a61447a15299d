"""For the whole suite: constructs run on the Node from PyPI."""

from __future__ import annotations

from rlinf_constructs.node import use_packaged_node

use_packaged_node()
