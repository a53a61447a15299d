"""What people see: a live panel on a terminal, plain lines elsewhere, a summary at the end."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rlinf_charts.local.progress import Progress
from rlinf_charts.local.run_folder import RunFolder

_PHASES = ("demonstrations", "sft", "validate", "train", "report")
_STATE_STYLES = {"running": "green", "ended": "dim", "starting": "yellow", "failed": "red"}
_BAR_WIDTH = 24
_MAX_WIDTH = 100
_SPARK_WIDTH = 16
_STEP_LINE_EVERY_S = 5.0
_SILENT_AT_MOST_S = 30.0


@contextmanager
def view(console: Console, title: str) -> Generator[Callable[[Progress], None]]:
    """Yield the function that shows progress, for a few calls a second: live on a terminal, else as plain lines."""
    if not console.is_terminal:
        yield PlainView(console).update
        return
    # Two columns stay free, or the terminal's echo of ^C would wrap and shift what is to be erased.
    width = min(console.width - 2, _MAX_WIDTH)
    # No refresh thread: the caller's loop redraws.
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda progress: live.update(panel(progress, title, width=width), refresh=True)


class PlainView:
    """A line at each change of phase, pods or (at most every few seconds) step."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._printed_at = float("-inf")
        self._phase = "starting"
        self._step = 0
        self._pods: Sequence[tuple[str, str]] = ()

    def update(self, progress: Progress) -> None:
        """Print a line when there is something new, or nothing was for a while."""
        status = progress.status
        if progress.pods != self._pods:
            self._pods = progress.pods
            self._print(progress, ", ".join(f"{name} {state}" for name, state in progress.pods))
        silent_s = time.monotonic() - self._printed_at
        stepped = status.step != self._step and silent_s >= _STEP_LINE_EVERY_S
        if status.phase != self._phase or stepped:
            self._phase, self._step = status.phase, status.step
            self._print(progress, _step_words(progress))
        elif silent_s >= _SILENT_AT_MOST_S:
            self._print(progress, f"{_step_words(progress)}  last log line: {progress.last_line}")

    def _print(self, progress: Progress, words: str) -> None:
        self._printed_at = time.monotonic()
        line = f"{duration(progress.elapsed_s):>5}  {progress.status.phase:<14}  {words}".rstrip()
        self._console.print(Text(line), soft_wrap=True)


def panel(progress: Progress, title: str, *, width: int) -> Panel:
    """Draw the progress as a panel of a few rows."""
    rows = Table.grid(padding=(0, 2), expand=True)
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(no_wrap=True, ratio=1, overflow="ellipsis")
    rows.add_row("phase", _phase_row(progress))
    rows.add_row("step", _step_row(progress))
    rows.add_row("success", _success_row(progress))
    rows.add_row("pods", _pods_row(progress.pods))
    rows.add_row("log", Text(progress.last_line, style="dim"))
    return Panel(
        rows,
        title=Text(title, style="bold"),
        title_align="left",
        subtitle=f"[dim]{duration(progress.elapsed_s)} · Ctrl-C stops it; the next run resumes[/]",
        subtitle_align="right",
        border_style="cyan",
        width=width,
        padding=(1, 2),
    )


def _phase_row(progress: Progress) -> Text:
    current, row = progress.status.phase, Text()
    if current not in _PHASES:
        return row.append(f"● {current}", style="bold cyan")
    for phase in _PHASES:
        seen = phase in progress.phases_s
        mark, style = ("●", "bold cyan") if phase == current else ("✓", "green") if seen else ("·", "dim")
        row.append(f"{mark} {phase}  ", style=style)
    return row


def _step_row(progress: Progress) -> Table | Text:
    status = progress.status
    if not status.total_steps:
        return Text("-", style="dim")
    left = "" if status.eta_s is None else f"{duration(status.eta_s)} left"
    return _bar_row(status.step / status.total_steps, "cyan", f"{status.step} of {status.total_steps}", Text(left))


def _success_row(progress: Progress) -> Table | Text:
    rate = progress.status.success_rate
    if rate is None:
        return Text("-", style="dim")
    note = Text()
    if progress.success_rates:
        note.append(f"from {progress.success_rates[0]:.0%}  ")
        note.append(sparkline(progress.success_rates), style="green")
    return _bar_row(rate, "green", f"{rate:.0%}", note)


def _bar_row(fraction: float, style: str, words: str, note: Text) -> Table:
    row = Table.grid(padding=(0, 2))
    row.add_column(width=11)
    bar = ProgressBar(1.0, fraction, width=_BAR_WIDTH, complete_style=style, finished_style=style)
    row.add_row(Text(words, style="bold"), bar, note)
    return row


def _pods_row(pods: Sequence[tuple[str, str]]) -> Text:
    row = Text()
    for name, state in pods:
        row.append("● ", style=_STATE_STYLES.get(state, "yellow")).append(f"{name} {state}   ")
    return row


def _step_words(progress: Progress) -> str:
    status = progress.status
    words = [
        f"step {status.step} of {status.total_steps}" if status.total_steps else "",
        "" if status.success_rate is None else f"success {status.success_rate:.0%}",
        "" if status.eta_s is None else f"{duration(status.eta_s)} left",
    ]
    return "  ".join(word for word in words if word)


def print_summary(
    console: Console, run: RunFolder, *, logs_dir: Path, phases_s: Mapping[str, float] | None = None
) -> None:
    """Print what a finished run achieved, how long each phase took, and where its files are."""
    rows: list[tuple[str, Text]] = []
    if rates := run.success_rates():
        rows.append(("success", Text(f"{rates[0]:.1%} → {rates[-1]:.1%}", style="bold green")))
    if phases_s:
        took = ", ".join(f"{phase} {duration(seconds)}" for phase, seconds in phases_s.items() if phase != "done")
        rows.append(("took", Text(f"{duration(sum(phases_s.values()))}: {took}")))
    for number, path in enumerate([*run.products(), logs_dir]):
        rows.append(("" if number else "made", Text(shown(path))))
    for label, words in rows:
        # Folded by Rich, a long path could not be copied.
        console.print(Text.assemble((f"{label:<9}", "dim"), words), soft_wrap=True)


def sparkline(rates: Sequence[float]) -> str:
    """Draw the last rates, from 0 to 1, as bars of eight heights."""
    return "".join("▁▂▃▄▅▆▇█"[min(int(rate * 8), 7)] for rate in rates[-_SPARK_WIDTH:])


def shown(path: Path) -> str:
    """Write a path as people would type it here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def duration(seconds: float) -> str:
    """Write seconds as minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
