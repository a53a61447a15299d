"""`job`: what mode `job` adds, a Kubernetes Job that ends with the training."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import Section


class Job(Section):
    """The Indexed Job of mode `job`; all of this can change while it runs, and nothing of its pods can."""

    backoff_limit: int = Field(
        default=6,
        description="How many pods may fail before the Job does; a new pod goes on from the last checkpoint. "
        "Evicted pods do not count, and a wrong configuration fails the Job at once.",
        ge=0,
        le=1000,
    )
    ttl_seconds_after_finished: int = Field(
        default=0, description="Seconds after which the ended Job is deleted. 0: it stays.", ge=0, le=2147483647
    )
    active_deadline_seconds: int = Field(
        default=0, description="Seconds after which the Job fails, whatever it does. 0: no limit.", ge=0, le=2147483647
    )
    suspend: bool = Field(default=False, description="Make the Job without pods, as queues do, or stop its pods.")
