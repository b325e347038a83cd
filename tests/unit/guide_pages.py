"""Reads the code blocks of the template guide.

A block is a template, an environment, sections of a template, or an
expression. What an expression or template amounts to is told by the block
behind it, captioned "gives" or "fails with".
"""
import dataclasses
import functools
import pathlib
import re
import shlex
import textwrap

GUIDE = (pathlib.Path(__file__).resolve().parents[2] / 'doc' / 'source'
         / 'template_guide')

FACTS = pathlib.Path(__file__).resolve().parents[1] / 'facts'

GIVES, FAILS = 'gives', 'fails with'
SETUP = 'The template of the examples'
ATTRIBUTES = 'The attributes of its resources'
FACADE = 'The resource in the parent template'
FILE = 'The file '
CONDITION = 'As a condition'
MERGED = 'The environment files of a request'
SHELL = ('console',)

_BLOCK = re.compile(
    r'^( *)\.\. code-block:: (\w+)\n((?:\1   :\w+:.*\n)*)\n'
    r'((?:(?:\1   .*)?\n)+)', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Block:
    """A code block; line is where it begins."""

    page: str
    line: int
    language: str
    caption: str
    text: str

    def __str__(self):
        return f'{self.page}:{self.line}'


@functools.cache
def pages():
    """Return the text of every page by its name."""
    return {str(path.relative_to(GUIDE)): path.read_text(encoding='utf-8')
            for path in sorted(GUIDE.rglob('*.rst'))}


@functools.cache
def blocks_of(page):
    """Return the code blocks of a page in their order."""
    text = pages()[page]
    found = []
    for match in _BLOCK.finditer(text):
        caption = re.search(r':caption: (.*)', match[3])
        found.append(Block(
            page, text.count('\n', 0, match.start()) + 1, match[2],
            caption[1].strip() if caption else '',
            textwrap.dedent(match[4]).strip('\n') + '\n'))
    return found


def with_setting(page):
    """Yield (block, the one that tells its result, setting) of a page.

    The setting is what the blocks before it have laid down: setup,
    attributes, facade and files.
    """
    setting = {'files': {}}
    blocks = [block for block in blocks_of(page)
              if block.language not in SHELL]
    for number, block in enumerate(blocks):
        following = blocks[number + 1:number + 2]
        result = following[0] if following and following[0].caption in (
            GIVES, FAILS) else None
        if block.caption in (GIVES, FAILS):
            continue
        if block.caption == SETUP:
            setting = {'files': dict(setting['files']), 'setup': block.text}
        elif block.caption == ATTRIBUTES:
            setting = {**setting, 'attributes': block.text}
            continue
        elif block.caption == FACADE:
            setting = {**setting, 'facade': block.text}
            continue
        elif block.caption.startswith(FILE):
            name = block.caption.removeprefix(FILE).strip('`')
            setting = {**setting,
                       'files': {**setting['files'], name: block.text}}
            # What commands say of a file is shown below it.
            if block.language == 'text' or any(commands_of(page)):
                continue
        yield block, result, setting


def section_of(page, name):
    """Return the text of the section with this heading."""
    text = re.split(rf'^{re.escape(name)}\n[-~^]+$', pages()[page],
                    flags=re.MULTILINE)[1]
    return re.split(r'^\S.*\n[-~^=]+$', text, flags=re.MULTILINE)[0]


def commands_of(page):
    """Yield (block, arguments, what is printed, files) of a page."""
    files = {}
    for block in blocks_of(page):
        if block.caption.startswith(FILE):
            files[block.caption.removeprefix(FILE).strip('`')] = block.text
        elif block.language in SHELL:
            for call in re.split(r'^\$ heat-template ', block.text,
                                 flags=re.MULTILINE)[1:]:
                line, _newline, printed = call.partition('\n')
                yield block, shlex.split(line), printed, files
