"""Options in the configuration files: unknown names and wrong values."""
import contextlib
import difflib
import glob
from importlib import metadata
import os
import re
from typing import Any

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import loading
from oslo_config import cfg

from heat.common import config
from heat.common import startup

_NAMESPACE = 'oslo.config.opts'
#: Libraries whose options stand in the same files.
_LIBRARIES = ('keystonemiddleware.auth_token', 'oslo.cache',
              'oslo.concurrency', 'oslo.db', 'oslo.log', 'oslo.messaging',
              'oslo.middleware', 'oslo.policy', 'oslo.reports',
              'oslo.service.periodic_task', 'oslo.service.service',
              'oslo.service.sslutils', 'oslo.service.wsgi', 'osprofiler')
_LOCATION = re.compile(r'^Value for option (\S+)(?: from (.*?))? is not '
                       r'valid: (.*)$', re.DOTALL)
_ALIKE = 0.8


def wrong_values(conf=cfg.CONF):
    """Return a sentence for each option whose value cannot be used."""
    found = []
    for name in conf:
        try:
            value = conf[name]
        except Exception as error:  # noqa: BLE001 (shown to the operator)
            found.append(_sentence(None, name, error))
            continue
        if isinstance(value, cfg.ConfigOpts.GroupAttr):
            found += _wrong_in_group(name, value)
    return found


def _wrong_in_group(group, values):
    found = []
    for name in values:
        try:
            values[name]
        except Exception as error:  # noqa: BLE001 (shown to the operator)
            found.append(_sentence(group, name, error))
    return found


def _sentence(group, name, error):
    text = str(error)
    match = _LOCATION.match(text)
    if match:
        text = match[3]
    return startup.line(f'[{group or "DEFAULT"}] {name}: {text}')


def files(conf=cfg.CONF):
    """Return the paths of the configuration files that are read."""
    paths = list(conf.config_file or [])
    for directory in conf.config_dir or []:
        paths += sorted(glob.glob(os.path.join(directory, '*.conf')))
    return paths


def _sections(paths):
    """Return {section: {option: path of the file}}."""
    sections: dict[str, dict[str, str]] = {}
    for path in paths:
        parser = cfg.ConfigParser(path, {})
        parser.parse()
        for section, options in parser.sections.items():
            sections.setdefault(section, {}).update(
                dict.fromkeys(options, path))
    return sections


def _plain(name):
    return name.replace('-', '_').lower()


def _add(known, group, options):
    name = getattr(group, 'name', group) or 'DEFAULT'
    names = known.setdefault(name, set())
    for option in options:
        names.update((_plain(option.name), option.dest))
        for former in option.deprecated_opts:
            known.setdefault(former.group or name, set()).add(
                _plain(former.name or option.dest))


def _registered(conf):
    """Return {section: names} of what is known without looking further."""
    known = {'DEFAULT': set(conf)}
    for name in conf:
        if isinstance(conf.get(name), cfg.ConfigOpts.GroupAttr):
            known[name] = set(conf[name])
    for group, options in config.all_opts():
        _add(known, group, options)
    return known


def _library_options():
    """Yield (group, options) of the libraries that read the same files."""
    for entry in metadata.entry_points(group=_NAMESPACE):
        if entry.name in _LIBRARIES:
            for group, options in entry.load()():
                yield getattr(group, 'name', group), options


def with_libraries(conf=cfg.CONF):
    """Return another configuration of the same files, with all options.

    Libraries register theirs when they are used, some of them changed.
    """
    whole = cfg.ConfigOpts()
    for group, options in _library_options():
        for option in options:
            # What a filter requires, it asks for when it is loaded.
            with contextlib.suppress(cfg.DuplicateOptError):
                if option.required:
                    continue
                whole.register_opt(option, group)
    loading.register_auth_conf_options(whole, 'keystone_authtoken')
    whole(args=[], project='heat',
          default_config_files=list(conf.config_file or ()),
          default_config_dirs=list(conf.config_dir or ()))
    return whole


def _of_account(known, section, kind):
    """Add what a section with auth_type may have.

    Return the sentence for the operator if there is no such kind.
    """
    _add(known, section, loading.get_auth_common_conf_options()
         + loading.get_session_conf_options()
         + loading.get_adapter_conf_options())
    try:
        loader: Any = loading.get_plugin_loader(kind)
    except ks_exceptions.NoMatchingPlugin:
        kinds = ', '.join(sorted(loading.get_available_plugin_names()))
        return (f'[{section}] auth_type = {kind}: there is no such plugin; '
                f'there are: {kinds}')
    for option in loader.get_options():
        names = [option.name, *(each.name for each in option.deprecated)]
        known[section].update(map(_plain, names))
    return None


def unknown_names(conf=cfg.CONF):
    """Return a sentence for each option that nobody reads."""
    sections = _sections(files(conf))
    known = _registered(conf)
    for group, options in _library_options():
        _add(known, group, options)
    for section in sections:
        kind = _raw(conf, section, 'auth_type')
        if kind:
            _of_account(known, section, kind)
    return [_unknown_sentence(section, name, sections, known)
            for section, name in _unknown(sections, known)]


def _raw(conf, section, name):
    """Return the text of an option that may not be registered."""
    for path in reversed(files(conf)):
        parser = cfg.ConfigParser(path, {})
        parser.parse()
        values = parser.sections.get(section, {})
        for option in (name, name.replace('_', '-')):
            if option in values:
                return values[option][-1]
    return None


def _unknown(sections, known):
    """Return (section, option) of what is not known.

    Plugins may have sections of their own: one that resembles no other is
    not ours.
    """
    found = []
    for section, options in sections.items():
        if section in known:
            found += [(section, name) for name in options
                      if _plain(name) not in known[section]]
        else:
            found.append((section, None))
    return found


def _unknown_sentence(section, name, sections, known):
    if name is None:
        path = next(iter(sections[section].values()), '')
        return _alike(f'{path}: the section [{section}] is unknown',
                      section, known, '[%s]')
    path = sections[section][name]
    return _alike(f'{path}: the option {name} in [{section}] is unknown and '
                  'ignored', _plain(name), known[section], '%s')


def _alike(text, name, names, form):
    close = difflib.get_close_matches(name, sorted(names), 1, _ALIKE)
    return f'{text}; is it {form % close[0]}?' if close else text


def wrong_account(section, conf=cfg.CONF):
    """Return the sentence for a section that names no plugin there is."""
    kind = _raw(conf, section, 'auth_type')
    found = kind and _of_account({}, section, kind)
    return [found] if found else []
