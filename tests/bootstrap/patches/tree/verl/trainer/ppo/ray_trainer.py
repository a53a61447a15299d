"""The training loop, reduced to how batches are collected and what decides about validation."""

# ruff: noqa: C901 - as upstream has it


class BufferedDataLoader:
    def __init__(self, batches):
        self.batches = batches
        self.dataloader_iter = None

    def start_new_epoch(self):
        self.dataloader_iter = iter(self.batches)

    def get_next_batch(self):
        return next(self.dataloader_iter)


class RayTrainer:
    """A prompt is a tuple of its rollouts' accuracies; `updates` and `validations` tell what happened."""

    def __init__(self, config, prompts=()):
        self.config = config
        size = config.data.train_batch_size
        self.train_dataloader = BufferedDataLoader([prompts[i : i + size] for i in range(0, len(prompts), size)])
        self.updates = []
        self.validations = []

    def fit(self):
        if self.config.trainer.val_before_train:
            self.validations.append(0)
            if self.config.trainer.val_only:
                return
        size, n_samples, step = self.config.data.train_batch_size, self.config.data.n_samples, 0
        for _ in range(self.config.trainer.total_epochs):
            self.train_dataloader.start_new_epoch()
            while True:
                valid_batch = []
                while len(valid_batch) < size * n_samples:
                    try:
                        prompts = self.train_dataloader.get_next_batch()
                    except StopIteration:
                        break
                    roll_batch = [accuracy for prompt in prompts for accuracy in prompt]
                    if self.config.data.filter_accuracy or self.config.data.filter_truncated:
                        filtered_roll_batch = self.filter(roll_batch, roll_batch, n_samples)
                    if self.config.data.filter_warmup:
                        raise ValueError
                    valid_batch = valid_batch + filtered_roll_batch
                if len(valid_batch) < size * n_samples:
                    break
                self.updates.append(valid_batch[: size * n_samples])
                if (step + 1) % self.config.trainer.test_freq == 0:
                    self.validations.append(step + 1)
                step += 1

    def filter(self, reward_tensor, batch, n_samples):
        groups = [batch[i : i + n_samples] for i in range(0, len(batch), n_samples)]
        data = self.config.data
        kept = [g for g in groups if data.accuracy_lower_bound <= sum(g) / n_samples <= data.accuracy_upper_bound]
        return [accuracy for group in kept for accuracy in group]
