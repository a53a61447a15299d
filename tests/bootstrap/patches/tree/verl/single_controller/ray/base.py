"""Waits for placement groups without a deadline."""

import ray
from ray.util.placement_group import placement_group


class RayResourcePool:
    def __init__(self, process_on_nodes):
        self._store = process_on_nodes

    def get_placement_groups(self, strategy="STRICT_PACK", name=None):
        groups = [
            placement_group(bundles=[{"CPU": 1} for _ in range(count)], strategy=strategy) for count in self._store
        ]
        ray.get([group.ready() for group in groups])
        return groups
