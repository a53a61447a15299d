"""#27, #28 and validation: what the training loop does with its batches, without patches and with them."""

import pytest
from omegaconf import OmegaConf

MIXED, FAILED, SOLVED = (0.0, 1.0), (0.0, 0.0), (1.0, 1.0)
_BASE = {
    "data": {
        "train_batch_size": 2,
        "n_samples": 2,
        "filter_accuracy": True,
        "filter_truncated": False,
        "filter_warmup": False,
        "accuracy_lower_bound": 0.1,
        "accuracy_upper_bound": 0.9,
    },
    "trainer": {"total_epochs": 2, "test_freq": 1, "val_before_train": False, "val_only": False},
}


@pytest.fixture
def trained(engine):
    """Trains on prompts, each a tuple of its rollouts' accuracies: `trained(prompts, *patches, **{"data.x": 1})`.

    With `passes`, each pass over the prompts takes the next list of batches, as when the policy changes.
    """

    def train(prompts, *patches, passes=None, **keys):
        module = engine.load("verl.trainer.ppo.ray_trainer", *patches)
        config = OmegaConf.create(_BASE)
        OmegaConf.set_struct(config, True)
        for key, value in keys.items():
            OmegaConf.update(config, key, value)
        trainer = module.RayTrainer(config=config, prompts=prompts)
        if passes:
            trainer.train_dataloader.batches = Passes(passes)
        trainer.fit()
        return trainer

    return train


class Passes:
    def __init__(self, passes):
        self._passes = iter(passes)

    def __iter__(self):
        return iter(next(self._passes))


def test_an_epochs_end_discards_the_batch_in_the_making(trained):
    """The fault: of three good prompts an epoch, one is rolled out for nothing, each time."""
    assert len(trained([MIXED] * 3).updates) == 2


def test_the_batch_in_the_making_is_completed(trained):
    """The cure: the odd prompt of an epoch makes a batch with one of the next pass; then the epoch is over."""
    assert len(trained([MIXED] * 3, "epoch-end").updates) == 4


def test_an_epoch_that_comes_out_even_is_as_long_as_before(trained):
    """Nothing is left to complete."""
    assert len(trained([MIXED] * 4, "epoch-end").updates) == len(trained([MIXED] * 4).updates) == 4


def test_a_filter_that_keeps_too_little_trains_nothing_and_says_nothing(trained):
    """The fault of #27: the run ends well, without one update."""
    assert trained([MIXED, FAILED, FAILED, FAILED]).updates == []


def test_a_filter_that_keeps_little_trains_nevertheless(trained):
    """The cure: one good prompt in each of two passes makes a batch."""
    assert trained([MIXED, FAILED, FAILED, FAILED], "epoch-end").updates == [[0.0, 1.0, 0.0, 1.0]] * 2


def test_a_filter_that_keeps_nothing_ends_the_run(trained):
    """With what was kept, and the keys to change."""
    keys = {"trainer.total_epochs": 100}
    with pytest.raises(RuntimeError) as error:
        trained([FAILED, SOLVED, FAILED, FAILED], "epoch-end", **keys)
    assert str(error.value) == (
        "no batch was complete after 3 passes over the prompts: the filter kept 0 of 24 rollouts. Widen "
        "data.accuracy_lower_bound and data.accuracy_upper_bound (0 and 1 keep all), lower data.train_batch_size, or "
        "start from a model that succeeds at some tasks"
    )


def test_each_batch_has_three_passes(trained):
    """A pass that ends with a batch does not count for the next one, which here takes three."""
    full, half, none = [[MIXED, MIXED]], [[MIXED, FAILED]], [[FAILED, FAILED]]
    passes = [full, none, half, [[FAILED, MIXED], [FAILED, FAILED]]]
    assert len(trained([], "epoch-end", passes=passes, **{"trainer.total_epochs": 3}).updates) == 2


def test_without_a_filter_a_variable_was_never_assigned(trained):
    """The fault of #28."""
    with pytest.raises(UnboundLocalError, match="filtered_roll_batch"):
        trained([MIXED] * 2, **{"data.filter_accuracy": False})


def test_without_a_filter_everything_is_kept(trained):
    """The cure, whatever the bounds were."""
    keys = {"data.filter_accuracy": False, "trainer.total_epochs": 1}
    assert trained([FAILED, SOLVED], "no-filter", **keys).updates == [[0.0, 0.0, 1.0, 1.0]]


def test_a_filter_keeps_its_bounds(trained):
    """Only the absent filter is replaced."""
    assert trained([FAILED, SOLVED], "no-filter").updates == []


def test_filter_warmup_raises(trained):
    """The fault: whatever the batch is like."""
    with pytest.raises(ValueError, match=r"^$"):
        trained([MIXED] * 2, **{"data.filter_warmup": True})


def test_filter_warmup_uses_a_batch_of_which_nothing_is_kept(trained):
    """The cure does what the line behind the error means; a batch of which something is kept is filtered."""
    keys = {"data.filter_warmup": True, "trainer.total_epochs": 1}
    assert trained([FAILED, SOLVED], "filter-warmup", **keys).updates == [[0.0, 0.0, 1.0, 1.0]]
    assert trained([MIXED, FAILED, MIXED, FAILED], "filter-warmup", **keys).updates == [[0.0, 1.0, 0.0, 1.0]]


def test_a_warmed_up_batch_counts_as_kept(trained):
    """Both patches together: three epochs without a good prompt are three updates, not an error."""
    keys = {"data.filter_warmup": True, "trainer.total_epochs": 3}
    assert len(trained([FAILED, SOLVED], "filter-warmup", "epoch-end", **keys).updates) == 3


def test_filter_truncated_is_refused(trained):
    """With the key, the value that is allowed, and the reason."""
    with pytest.raises(ValueError, match=r"data\.filter_truncated is True, but must be False: it measures texts"):
        trained([MIXED] * 2, "filter-truncated", **{"data.filter_truncated": True})


def test_no_validation_frequency_divides_by_zero_or_validates_always(trained):
    """The fault: 0 and -1."""
    with pytest.raises(ZeroDivisionError):
        trained([MIXED] * 2, **{"trainer.test_freq": 0})
    assert trained([MIXED] * 2, **{"trainer.test_freq": -1}).validations == [1, 2]


@pytest.mark.parametrize("frequency", [0, -1])
def test_no_validation_frequency_never_validates(trained, frequency):
    """The cure."""
    trainer = trained([MIXED] * 2, "validation-frequency", **{"trainer.test_freq": frequency})
    assert (len(trainer.updates), trainer.validations) == (2, [])


def test_a_validation_frequency_stays(trained):
    """Every second step."""
    assert trained([MIXED] * 2, "validation-frequency", **{"trainer.test_freq": 2}).validations == [2]


def test_validation_only_trains(trained):
    """The fault: the key is read in one place only."""
    assert len(trained([MIXED] * 2, **{"trainer.val_only": True}).updates) == 2


def test_validation_only_validates_only(trained):
    """The cure."""
    trainer = trained([MIXED] * 2, "validation-only", **{"trainer.val_only": True})
    assert (trainer.updates, trainer.validations) == ([], [0])
