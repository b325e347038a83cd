"""Random passwords with a say in which characters are in them."""
import dataclasses
import random
import string

from heat.common.i18n import _

CHARACTER_CLASSES = (
    LETTERS_DIGITS, LETTERS, LOWERCASE, UPPERCASE,
    DIGITS, HEXDIGITS, OCTDIGITS,
) = (
    'lettersdigits', 'letters', 'lowercase', 'uppercase',
    'digits', 'hexdigits', 'octdigits',
)

_CHARACTERS = {
    LETTERS_DIGITS: string.ascii_letters + string.digits,
    LETTERS: string.ascii_letters,
    LOWERCASE: string.ascii_lowercase,
    UPPERCASE: string.ascii_uppercase,
    DIGITS: string.digits,
    HEXDIGITS: string.digits + 'ABCDEF',
    OCTDIGITS: string.octdigits,
}


@dataclasses.dataclass(frozen=True, slots=True)
class CharClass:
    """Characters to draw from, and how many of them at least."""

    allowed_chars: frozenset
    min_count: int


def named_char_class(char_class, min_count=0):
    """Return the class of that name."""
    if char_class not in CHARACTER_CLASSES:
        raise ValueError(
            _('There is no character class %(name)s; there are: %(known)s')
            % {'name': char_class, 'known': ', '.join(CHARACTER_CLASSES)})
    return CharClass(frozenset(_CHARACTERS[char_class]), min_count)


def special_char_class(allowed_chars, min_count=0):
    """Return a class of the given characters."""
    return CharClass(frozenset(allowed_chars), min_count)


def generate_password(length, char_classes):
    """Return a random text with the characters that the classes ask for.

    The rest is drawn from all classes together.
    """
    char_classes = list(char_classes)
    needed = sum(cls.min_count for cls in char_classes)
    if needed > length:
        raise ValueError(
            _('The length %(length)s is too short for the %(needed)s '
              'characters that are asked for at least.')
            % {'length': length, 'needed': needed})
    source = random.SystemRandom()
    chosen = []
    for cls in char_classes:
        allowed = sorted(cls.allowed_chars)
        chosen += [source.choice(allowed) for _i in range(cls.min_count)]
    everything = sorted(
        set().union(*(cls.allowed_chars for cls in char_classes)))
    chosen += [source.choice(everything)
               for _i in range(length - len(chosen))]
    source.shuffle(chosen)
    return ''.join(chosen)


def generate_openstack_password():
    """Return a password that the usual rules of Keystone accept."""
    specials = '!@#%^&*'
    return generate_password(32, [
        named_char_class(UPPERCASE, 1),
        named_char_class(LOWERCASE, 1),
        named_char_class(DIGITS, 1),
        special_char_class(specials, 1),
        named_char_class(LETTERS_DIGITS)])
