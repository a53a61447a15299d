"""Refuse a Python that is too old, in words that an old Python can still print."""

import sys

if sys.version_info < (3, 10):
    sys.exit("rlinf-eks needs Python 3.10 or newer, this is %s: set PYTHON, as in `make demo PYTHON=python3.12`" % sys.version.split()[0])
