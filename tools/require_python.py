"""Refuse a Python that is too old, in words that an old Python can still print."""

import sys

if sys.version_info < (3, 10):  # noqa: UP036 - this file is for older ones
    version = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        "rlinf-eks needs Python 3.10 or newer, not " + version + ": set PYTHON, as in `make demo PYTHON=python3.12`"
    )
