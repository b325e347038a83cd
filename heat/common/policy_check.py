"""Find out what is wrong in policy files before a service uses them."""
import collections
import difflib
import os
import re

from oslo_config import cfg
from oslo_policy import policy
import yaml

from heat import policies
from heat.common.i18n import _

_REFERENCE = re.compile(r'(?:^|[\s(])rule:([^\s()]+)')
_WORD = re.compile(r'[\s()]+')
_ALIKE = 0.8
#: How the names of rules about resource types begin.
_OF_TYPES = 'resource_types:'


class _File:
    """The rules of one file, and the lines that they stand in."""

    def __init__(self, path):
        self.path = path
        self.rules = {}
        self.errors = []
        try:
            with open(path, encoding='utf-8') as stream:
                text = stream.read()
            self._read(text)
        except OSError as error:
            self.errors.append(f'{path}: {error.strerror}')
        except UnicodeDecodeError as error:
            self.errors.append(f'{path}: {error}')
        except yaml.YAMLError as error:
            mark = getattr(error, 'problem_mark', None)
            line = mark.line + 1 if mark else 1
            cause = getattr(error, 'problem', None) or 'not YAML'
            self.errors.append(f'{path}, line {line}: {cause}')

    def _read(self, text):
        content = yaml.safe_load(text) or {}
        self._lines = self._find_lines(text)
        if not isinstance(content, dict):
            self.errors.append(_(
                '%s, line 1: a policy file is a map from names of rules to '
                'rules') % self.path)
            return
        self.rules = {str(name): rule for name, rule in content.items()}
        for name, rule in self.rules.items():
            self._check(name, rule)

    @staticmethod
    def _find_lines(text):
        root = yaml.compose(text, yaml.SafeLoader)
        pairs = root.value if isinstance(root, yaml.MappingNode) else ()
        return {str(key.value): key.start_mark.line + 1
                for key, _value in pairs}

    def place(self, name):
        """Return the file and the line of a rule."""
        line = self._lines.get(name)
        return f'{self.path}, line {line}' if line else self.path

    def _check(self, name, rule):
        if not isinstance(rule, (str, list)):
            self.errors.append(_(
                '%(place)s: the rule "%(name)s" is not a text') % {
                    'place': self.place(name), 'name': name})
        elif _is_broken(name, rule):
            self.errors.append(_(
                '%(place)s: the rule "%(name)s" cannot be understood: '
                '%(rule)s') % {'place': self.place(name), 'name': name,
                               'rule': rule})


def _refusals(text):
    return [word for word in _WORD.split(text) if word == '!']


def _texts(rule):
    """Return the texts of a rule; those in lists are checks.

    :raises TypeError: there is something else in a list
    """
    if isinstance(rule, str):
        return [rule]
    texts = [text for each in rule
             for text in ([each] if isinstance(each, str) else each)]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    return texts


def _is_broken(name, rule):
    """Return whether a rule cannot be read, or fails with each request."""
    try:
        texts = _texts(rule)
        for text in texts:
            # Each check puts values of the request into its text.
            text % collections.defaultdict(str)
        check = str(policy.RuleDefault(name, rule).check)
    except (TypeError, ValueError):
        return True
    # What oslo.policy cannot read, it refuses to everybody.
    return len(_refusals(check)) > sum(
        len(_refusals(text)) for text in texts)


def _paths(conf):
    """Return the paths of all policy files, errors and warnings."""
    paths, missing, warnings = [], [], []
    name = conf.oslo_policy.policy_file
    found = conf.find_file(name)
    if found is not None:
        paths.append(found)
    elif _is_given(conf, 'policy_file'):
        missing.append(_('[oslo_policy] policy_file: there is no file %s')
                       % name)
    for directory in conf.oslo_policy.policy_dirs:
        found = conf.find_file(directory)
        if found is not None and os.path.isdir(found):
            paths += sorted(
                os.path.join(found, each) for each in os.listdir(found)
                if not each.startswith('.')
                and os.path.isfile(os.path.join(found, each)))
        elif _is_given(conf, 'policy_dirs'):
            warnings.append(_('[oslo_policy] policy_dirs: there is no '
                              'directory %s') % directory)
    return paths, missing, warnings


def _is_given(conf, option):
    location = conf.get_location(option, 'oslo_policy')
    return location is not None and location.location.is_user_controlled


def _references(rule):
    """Return the names of the rules that a rule refers to."""
    try:
        return {name for text in _texts(rule)
                for name in _REFERENCE.findall(text)}
    except TypeError:
        return set()


def _cycles(rules):
    """Return the names of rules that refer to themselves."""
    references = {name: _references(rule) for name, rule in rules.items()}
    found, reported = [], set()
    for name in references:
        seen: set[str] = set()
        left = [name]
        while left:
            step = references.get(left.pop(), set()) - seen
            seen |= step
            left += step
        if name in seen and name not in reported:
            found.append(name)
            reported |= seen
    return found


def check(conf=cfg.CONF):
    """Return (errors, warnings) about the policy files, as lists of texts.
    """
    paths, errors, warnings = _paths(conf)
    defaults = {rule.name: rule.check_str for rule in policies.list_rules()}
    rules, files = dict(defaults), {}
    for path in paths:
        one = _File(path)
        errors += one.errors
        rules.update(one.rules)
        files.update(dict.fromkeys(one.rules, one))
    cycles = set(_cycles(rules)).intersection(files)
    for name, file in files.items():
        if name in cycles:
            errors.append(_('%(place)s: the rule "%(name)s" refers to '
                            'itself') % {'place': file.place(name),
                                         'name': name})
        for other in sorted(_references(rules[name])):
            if other not in rules:
                warnings.append(_(
                    '%(place)s: the rule "%(name)s" refers to "%(other)s", '
                    'which is not defined; it is refused to everybody') % {
                        'place': file.place(name), 'name': name,
                        'other': other})
    return errors, warnings + _unknown(conf, rules, files)


def _unknown(conf, rules, files):
    """Return a sentence for each rule that nothing asks for.

    Rules of resource types may be about types of plugins, and any rule may
    be a part of another one.
    """
    asked = {rule.name for rule in policies.list_rules()}
    parts = {name for rule in rules.values() for name in _references(rule)}
    parts.add(conf.oslo_policy.policy_default_rule)
    found = []
    for name, file in files.items():
        if name in asked or name in parts or name.startswith(_OF_TYPES):
            continue
        text = _('%(place)s: the rule "%(name)s" is unknown and ignored') % {
            'place': file.place(name), 'name': name}
        alike = difflib.get_close_matches(name, sorted(asked), 1, _ALIKE)
        found.append(_('%(text)s; is it "%(name)s"?') % {
            'text': text, 'name': alike[0]} if alike else text)
    return found
