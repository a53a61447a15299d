"""The trainer's errors, and the exit code that each gives to the process.

TrainerError
├── ConfigError     the user's keys or values are wrong: change them; a retry cannot help   (exit code 2)
├── PlacementError  the cluster does not offer what the ranks need                          (exit code 3)
├── RankDiedError   a rank was lost: a restart resumes at the newest checkpoint             (exit code 4)
└── StoppedError    the run was told to stop by SIGTERM                                     (exit code 143)
"""


class TrainerError(Exception):
    """What went wrong, where, and what to do about it, in one sentence."""

    exit_code = 1


class ConfigError(TrainerError, ValueError):
    """A key or a value of the configuration is refused."""

    exit_code = 2


class PlacementError(TrainerError):
    """The cluster did not place the ranks before the deadline."""

    exit_code = 3


class RankDiedError(TrainerError):
    """A rank's process ended, or did not answer before its deadline."""

    exit_code = 4


class StoppedError(TrainerError):
    """SIGTERM arrived."""

    exit_code = 143
