"""Helm's own program, for what only it does: releases, logins and pushes."""

from __future__ import annotations

import subprocess

_DEADLINE_S = 300


class HelmError(RuntimeError):
    """Helm is missing, or did not do what it was asked; the text says why, in Helm's words."""


def helm(*arguments: str) -> str:
    """Run helm; what it prints.

    Raises:
        HelmError: when it is not there, fails, or takes longer than five minutes.
    """
    command = " ".join(("helm", *arguments))
    try:
        done = subprocess.run(
            ["helm", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_DEADLINE_S,
        )
    except FileNotFoundError as error:
        raise HelmError(f"helm is not on PATH, and `{command}` needs it: install Helm") from error
    except subprocess.TimeoutExpired as error:
        raise HelmError(f"{command}: no answer within {_DEADLINE_S} s") from error
    if done.returncode != 0:
        raise HelmError(f"{command}: {done.stderr.strip()}")
    return done.stdout
