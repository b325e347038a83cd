"""Dictionaries that one thread reads while another one changes them."""


class SharedDict(dict):
    """A dictionary whose items and values are those of a copy.

    A view of an ordinary one fails ("dictionary changed size during
    iteration") when another thread adds a key meanwhile; a copy is made at
    once.
    """

    def values(self):
        return self.copy().values()

    def items(self):
        return self.copy().items()
