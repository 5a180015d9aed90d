"""The command `backwater`."""

import signal
import sys
from typing import NoReturn

from backwater._backwater import command


def main() -> NoReturn:
    """Runs the command with the words it was called with, and ends with its exit status."""
    # The command has its own way to stop, which keeps what was computed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(sys.argv[1:]))
