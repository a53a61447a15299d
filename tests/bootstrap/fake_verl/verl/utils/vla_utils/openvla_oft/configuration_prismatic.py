"""Stands for the model's configuration."""


class OpenVLAConfig:
    model_type = "openvla"
