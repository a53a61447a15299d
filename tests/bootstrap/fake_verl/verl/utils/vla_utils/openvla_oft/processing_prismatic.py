"""Stands for the model's processor."""


class PrismaticProcessor:
    pass
