"""What people see of a run."""

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from rlinf_charts.local.progress import Progress
from rlinf_charts.local.run_folder import RunFolder, Status
from rlinf_charts.local.view import PlainView, duration, panel, print_summary, sparkline, view

START = Progress(
    status=Status(),
    success_rates=[],
    pods=[("rlinf-0", "running"), ("rlinf-1", "starting")],
    last_line="12:00:01 head  wait    1 of 2 nodes [missing: rlinf-1]",
    elapsed_s=5,
    phases_s={"starting": 5.0},
    unchanged_s=1,
)
TRAINING = replace(
    START,
    status=Status(phase="train", step=12, total_steps=40, success_rate=0.78, eta_s=80.4),
    success_rates=[0.41, 0.6, 0.78],
    elapsed_s=75,
    phases_s={"starting": 5.0, "sft": 40.0, "validate": 2.0, "train": 30.0},
)


def console(**options: bool) -> Console:
    """A console of 80 columns that remembers."""
    return Console(record=True, width=80, file=Path("/dev/null").open("w"), **options)


def test_the_panel_shows_a_run_at_a_glance() -> None:
    """Phases, step and time left, success with its rise, pods, the last log line, on 80 columns."""
    screen = console()
    with screen.file:
        screen.print(panel(TRAINING, "rlinf in runs/smoke", width=78))

    assert screen.export_text().splitlines() == [
        "╭─ rlinf in runs/smoke ──────────────────────────────────────────────────────╮",
        "│                                                                            │",
        "│  phase    · demonstrations  ✓ sft  ✓ validate  ● train  · report           │",
        "│  step     12 of 40     ━━━━━━━                   1:20 left                 │",
        "│  success  78%          ━━━━━━━━━━━━━━━━━━╸       from 41%  ▄▅▇             │",
        "│  pods     ● rlinf-0 running   ● rlinf-1 starting                           │",
        "│  log      12:00:01 head  wait    1 of 2 nodes [missing: rlinf-1]           │",
        "│                                                                            │",
        "╰───────────────────────────── 1:15 · Ctrl-C stops it; the next run resumes ─╯",
    ]


def test_plain_lines_come_at_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for pods and phases at once, for steps every 5 s, and after 30 s of silence the last log line."""
    clock = {"now": 0.0}
    monkeypatch.setattr("time.monotonic", lambda: clock["now"])
    screen = console()
    plain = PlainView(screen)
    step = TRAINING.status
    moments = [
        (0.0, START),
        (1.0, START),
        (2.0, TRAINING),
        (3.0, replace(TRAINING, status=replace(step, step=13))),
        (8.0, replace(TRAINING, status=replace(step, step=14))),
        (39.0, replace(TRAINING, status=replace(step, step=14))),
    ]
    with screen.file:
        for clock["now"], progress in moments:
            plain.update(progress)

    train = " 1:15  train           step"
    assert screen.export_text().splitlines() == [
        " 0:05  starting        rlinf-0 running, rlinf-1 starting",
        f"{train} 12 of 40  success 78%  1:20 left",
        f"{train} 14 of 40  success 78%  1:20 left",
        f"{train} 14 of 40  success 78%  1:20 left  last log line: {TRAINING.last_line}",
    ]


@pytest.mark.parametrize(("terminal", "marks"), [(True, "╭─"), (False, "rlinf-0 running")])
def test_a_terminal_gets_the_panel_others_lines(terminal: bool, marks: str, tmp_path: Path) -> None:
    """What is not a terminal gets no control characters."""
    with (tmp_path / "out").open("w") as file, view(Console(file=file, force_terminal=terminal), "rlinf") as show:
        show(START)

    text = (tmp_path / "out").read_text()
    assert marks in text
    assert ("\x1b" in text) == terminal


def test_the_summary_says_what_was_achieved(tmp_path: Path) -> None:
    """Success before and after, the time of each phase, the files that are there."""
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "metrics.jsonl").write_text(
        '{"step": 0, "val/success_rate": 0.415}\n{"step": 1}\n{"step": 2, "val/success_rate": 0.965}\n{"step'
    )
    screen = console()
    with screen.file:
        print_summary(
            screen, RunFolder(tmp_path), logs_dir=tmp_path / "logs", phases_s={"sft": 62, "train": 100, "done": 0}
        )

    lines = [line.rstrip() for line in screen.export_text().splitlines()]
    assert lines[:2] == ["success  41.5% → 96.5%", "took     2:42: sft 1:02, train 1:40"]
    assert "".join(lines[2:]).replace(" ", "") == (f"made{tmp_path}/metrics.jsonl{tmp_path}/checkpoints{tmp_path}/logs")


def test_sparklines_have_eight_heights() -> None:
    """From 0 to 1."""
    assert sparkline([0.0, 0.12, 0.13, 0.5, 0.99, 1.0]) == "▁▁▂▅██"


def test_durations_are_minutes_and_seconds() -> None:
    """Seconds are cut, minutes are not limited to 59."""
    assert [duration(0), duration(59.9), duration(3661)] == ["0:00", "0:59", "61:01"]
