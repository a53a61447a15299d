"""What the kit refuses."""

from __future__ import annotations


class ValuesError(ValueError):
    """Values that the chart refuses.

    Attributes:
        sentences: one for each fault, as Helm words them.
        hints: what to do, where Helm says nothing of it.
    """

    def __init__(self, sentences: list[str], hints: list[str]) -> None:
        super().__init__("\n".join([*sentences, *hints]))
        self.sentences = sentences
        self.hints = hints

    def __reduce__(self) -> tuple[type[ValuesError], tuple[list[str], list[str]]]:
        return ValuesError, (self.sentences, self.hints)
