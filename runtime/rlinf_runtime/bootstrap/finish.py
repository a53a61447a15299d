"""How a pod ends: the reason where kubelet looks for it, and holding on after the run ended well."""

from collections.abc import Mapping
from pathlib import Path

from . import log, ready
from .exit_codes import BootstrapError, ExitCode
from .processes import Processes, TerminatedError
from .run_config import RunConfig

logger = log.of_step("finish")

# kubelet reads no more.
_TERMINATION_LOG_MAX_BYTES = 4096
# Each wait tells the liveness probe that this process is well.
_HOLD_POLL_S = 5.0


def explain(error: BootstrapError, environ: Mapping[str, str]) -> None:
    """Says why the pod ends, in the log and in the termination log."""
    for line in error.details:
        logger.error("  %s", line)
    logger.error("%s (exit code %d, %s)", error, error.exit_code, error.exit_code.name)
    path = Path(environ.get("RLINF_TERMINATION_LOG", "/dev/termination-log"))
    # kubelet makes the file; without it nobody reads what we would write.
    if path.is_file():
        try:
            path.write_bytes(_termination_message(error))
        except OSError as cause:
            logger.warning("cannot write %s: %s", path, cause)


def _termination_message(error: BootstrapError) -> bytes:
    """The sentence, and of the details the end that still fits; no character is cut in two."""
    sentence = f"{error.exit_code.name}: {error}\n".encode()[:_TERMINATION_LOG_MAX_BYTES]
    room = _TERMINATION_LOG_MAX_BYTES - len(sentence)
    details = "\n".join(error.details).encode()
    return b"".join(
        part.decode(errors="ignore").encode() for part in (sentence, details[max(0, len(details) - room) :])
    )


def after_success(processes: Processes, config: RunConfig) -> ExitCode:
    """Holds the container until it is told to stop, or lets it end, as `on_finish` says."""
    if config.on_finish == "hold":
        logger.info("holding this container, since a StatefulSet would start it again; delete the pod to end it")
        ready.mark()
        try:
            while True:
                processes.sleep(_HOLD_POLL_S)
        except TerminatedError:
            logger.info("told to stop")
        ready.unmark()
    return ExitCode.FINISHED
