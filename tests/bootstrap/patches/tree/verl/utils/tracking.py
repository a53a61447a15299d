"""Loggers, of which mlflow is none."""


class Tracking:
    supported_backend = ("wandb", "console")

    def __init__(self, project_name, experiment_name, default_backend="console", config=None):
        for backend in default_backend:
            assert backend in self.supported_backend, f"{backend} is not supported"
        self.backends = default_backend
