"""Waits for nodes without a deadline."""

import time

NODES = ["the only node"]


class Cluster:
    def __init__(self, num_nodes):
        self._init_and_launch_managers(num_nodes)

    def _init_and_launch_managers(self, num_nodes):
        self._num_nodes = num_nodes
        while len(Cluster.get_alive_nodes()) < self._num_nodes:
            time.sleep(0.01)

    @staticmethod
    def get_alive_nodes():
        return list(NODES)
