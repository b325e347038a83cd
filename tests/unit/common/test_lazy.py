"""Libraries that are imported when they are first used."""
import email.message

from heat.common import lazy


class Letter:
    """Ours; what it does not know, its parent does."""

    def __init__(self, subject):
        super().__init__()
        self['Subject'] = subject


def test_a_class_gets_its_parent_when_it_is_needed():
    library = lazy.module('email.message')
    kind = lazy.child(Letter, library, 'EmailMessage')
    letter = kind('hello')
    assert isinstance(letter, email.message.EmailMessage)
    assert isinstance(letter, Letter)
    assert letter['Subject'] == 'hello'
    assert (kind.__module__, kind.__name__) == (__name__, 'Letter')
    assert lazy.child(Letter, library, 'EmailMessage') is kind
