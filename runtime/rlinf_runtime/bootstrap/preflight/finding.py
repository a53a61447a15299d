"""What a check finds wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that is wrong, as a sentence for the one who can change it.

    Attributes:
        key: of the values, or the file, that it is about.
        wrong: what is wrong with it.
        remedy: what is allowed, and what to do.
        is_fatal: whether the run would fail or be worth nothing; otherwise it is only said.
    """

    key: str
    wrong: str
    remedy: str
    is_fatal: bool = True

    def __str__(self) -> str:
        return f"{self.key} {self.wrong}: {self.remedy}"


def size(num_bytes: float) -> str:
    """A size for people, with the unit in which Kubernetes writes it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if num_bytes < 1024:
            return f"{num_bytes:.0f} {unit}" if unit == "B" else f"{num_bytes:.1f} {unit}"
        num_bytes /= 1024
    return f"{num_bytes:.1f} TiB"
