"""Stands for the model, with the method that only this engine's copy of the file has."""


class OpenVLAForActionPrediction:
    def generate_action_verl(self):
        return []
