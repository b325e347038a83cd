"""Policies on API calls and resource types."""
import functools
import inspect
import os
import stat
import time
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging
from oslo_policy import opts as policy_opts
from oslo_policy import policy

from heat import policies
from heat.common import exception
from heat.common import startup
from heat.policies import resource_types

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

POLICY_FILE = 'policy.yaml'
_FORMER_POLICY_FILE = 'policy.json'
#: Seconds between two looks whether there are files with policies.
_LOOK_INTERVAL = 1

#: What a role includes beside itself. Keystone can be set up to say so in
#: the token; users expect it in any case.
IMPLIED_ROLES = {
    'admin': ('member', 'reader'),
    'manager': ('member', 'reader'),
    'member': ('reader',),
}


def credentials_of(context):
    """Return what policy rules are checked against, roles implied."""
    values = dict(context.to_policy_values())
    roles = list(values.get('roles') or ())
    known = {role.lower() for role in roles}
    for role in list(known):
        for implied in IMPLIED_ROLES.get(role, ()):
            if implied not in known:
                known.add(implied)
                roles.append(implied)
    values['roles'] = roles
    return values


class _PolicyFiles:
    """Knows which files with policies there are, and looks once a second.

    The answer takes many system calls, and each check asks for it.

    :param names: returns what the options name
    """

    def __init__(self, conf, names):
        self._conf, self._names = conf, names
        self._found: list[str] = []
        self._next_look = 0.0

    def paths(self):
        """Return the paths of those that exist, or did just now."""
        now = time.monotonic()
        if now >= self._next_look:
            self._found = [*filter(None, map(self._conf.find_file,
                                             self._names()))]
            self._next_look = now + _LOOK_INTERVAL
        return self._found


class _FileEnforcer(policy.Enforcer):
    """Keeps its rules when their files cannot be read any more."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._loaded = None
        self._files = _PolicyFiles(self.conf, lambda: (
            self.policy_file, *self.conf.oslo_policy.policy_dirs))

    def load_rules(self, force_reload=False):
        """Read the files again if they changed.

        Each check asks for this. The library looks for the files in several
        directories and visits all registered rules each time.

        What is wrong in the files when a service starts is found by
        policy_check.
        """
        # Before they are read: what changes meanwhile differs next time.
        state = len(self.registered_rules), self._state_of_files()
        if not force_reload and self.rules and state == self._loaded:
            return
        if self._read_files(force_reload):
            self._loaded = state

    def _read_files(self, force_reload):
        """Return whether the rules are now those of the files."""
        rules, file_rules = self.rules, self.file_rules
        try:
            super().load_rules(force_reload)
        except (ValueError, OSError, AttributeError, TypeError) as error:
            if not rules:
                raise exception.Error(
                    'The policy files cannot be read') from error
            self.rules, self.file_rules = rules, file_rules
            LOG.error('The policy files cannot be read; the rules stay as '
                      'they are: %s', startup.cause(error))
            return False
        return True

    def _state_of_files(self):
        """Return a value that changes when a file does."""
        return [*map(_state_of, self._files.paths())] if self.use_conf else []


def _state_of(path):
    """Return a value that changes with a file, or those in a directory."""
    try:
        if stat.S_ISDIR((found := os.stat(path)).st_mode):
            with os.scandir(path) as entries:
                return path, sorted((entry.name, *_times(entry.stat()))
                                    for entry in entries)
        return path, _times(found)
    except OSError as error:
        return path, error.errno


def _times(found):
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _state_signatures():
    """State the signatures of the checks of oslo.policy.

    It inspects a check each time the check is asked, which takes more time
    than the check unless its signature is stated.
    """
    kinds: list[Any] = [policy.AndCheck, policy.NotCheck, policy.OrCheck,
                        *policy.Check.__subclasses__()]
    for kind in kinds:
        if not hasattr(kind.__call__, '__signature__'):
            kind.__call__.__signature__ = inspect.signature(kind.__call__)


class Enforcer:
    """Answers whether a context may do something to a target."""

    #: Outcome for a rule that is neither registered nor in the file.
    allow_unknown = False

    def __init__(self, scope='heat', exc=exception.Forbidden,
                 policy_file=None, conf=CONF):
        self.scope = scope
        self.exc = exc
        self._conf, self._policy_file = conf, policy_file
        policy_opts.set_defaults(conf, policy_file or POLICY_FILE)

    @functools.cached_property
    def enforcer(self):
        """The enforcer of oslo.policy, made when there is a rule to check."""
        _state_signatures()
        enforcer = _FileEnforcer(self._conf, policy_file=self._policy_file)
        enforcer.register_defaults(policies.list_rules())
        # Warnings about each changed default would fill the logs.
        enforcer.suppress_default_change_warnings = True
        return enforcer

    def set_rules(self, rules, overwrite=True):
        """Replace or extend the rules by a mapping of names to checks."""
        self.enforcer.set_rules(policy.Rules.from_dict(rules), overwrite)

    def load_rules(self, force_reload=False):
        """Read the policy file again if it changed."""
        self.enforcer.load_rules(force_reload)

    def clear(self):
        """Forget all rules."""
        self.enforcer.clear()

    def _is_known(self, rule):
        # The check itself looks for files that have changed.
        if rule not in self.enforcer.rules:
            self.enforcer.load_rules()
        return rule in self.enforcer.rules

    def _check(self, context, rule, target, exc, action=None):
        if target is None:
            target = {'project_id': context.project_id,
                      'user_id': context.user_id}
        if not self._is_known(rule):
            allowed = self.allow_unknown
        else:
            # The roles of a stored context come from Keystone: a rule that
            # does not exist is worth no request.
            credentials = credentials_of(context)
            try:
                allowed = self.enforcer.enforce(rule, target, credentials)
                if not allowed and rule not in self.enforcer.rules:
                    # It has just been taken out of its file.
                    allowed = self.allow_unknown
            except policy.InvalidScope:
                LOG.debug('Rule %s does not accept the scope of the token',
                          rule)
                allowed = False
        if not allowed and exc is not None:
            raise exc(action=action or rule)
        return bool(allowed)

    def enforce(self, context, action, scope=None, target=None,
                is_registered_policy=False):
        """Return True, or raise what the enforcer was made with.

        :param action: the name of the rule without its scope.
        :param target: the attributes of what is acted on; by default the
                       project and user of the context.
        """
        rule = '%s:%s' % (scope or self.scope, action)
        return self._check(context, rule, target, self.exc, action=action)

    def allowed(self, context, rules):
        """Return those of the rules that let a context pass.

        They are asked as `enforce` asks them without a target. What a rule
        says of a certain target may differ.

        :param rules: their names with scopes, such as stacks:delete
        """
        return [rule for rule in rules
                if self._check(context, rule, None, None)]

    def check_is_admin(self, context):
        """Return whether the context is that of an administrator."""
        return self._check(context, 'context_is_admin', None, None)


class ResourceEnforcer(Enforcer):
    """Answers whether a context may use a resource type."""

    allow_unknown = True

    def __init__(self, exc=exception.Forbidden, policy_file=None, conf=CONF):
        super().__init__('resource_types', exc, policy_file, conf)
        self._files = _PolicyFiles(conf, self._file_names)

    def _enforce_rule(self, context, res_type, rule_name, scope, target):
        rule = '%s:%s' % (scope or self.scope, rule_name)
        if not self._check(context, rule, target, None):
            if self.exc is None:
                return False
            raise self.exc(action=res_type)
        return True

    def enforce(self, context, res_type, scope=None, target=None,
                is_registered_policy=False):
        """Return True, or raise, for the type and for its family.

        OS::Keystone::User must be allowed by the rule of its name and by
        the one of OS::Keystone::*, as far as they exist.
        """
        family = '::'.join(res_type.split('::')[:-1] + ['*'])
        if not self._may_have_rules(res_type, family):
            return True
        return (
            self._enforce_rule(context, res_type, res_type, scope, target)
            and self._enforce_rule(context, res_type, family, scope, target))

    def _may_have_rules(self, *names):
        """Return whether there may be rules, without reading any.

        Most types have none, unless operators have policies of their own.
        """
        return ('enforcer' in vars(self)
                or any(map(resource_types.is_restricted, names))
                or bool(self._files.paths()))

    def _file_names(self):
        options = self._conf.oslo_policy
        # Where there is none of the first, oslo.policy takes the second.
        yield self._policy_file or options.policy_file
        yield _FORMER_POLICY_FILE
        yield from options.policy_dirs

    def enforce_stack(self, stack, scope=None, target=None,
                      is_registered_policy=False):
        """Enforce the types of all resources of a stack.

        These are the types in its template and those that they are mapped to.
        """
        for resource in stack.resources.values():
            for name in sorted(stack.env.policy_names(resource.type(),
                                                      resource.name)):
                self.enforce(stack.context, name, scope=scope,
                             target=target)


def get_policy_enforcer():
    """Return an oslo.policy enforcer, for the tools of oslo.policy."""
    # The tools call this before any configuration has been read.
    CONF([], project='heat')
    return get_enforcer().enforcer


@functools.cache
def get_enforcer():
    """Return the enforcer of this process."""
    return Enforcer()


@functools.cache
def get_resource_enforcer():
    """Return the enforcer of resource types of this process."""
    return ResourceEnforcer()


def type_guard(context):
    """Return a function that raises Forbidden for a type the user may not
    use.
    """
    if context.is_admin and context.user_id is None:
        # The service itself resumes work whose types have been checked.
        return lambda _name: True
    return functools.partial(get_resource_enforcer().enforce, context)


def reset():
    """Forget the enforcers of this process."""
    get_enforcer.cache_clear()
    get_resource_enforcer.cache_clear()
