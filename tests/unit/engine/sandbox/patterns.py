"""Random regular expressions of Python's re, and values to match."""
import re

from hypothesis import strategies as st

ATOMS = st.sampled_from([
    'a', 'b', '.', r'\d', r'\w', r'\s', r'\D', r'\W', '[ab]', '[^a]',
    '[a-c0-9]', r'[\w-]', r'[\W_]', r'[^\W_]', r'[\s\d]', 'é', r'\b', '^',
    '$', r'\.', '(?i:A)', '(?=a)', '(?!b)', '(?<=a)', '(?<!b)'])
QUANTIFIERS = st.sampled_from(
    ['', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{,2}'])


def _wrapped(children):
    joined = st.lists(children, min_size=1, max_size=3).map(''.join)
    return st.one_of(
        st.tuples(joined, QUANTIFIERS).map(lambda t: '(%s)%s' % t),
        st.tuples(joined, joined).map(lambda t: '(?:%s|%s)' % t),
        st.tuples(joined, joined).map('|'.join),
        joined)


PATTERNS = st.recursive(
    st.tuples(ATOMS, QUANTIFIERS).map(''.join), _wrapped, max_leaves=6)
VALUES = st.text('abcA1 ._-é\n', max_size=8)
SEVERAL = st.lists(VALUES, min_size=1, max_size=6)


def compiles(text):
    """Return whether Python's re takes a pattern."""
    try:
        re.compile(text)
    except re.error:
        return False
    return True
