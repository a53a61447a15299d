"""`python -u -m rlinf_runtime.trainer KEY=VALUE ...`: trains, resuming where an earlier run stopped."""

import faulthandler
import signal
import sys

from rlinf_runtime.trainer.config.usage import usage
from rlinf_runtime.trainer.controller import train
from rlinf_runtime.trainer.run import run

if __name__ == "__main__":
    # Whoever asks why it hangs gets the stacks of this process.
    faulthandler.register(signal.SIGUSR1)
    if {"-h", "--help"} & set(sys.argv[1:]):
        sys.stdout.write(usage())
        sys.exit()
    sys.exit(run(sys.argv[1:], train))
