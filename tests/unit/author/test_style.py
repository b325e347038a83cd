"""The canonical layout keeps the meaning, and every comment."""
import textwrap

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import pytest
import yaml

from heat.author import document as template_document
from heat.author import layout as template_layout
from heat.author import style as template_style
from heat.common import template_format

UNTIDY = """\
# A licence.

# Of the version.
heat_template_version: "2018-08-31"
outputs:
    ip: {value: {get_attr: [server, "first_address"]}, description: 'An IP'}
resources:
  # The only one.
  server:     # end of line
    properties:
      name: "yes"
      flavor:   m1.small
      count: 12
      empty: ""
      port: '0022'
      # networks: none yet

      user_data: |
          #!/bin/sh
            echo   # no comment
      config:
      - a
      # before b
      - b: 1
        c: "it's"
    type: OS::Nova::Server
    # last of server
  # last of resources
description:
  A text that
  goes on
# the end
"""

TIDY = """\
# A licence.

# Of the version.
heat_template_version: '2018-08-31'

description: A text that
  goes on

resources:
  # The only one.
  server: # end of line
    type: OS::Nova::Server
    properties:
      name: 'yes'
      flavor: m1.small
      count: 12
      empty: ''
      port: '0022'
      # networks: none yet

      user_data: |
        #!/bin/sh
          echo   # no comment
      config:
        - a
        # before b
        - b: 1
          c: it's
    # last of server
  # last of resources

outputs:
  ip: {description: An IP, value: {get_attr: [server, first_address]}}
# the end
"""


def test_an_untidy_template_becomes_tidy():
    assert template_style.format_text(UNTIDY) == TIDY


def test_a_tidy_template_stays_as_it_is():
    assert template_style.format_text(TIDY) == TIDY


def test_json_stays_json_in_canonical_order():
    text = ('{"Resources": {"a": {"Properties": {}, "Type": "T"}}, '
            '"AWSTemplateFormatVersion": "2010-09-09"}')
    assert template_style.format_text(text) == textwrap.dedent("""\
        {
          "AWSTemplateFormatVersion": "2010-09-09",
          "Resources": {
            "a": {
              "Type": "T",
              "Properties": {}
            }
          }
        }
        """)


def test_order_stays_where_aliases_need_their_anchors():
    text = ('heat_template_version: rocky\n\noutputs:\n  o:\n'
            '    value: &v [1]\n\ndescription: *v\n')
    assert template_style.format_text(text) == text


@pytest.mark.parametrize('value', [
    'yes', 'No', 'null', '~', '12', '1.5', '1e3', '0x1f', '0o17', '12:30',
    '2013-05-23', '1_000', '.5', '-3', '<<', '=', 'a: b', 'a #b', '- a',
    '', ' a', 'a ', '[a', '{a', '*a', '&a', '!a', '%a', '@a', '`a', '|',
    '>', '?', "'", '"', 'a:', '\t', '---', '...', 'é', 'a\x85b', '\u2028',
    'a\\b', '#a', ',', '\U0001f600', '+', '.', '1.2.3', 'nan', '.nan',
    '.inf', 'a\nb', 'a\n', '\na', ' a\nb', 'a\n\n', '\n', '  \n a', 'a \nb',
    '\ta\nb', '2001-12-14t21:59:43.10-05:00',
])
def test_a_text_stays_a_text(value):
    tree = template_document.from_data(
        {value: value, 'list': [value, {value: [value]}]})
    text = template_layout.write(template_document.Document(tree))
    assert template_format.simple_parse(text) == {
        value: value, 'list': [value, {value: [value]}]}
    # Other readers know dates, and take them only where nothing is quoted.
    assert yaml.safe_load(text)['list'][0] == value
    assert template_style.format_text(text) == text


@pytest.mark.parametrize(('text', 'reason'), [
    ('? [a]\n: b\n', 'key'),
    ('a: [', 'line'),
    ('- a\n', 'list'),
    ('a: 1\n---\nb: 2\n', 'a second document begins here'),
])
def test_what_no_template_can_be_is_refused(text, reason):
    with pytest.raises((ValueError, TypeError), match=reason):
        template_style.format_text(text)


@pytest.mark.parametrize('text', [
    'a: &x\n  b: 1\nc:\n  <<: *x\n  d: !!str 5\n',
    'a: &x |-\n  text\nb: *x\n',
    'a: |+\n  text\n\n\nb: 1\n',
    'a: |2\n    deep\n  flat\nb: 1\n',
    'a: >\n  folded\n  text\n\n  para\nb: 1\n',
    'a: >-\n  folded\n\n    code\n\n  text\n',
    '- a: 1\n',
    'a:\n- - b\n  -\n  - c: |\n      x\n    d: 1\n',
    'a:\n-\n- b\n',
    'a:\n- # why - so\n  b: 1\n',
    'a: [b, # of b\n    c]\n',
    'a: { # first\n  b: c}\n',
    'a: [b, c] # end\n',
    'a: | # head\n  text # no\n# yes\nb: 1\n',
    'a: "x\n  y" # c\nb: \'x\n\n  y\'\n',
    'a: "x\\\n  y"\n',
    'a:\n  # of b\n\n  # of c\n  c: 1\n\n\n\n# d\nd:\n  # nothing\n',
    'a: 1\n  # odd\n# even\n',
    '--- # start\na: 1\n',
    '# only\n{}\n',
    '{a: b, c: [d, {e: f}], "g": "h"}\n',
    'a: {b, c}\n',
    'a: [b: c]\n',
    'a:\n  - # x\n  - b\n',
    'a: ' + '[' + ', '.join(['word'] * 40) + ']\n',
    'a:\r\n  b: |\r\n    text\r\n    more\r\n  c: 1\r\n',
    'a: !!map {b: 1}\nc: !!null\n',
    "a:\n- '\x85\n  '\n- null\n",
    'a: x\u2028y\n# c\nb: 1\n',
    'a: &x # c\n  # d\n  b\ne: [!!str # f\n g]\nh: "#i" #j\n',
    'a: 1\r# c\r\rb: |\r  text\r',
])
def test_every_notation_keeps_meaning_and_comments(text):
    try:
        before = template_format.simple_parse(text)
    except ValueError:
        with pytest.raises(ValueError, match='.'):
            template_style.format_text(text)
        return
    once = template_style.format_text(text)
    assert template_format.simple_parse(once) == before
    assert template_style.format_text(once) == once
    assert once.count('#') == text.count('#')


SCALARS = (st.none() | st.booleans() | st.integers(-99, 99)
           | st.text(alphabet=st.sampled_from(
               'ab1 -:#\'"\n\\,[]{}&*!|>%@`~?.=\té\x85\u2028'), max_size=8))
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        SCALARS.filter(lambda key: isinstance(key, str)), inner,
        max_size=3), max_leaves=12)


@given(st.dictionaries(st.text(alphabet='abc', min_size=1), TREES,
                       max_size=3), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_data_keeps_its_meaning(data, flow):
    text = yaml.dump(data, Dumper=yaml.SafeDumper, default_flow_style=flow,
                     allow_unicode=True)
    before = template_format.simple_parse(text)
    once = template_style.format_text(text)
    assert template_format.simple_parse(once) == before
    assert template_style.format_text(once) == once


LINES = st.lists(st.sampled_from([
    'a: 1', 'b:', '  c: 2', '  d:', '    e: |', '      text', '    - f',
    '    - g: 1', '      h: [1, 2]', '# x', '  # y', '    # z', '', '',
    '  i: "q" # w', '      # v', '    k: {l: m}', '      more',
    '  - n', '  -', '    - o: # u', '        p: >-', '          text',
    '          # t', '  q: &A {r: 1}', '  s: *A', '  <<: *A', 't: &B',
    'v: |+', 'w: >2', '    deep', '   odd', 'x: [a, # fl', '  b, # fm',
    '  c] # fn', 'y: {a: 1, # fo', '  # fp', '  b: [c, d]} # fq',
    'z: "multi', '  line" # fr', "aa: 'it''s", "  more'", '- - 1', '  - 2',
    '- # dd', '  ee: 1', '-', '--- # start', 'ff: plain',
    '  goes on # gg', 'hh: !!str 5 # ii', 'jj: !!map', 'kk: ~', '    - ',
    'qq: "a\\', '  b"', 'rr: |-2', 'ss: >+', '  folded', '  para',
    'vv: {} # f', '- xx: 1', '  yy: 2 # zz', 'heat_template_version: rocky',
    'resources:', '  r1:', '    properties:', '    type: T # of T',
    'outputs:', '"#no": # yes', 'a#b: c#d',
]), max_size=9)


@given(LINES)
@settings(max_examples=400, deadline=None)
def test_any_lines_keep_meaning_and_comments(lines):
    text = '\n'.join(lines) + '\n'
    try:
        before = template_format.simple_parse(text)
    except ValueError:
        return
    once = template_style.format_text(text)
    assert template_format.simple_parse(once) == before
    assert template_style.format_text(once) == once
    assert once.count('#') == text.count('#')
