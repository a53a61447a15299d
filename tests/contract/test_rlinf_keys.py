"""Which keys of the other tree RLinf takes: the chart refuses what the bootstrap could not translate."""

from __future__ import annotations

from rlinf_charts.rules.rlinf import TRANSLATED
from rlinf_runtime.bootstrap.engines.rlinf import COMPUTED, RENAMED


def test_the_chart_knows_the_keys_that_the_bootstrap_translates() -> None:
    """By group, in the order of the alphabet; a group inside of another is a key of it."""
    found: dict[str, set[str]] = {}
    for key in {*RENAMED, *COMPUTED}:
        parts = key.split(".")
        for depth in range(1, len(parts)):
            found.setdefault(".".join(parts[:depth]), set()).add(parts[depth])
    # The rule does not look into it: for engine verl it may be a text.
    assert found.pop("actor_rollout_ref.actor.optim") == {"lr"}

    assert {group: tuple(sorted(keys)) for group, keys in found.items()} == TRANSLATED
