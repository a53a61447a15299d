"""How the bootstrap ends: one exit code for each kind of reason, and the error that carries it."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the container; 1 is a fault in the bootstrap itself and 2 a wrong command line."""

    FINISHED = 0
    """The run ended well, now or before."""
    CONFIG = 10
    """run.json or the pod's environment is wrong; a restart does not help."""
    PREFLIGHT = 11
    """Something that the run needs is missing on this node, such as a writable run folder."""
    RAY_FAILED = 12
    """Ray did not start in this pod, or died."""
    RAY_AUTH = 13
    """Ray's token is missing or is not the head's."""
    JOIN_DEADLINE = 14
    """The head, or some node, did not come within `deadlines.join_s`."""
    NODE_LOST = 15
    """Nodes were lost more often than one pod tries again."""
    ENGINE_FAILED = 16
    """The engine ended with an error of its own."""
    STALLED = 17
    """The engine gave no sign of progress for `watchdog.step_minutes`; a restart goes on from its last checkpoint."""
    NO_UPDATES = 18
    """Rollouts lead to no update of the policy; a restart does not help."""
    TERMINATED = 143
    """SIGTERM or SIGINT ended it (128 + 15, as the shell has it)."""


class BootstrapError(Exception):
    """Ends the bootstrap: a sentence for people and an exit code for machines.

    Attributes:
        exit_code: what the process exits with.
        details: lines that explain the sentence, such as the last ones that a program printed.
    """

    def __init__(self, exit_code: ExitCode, sentence: str, details: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
        self.details = details
