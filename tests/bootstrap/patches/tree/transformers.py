"""Has the class that the worker forgets to import."""


class AutoModelForVision2Seq:
    @classmethod
    def from_pretrained(cls, path):
        return f"the model of {path}"
