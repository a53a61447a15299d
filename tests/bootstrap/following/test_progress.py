"""From what SimpleVLA-RL prints and logs to how far it has come, and when it gets nowhere."""

import pytest

from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode
from rlinf_runtime.bootstrap.following.console import Batch, Epoch, Saving, Sign, meaning
from rlinf_runtime.bootstrap.following.progress import Progress
from rlinf_runtime.bootstrap.following.run_log import RunLogs, parse
from rlinf_runtime.bootstrap.following.watchdog import Watchdog
from rlinf_runtime.bootstrap.run_config import WatchdogConfig

CYAN, END = "\x1b[36m", "\x1b[0m"


class Clock:
    """A clock that tests turn."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def progress(clock):
    return Progress(clock)


def watchdog(progress, clock, *, epochs_without_update=2, step_minutes=180):
    config = WatchdogConfig(epochs_without_update=epochs_without_update, step_minutes=step_minutes)
    return Watchdog(config, progress, clock)


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (f"{CYAN}(main_task pid=12){END} Size of train dataloader: 7", Epoch(batches=7)),
        (
            f"{CYAN}(main_task pid=12, ip=10.0.0.3){END} collected 24 / 512 rollouts and each",
            Batch(kept=24, wanted=512),
        ),
        ("collected 0 / 8 rollouts and each prompt has 8 responses", Batch(kept=0, wanted=8)),
        (
            f"{CYAN}(WorkerDict pid=9){END} Saving actor checkpoint to /runs/a b/actor/global_step_24",
            Saving(folder="/runs/a b/actor/global_step_24"),
        ),
        (f"{CYAN}(main_task pid=12){END} validation generation end", Sign()),
        ("gen: 812.2 seconds", None),
        ("the words collected 1 / 2 rollouts in a sentence", None),
    ],
)
def test_what_verl_prints(line, event):
    """Through Ray's colors and the speaker's name; other lines are no sign of progress."""
    assert meaning("verl", line) == event


def test_what_the_other_engines_print():
    """RLinf's table of a step; our own trainer prints only what it has done."""
    assert meaning("rlinf", "│ Global Step:    3/100 │ Progress: █") == Sign()
    assert meaning("rlinf", "[INFO] Saving checkpoint at step 20.") == Saving(folder="global_step_20")
    assert meaning("rlinf", "a warning") is None
    assert meaning("native", "step 3/20  success 0.5") == Sign()


def test_a_line_of_the_run_log():
    """Comments and half lines are none; what is no number is left out."""
    metrics = parse('2026-11-30T10:00:00.5\t3\t{"timing/update_actor": 2, "note": "x", "loss": NaN}')
    assert (metrics.step, metrics.values["timing/update_actor"], sorted(metrics.values)) == (
        3,
        2.0,
        ["loss", "timing/update_actor"],
    )
    for line in ("# Log started", "", "x\ty\tz", "2026-11-30T10:00:00\t3\t[1]", '2026-11-30T10:00:00\t3\t{"a": 1'):
        assert parse(line) is None


def test_all_logs_of_a_start_are_read_in_their_order(tmp_path):
    """A logger that starts again makes another file."""
    logs = RunLogs(tmp_path / "not there yet")
    assert logs.new() == []
    logs = RunLogs(tmp_path)
    (tmp_path / "run_2.log").write_text("2026-11-30T10:00:00\t2\t{}\n")
    (tmp_path / "run_1.log").write_text('# Log started\n2026-11-30T09:00:00\t1\t{"val/test_score/all": 0.25}\n')
    assert [metrics.step for metrics in logs.new()] == [1, 2]
    assert logs.new() == []


def collect(progress, *kept, size=2, wanted=8):
    """Batches of rollouts in epochs of a size."""
    progress.see(Epoch(batches=size))
    for number in kept:
        progress.see(Batch(kept=number, wanted=wanted))


def test_steps_success_epochs_and_checkpoints_are_known(progress):
    """From both sources."""
    progress.see(parse('2026-11-30T10:00:00\t4\t{"val/test_score/all": 0.25}'))
    progress.see(parse('2026-11-30T10:00:00\t4\t{"train/x": 1}'))
    collect(progress, 8, 4, 8)
    progress.see(Saving(folder="/runs/x/actor/global_step_4"))
    assert (progress.step, progress.success_rate, progress.epochs, progress.updates) == (4, 0.25, 1, 2)
    assert progress.step_of_checkpoint() == 4


@pytest.mark.parametrize(
    ("completes_batches", "epochs"), [(True, [0, 0, 1, 1, 2, 2, 3]), (False, [0, 1, 1, 2, 2, 3, 3])]
)
def test_an_epoch_ends_where_the_tree_ends_it(clock, completes_batches, epochs):
    """Patched it goes on with the data from their start, until a batch that has begun is filled."""
    progress = Progress(clock, completes_batches=completes_batches)
    progress.see(Epoch(batches=2))
    found = []
    for kept in (4, 6, 8, 0, 0, 8, 8):
        progress.see(Batch(kept=kept, wanted=8))
        found.append(progress.epochs)
    assert found == epochs


def test_epochs_without_an_update_end_the_run_with_the_keys_to_change(progress, clock):
    """Discovery #27: what was collected is thrown away at the end of an epoch, and it goes on for ever."""
    dog = watchdog(progress, clock)
    collect(progress, 0, 4, 0)
    dog.check()
    progress.see(Batch(kept=4, wanted=8))
    with pytest.raises(
        BootstrapError, match=r"2 epochs brought no update .* kept 4 of 8 .*accuracy_lower_bound"
    ) as end:
        dog.check()
    assert end.value.exit_code is ExitCode.NO_UPDATES


def test_an_update_starts_the_count_of_epochs_anew(progress, clock):
    """Only epochs in a row count."""
    collect(progress, 0, 0, 0, 8, 0, 0)
    assert progress.idle_epochs == 1
    watchdog(progress, clock).check()


def test_an_engine_that_ends_well_without_an_update_has_not_trained(progress, clock):
    """It would be marked as finished otherwise; a run that only validates collects nothing."""
    dog = watchdog(progress, clock)
    dog.check_end()
    collect(progress, 0)
    with pytest.raises(BootstrapError, match="brought no update"):
        dog.check_end()
    progress.see(Batch(kept=8, wanted=8))
    dog.check_end()


def test_silence_ends_the_run_and_any_sign_prolongs_it(progress, clock):
    """The minutes count from the last sign."""
    dog = watchdog(progress, clock, step_minutes=10)
    clock.now_s = 599
    dog.check()
    progress.see(Sign())
    clock.now_s = 1198
    dog.check()
    clock.now_s = 1199
    with pytest.raises(BootstrapError, match=r"for 10 min \(training.watchdog.stepMinutes\)") as end:
        dog.check()
    assert end.value.exit_code is ExitCode.STALLED


def test_zero_turns_a_limit_off(progress, clock):
    """Both of them."""
    dog = watchdog(progress, clock, epochs_without_update=0, step_minutes=0)
    collect(progress, *[0] * 20)
    clock.now_s = 1e9
    dog.check()
    dog.check_end()
