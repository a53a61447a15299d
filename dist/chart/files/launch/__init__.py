"""What a pod runs: start Ray or join it, start the engine once every node is there, follow it, finish.

Standard library only, Python 3.10 or later, relative imports only: the chart's launch ConfigMap carries this folder and
mounts it as a package named `launch`, so that a fix needs no new image. `__main__` reads top to bottom as what happens.
"""

import sys

# Here, in words that any Python 3 understands: the other modules are no valid Python to an older one.
if sys.hexversion < 0x030A0000:
    sys.stderr.write(
        f"python3 of this image is {sys.version.split()[0]} ({sys.executable}), but must be 3.10 or newer: use another "
        "image, or put a newer Python first in extraEnv.PATH (exit code 10, CONFIG)\n"
    )
    sys.exit(10)
