"""Which nodes a run waits for: by name where the chart names the pods, by number where Ray's operator does."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from .node import Node, unreachable


class Roster(Protocol):
    """Tells the run's nodes from others, and whether all of them are there."""

    @property
    def size(self) -> int:
        """How many nodes the run has."""
        ...

    def of(self, nodes: Collection[Node]) -> list[Node]:
        """Those of Ray's nodes that are the run's."""
        ...

    def is_complete(self, nodes: Collection[Node]) -> bool:
        """Whether the run's nodes are all there."""
        ...

    def state(self, nodes: Collection[Node]) -> str:
        """How many are there and what is missing, for people."""
        ...


@dataclass(frozen=True, slots=True)
class Named:
    """Each name has exactly one node: a pod that came back is there twice until Ray drops its former life."""

    names: Sequence[str]

    @property
    def size(self) -> int:
        """How many nodes the run has."""
        return len(self.names)

    def of(self, nodes: Collection[Node]) -> list[Node]:
        """Nodes with one of the names."""
        return [node for node in nodes if node.name in self.names]

    def is_complete(self, nodes: Collection[Node]) -> bool:
        """Whether each name has exactly one node."""
        counts = Counter(node.name for node in nodes)
        return all(counts[name] == 1 for name in self.names)

    def state(self, nodes: Collection[Node]) -> str:
        """How many are there, and the names of those that are not."""
        counts = Counter(node.name for node in nodes)
        twice = [name for name in self.names if counts[name] > 1]
        lost = unreachable(nodes)
        missing = [name for name in self.names if name not in twice and (counts[name] == 0 or name in lost)]
        words = f"{self.size - len(missing) - len(twice)} of {self.size} nodes"
        if missing:
            words += f", missing: {', '.join(missing)}"
        if twice:
            words += f", Ray still holds the former life of: {', '.join(twice)}"
        return words


class AtRest:
    """The head alone: of an autoscaled cluster without work, all else may be gone."""

    size = 1

    def of(self, nodes: Collection[Node]) -> list[Node]:
        """All nodes, also a head that takes no ranks."""
        return list(nodes)

    def is_complete(self, nodes: Collection[Node]) -> bool:
        """Whether there is a node."""
        return len(nodes) >= self.size

    def state(self, nodes: Collection[Node]) -> str:
        """Whether the head is there."""
        return "the head is there" if nodes else "the head is not there"


@dataclass(frozen=True, slots=True)
class Counted:
    """As many nodes that offer CPUs as the run has; a head that only directs offers none."""

    size: int

    def of(self, nodes: Collection[Node]) -> list[Node]:
        """Nodes that take ranks."""
        return [node for node in nodes if node.num_cpus > 0]

    def is_complete(self, nodes: Collection[Node]) -> bool:
        """Whether there are enough; a shared cluster may have more."""
        return len(nodes) >= self.size

    def state(self, nodes: Collection[Node]) -> str:
        """How many answer, and which do not."""
        lost = unreachable(nodes)
        words = f"{len(nodes) - len(lost)} of {self.size} nodes with CPUs for Ray"
        return f"{words}, Ray still holds the former life of: {', '.join(lost)}" if lost else words
