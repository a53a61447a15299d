"""Ray on this machine alone."""

from __future__ import annotations

import pytest

from rlinf_runtime.trainer import cluster


class SlowRay:
    """Gives up so many times before it starts."""

    def __init__(self, gives_up: int, words: str) -> None:
        self.starts = 0
        self._gives_up = gives_up
        self._words = words

    def init(self, **_options: object) -> None:
        """Start, or not."""
        self.starts += 1
        if self.starts <= self._gives_up:
            raise Exception(self._words)


TOO_SLOW = "The current node timed out during startup. This could happen because some of the raylet failed to startup"


@pytest.mark.parametrize(
    ("ray", "starts", "fails"),
    [(SlowRay(2, TOO_SLOW), 3, False), (SlowRay(9, TOO_SLOW), 3, True), (SlowRay(9, "no memory"), 1, True)],
    ids=["slow", "too slow", "broken"],
)
def test_a_ray_that_finds_the_machine_too_slow_is_started_again(
    monkeypatch: pytest.MonkeyPatch, ray: SlowRay, starts: int, fails: bool
) -> None:
    """A few times; any other fault is raised at once."""
    monkeypatch.setattr(cluster, "ray", ray)
    if fails:
        with pytest.raises(Exception, match=ray._words):
            cluster._start_here(1)
    else:
        cluster._start_here(1)
    assert ray.starts == starts
