"""`python3 -m launch.patches.drive MODULE ARGUMENTS...`, or `--script PATH ARGUMENTS...`: an engine, patched.

The engine runs as it does by `python3 -m MODULE`: as `__main__`, with its own sys.argv, in this process.
"""

from __future__ import annotations

import faulthandler
import runpy
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from .setup import setup_driver

_SCRIPT = "--script"
_USAGE = f"usage: drive (MODULE | {_SCRIPT} PATH) [ARGUMENTS...]"
_WRONG_COMMAND_LINE = 2


def main(arguments: Sequence[str]) -> None:
    """Runs the engine.

    Raises:
        SystemExit: the command line or a variable is of no use; or the engine ends so.
    """
    program, rest = _program(arguments)
    # How the bootstrap asks a driver that hangs where it is, when py-spy may not look (following/stacks.py).
    faulthandler.register(signal.SIGUSR1)
    try:
        setup_driver()
    except ValueError as error:
        _refuse(str(error))
    # As `python3 -m` and `python3 PATH` have it; a module's own path is set when it has been found.
    sys.argv = [program[-1], *rest]
    if program[0] == _SCRIPT:
        sys.path[0] = str(Path(program[1]).absolute().parent)
        runpy.run_path(program[1], run_name="__main__")
    else:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)


def _program(arguments: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    length = 2 if arguments[:1] == [_SCRIPT] else 1
    if len(arguments) < length:
        _refuse(_USAGE)
    return arguments[:length], arguments[length:]


def _refuse(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    raise SystemExit(_WRONG_COMMAND_LINE)


if __name__ == "__main__":
    main(sys.argv[1:])
