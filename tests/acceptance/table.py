"""The table of types in the documentation: what was done with each.

The results are kept as JSON beside the page that is made of them.
"""
import json
import pathlib
import textwrap

_DIRECTORY = (pathlib.Path(__file__).resolve().parents[2] / 'doc' / 'source'
              / 'operator_guide')
RESULTS = _DIRECTORY / 'resource_types.json'
PAGE = _DIRECTORY / 'resource_types.rst'

_HEAD = """\
==============================
Resource types on a real cloud
==============================

What ``tools/acceptance`` has done with one resource of each type against the
service that it stands for. After each step the service itself was asked
whether it shows what the template said, and in the end whether anything was
left behind. Where something was not done, the reason is given below the
table of the service.

Two kinds of types are not listed. Those that stand for no service, such as
``OS::Heat::Value``, are part of other acceptance tests. Those whose service,
or whose version of the API, has been retired are placeholders, with which
existing stacks can be deleted: Sahara, Senlin, Monasca, Vitrage,
``OS::Neutron::LBaaS::*`` and their kin.
"""
_STEPS = ('created', 'checked', 'updated', 'replaced', 'deleted')


def load():
    """Return {type: result} of the last runs."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def write(results):
    """Keep results and make the page of them."""
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + '\n')
    PAGE.write_text(page(results))


def page(results):
    """Return the text of the page."""
    families = {}
    for name in sorted(results):
        families.setdefault(name.split('::')[1], {})[name] = results[name]
    return '\n'.join([_HEAD, *(
        line for family, types in families.items()
        for line in _section(family, types))])


def _section(family, types):
    yield from (family, '=' * len(family), '')
    wide = max(len(name) for name in types)
    widths = (wide, *(len(step) for step in _STEPS))
    rule = '  '.join('=' * width for width in widths)
    yield from (rule, _row(('type', *_STEPS), widths), rule)
    reasons = []
    for name, result in types.items():
        yield _row((name, *('yes' if result.get(step) else '-'
                            for step in _STEPS)), widths)
        reasons += [f'* {name}: {text}' for text in _reasons(result)]
    yield from (rule, '')
    if reasons:
        yield from (*(_wrapped(reason) for reason in reasons), '')


def _row(cells, widths):
    return '  '.join(cell.ljust(width) for cell, width
                     in zip(cells, widths, strict=True)).rstrip()


def _reasons(result):
    if result.get('missing'):
        yield result['missing']
    for step, what in (('no_update', 'not updated'),
                       ('no_replace', 'not replaced')):
        if result.get(step):
            yield f'{what}, for {result[step]}'


def _wrapped(text):
    return textwrap.fill(text, 78, subsequent_indent='  ',
                         break_long_words=False, break_on_hyphens=False)
