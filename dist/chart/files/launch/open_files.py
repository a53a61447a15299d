"""The limit of open files, which some container runtimes set to 1024 while they allow far more."""

import resource

from . import log

logger = log.of_step("ray")

# Ray asks for as many where it starts its own processes.
_ENOUGH = 65_536


def raise_limit() -> None:
    """Raises what this process and its children may have open: Ray keeps a connection to every worker."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft == resource.RLIM_INFINITY or soft >= allowed:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    logger.info("up to %d files may be open at once, %d before", allowed, soft)
