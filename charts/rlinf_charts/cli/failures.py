"""What may go wrong in any command, said in one sentence."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

import click


@contextmanager
def in_one_sentence() -> Generator[None]:
    """What is not installed is named with the extra that brings it, a file with its fault."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            # Whoever reads the output has enough of it; Click ends the program without a word.
            raise
        raise click.ClickException(f"{error.filename or 'the output'}: {error.strerror or error}") from error
    except RecursionError as error:
        raise click.ClickException("the values are nested too deeply") from error
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is missing: pip install 'rlinf-eks[chart]'") from error
