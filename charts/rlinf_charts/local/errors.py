"""The error that `rlinf-eks local` shows to people."""


class LocalError(ValueError):
    """Raised when this machine cannot run the pods; its text says what is wrong, where, and what to do."""
