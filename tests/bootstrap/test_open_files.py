"""The limit of open files, as a container runtime may set it."""

import subprocess
import sys

import pytest

RAISED = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from rlinf_runtime.bootstrap import open_files
open_files.raise_limit()
print(resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(("soft", "hard", "raised"), [(64, 2048, 2048), (2048, 2048, 2048)])
def test_as_many_files_as_allowed_may_be_open(soft, hard, raised):
    """Up to the hard limit, which only root may raise."""
    code = RAISED.format(soft=soft, hard=hard)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30).stdout
    assert said == f"({raised}, {hard})\n"
