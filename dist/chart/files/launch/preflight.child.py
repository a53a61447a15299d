"""A program that a check asks, with a deadline."""

import subprocess
from collections.abc import Mapping, Sequence


class ChildError(Exception):
    """It did not give an answer; the message is its last line, or why there is none."""


def ask(command: Sequence[str], environ: Mapping[str, str], *, within_s: float) -> str:
    """What the program prints.

    Raises:
        ChildError: it cannot be started, failed, or did not end in time.
    """
    try:
        done = subprocess.run(
            command,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=within_s,
            check=False,
            start_new_session=True,
        )
    except OSError as error:
        raise ChildError(f"cannot run {command[0]}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise ChildError(f"no answer within {within_s:.0f} s") from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
        raise ChildError(said[-1] if said else f"ended with {how}")
    return done.stdout
