"""OS::Heat::ResourceGroup: a number of like resources."""
import itertools

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import grouputils
from heat.engine import output
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine import scheduler
from heat.engine import support
from heat.engine.resources import stack_resource
from heat.scaling import rolling_update
from heat.scaling import steps
from heat.scaling import template as scl_template
from heat.scaling import values

#: Key of the resource data that keeps the names not to be used.
_SKIPLIST_KEY = 'name_blacklist'


class ResourceGroup(stack_resource.StackResource):
    """A group of identically configured resources.

    Each member is a copy of ``resource_def`` in which every occurrence
    of ``index_var`` is replaced with the index of the member. Members
    are numbered from 0. When the group shrinks, the members with the
    highest indices are removed first, unless ``removal_policies``
    specifies others. The index of a removed member is not reused.

    An attribute of the members is available as a list with one value
    for each member under the name of the attribute, for a single member
    as ``resource.<number>.<attribute>``, and as a map with
    ``attributes.<attribute>``.
    """

    support_status = support.SupportStatus(version='2014.1')
    handlers_only_begin = True

    PROPERTIES: tuple[str, ...]
    ATTRIBUTES: tuple[str, ...]
    PROPERTIES = (
        COUNT, INDEX_VAR, RESOURCE_DEF, REMOVAL_POLICIES,
        REMOVAL_POLICIES_MODE,
    ) = (
        'count', 'index_var', 'resource_def', 'removal_policies',
        'removal_policies_mode',
    )

    _RESOURCE_DEF_KEYS = (
        RESOURCE_DEF_TYPE, RESOURCE_DEF_PROPERTIES, RESOURCE_DEF_METADATA,
    ) = (
        'type', 'properties', 'metadata',
    )

    _REMOVAL_POLICIES_KEYS = (
        REMOVAL_RSRC_LIST,
    ) = (
        'resource_list',
    )

    _REMOVAL_POLICY_MODES = (
        REMOVAL_POLICY_APPEND, REMOVAL_POLICY_UPDATE,
    ) = (
        'append', 'update',
    )

    _ROLLING_UPDATES_SCHEMA_KEYS = (
        MIN_IN_SERVICE, MAX_BATCH_SIZE, PAUSE_TIME,
    ) = (
        'min_in_service', 'max_batch_size', 'pause_time',
    )

    _BATCH_CREATE_SCHEMA_KEYS = (
        MAX_BATCH_SIZE, PAUSE_TIME,
    )

    _UPDATE_POLICY_SCHEMA_KEYS = (
        ROLLING_UPDATE, BATCH_CREATE,
    ) = (
        'rolling_update', 'batch_create',
    )

    ATTRIBUTES = (
        REFS, REFS_MAP, ATTR_ATTRIBUTES, REMOVED_RSRC_LIST,
    ) = (
        'refs', 'refs_map', 'attributes', 'removed_rsrc_list',
    )

    properties_schema = {
        COUNT: properties.Schema(
            properties.Schema.INTEGER,
            _('Number of members to create.'),
            default=1,
            constraints=[constraints.Range(min=0)],
            update_allowed=True),
        INDEX_VAR: properties.Schema(
            properties.Schema.STRING,
            _('Placeholder that is replaced with the index of the member in '
              'the properties of `resource_def`.'),
            default='%index%',
            constraints=[constraints.Length(min=3)],
            support_status=support.SupportStatus(version='2014.2')),
        RESOURCE_DEF: properties.Schema(
            properties.Schema.MAP,
            _('Definition of a member, as in the resources section of a '
              'template.'),
            schema={
                RESOURCE_DEF_TYPE: properties.Schema(
                    properties.Schema.STRING,
                    _('Resource type of the members.'),
                    required=True),
                RESOURCE_DEF_PROPERTIES: properties.Schema(
                    properties.Schema.MAP,
                    _('Property values of the members.')),
                RESOURCE_DEF_METADATA: properties.Schema(
                    properties.Schema.MAP,
                    _('Metadata of the members.'),
                    support_status=support.SupportStatus(version='5.0.0')),
            },
            required=True,
            update_allowed=True),
        REMOVAL_POLICIES: properties.Schema(
            properties.Schema.LIST,
            _('Policy for removing members when the group is updated.'),
            schema=properties.Schema(
                properties.Schema.MAP,
                _('Members to remove.'),
                schema={
                    REMOVAL_RSRC_LIST: properties.Schema(
                        properties.Schema.LIST,
                        _('Indices or reference IDs of the members to remove. '
                          'With an empty list the group chooses.'),
                        default=[]),
                }),
            update_allowed=True,
            default=[],
            support_status=support.SupportStatus(version='2015.1')),
        REMOVAL_POLICIES_MODE: properties.Schema(
            properties.Schema.STRING,
            _('Whether the members to remove are added to those removed '
              'before (append) or replace them (update), so that removed '
              'indices can be used again.'),
            constraints=[constraints.AllowedValues(_REMOVAL_POLICY_MODES)],
            default=REMOVAL_POLICY_APPEND,
            update_allowed=True,
            support_status=support.SupportStatus(version='10.0.0')),
    }

    attributes_schema = {
        REFS: attributes.Schema(
            _('List of the reference IDs of the members.'),
            type=attributes.Schema.LIST),
        REFS_MAP: attributes.Schema(
            _('Reference IDs of the members, by the index of the member.'),
            type=attributes.Schema.MAP,
            support_status=support.SupportStatus(version='7.0.0')),
        ATTR_ATTRIBUTES: attributes.Schema(
            _('Values of the attribute that the path names, by the reference '
              'ID of the member.'),
            support_status=support.SupportStatus(version='2014.2'),
            type=attributes.Schema.MAP),
        REMOVED_RSRC_LIST: attributes.Schema(
            _('Indices of the members that were removed.'),
            support_status=support.SupportStatus(version='7.0.0'),
            type=attributes.Schema.LIST),
    }

    rolling_update_schema = {
        MIN_IN_SERVICE: properties.Schema(
            properties.Schema.INTEGER,
            _('Minimum number of members in service during an update.'),
            constraints=[constraints.Range(min=0)],
            default=0),
        MAX_BATCH_SIZE: properties.Schema(
            properties.Schema.INTEGER,
            _('Maximum number of members created or updated at once.'),
            constraints=[constraints.Range(min=1)],
            default=1),
        PAUSE_TIME: properties.Schema(
            properties.Schema.NUMBER,
            _('Pause between batches in seconds.'),
            constraints=[constraints.Range(min=0)],
            default=0),
    }

    batch_create_schema = {
        MAX_BATCH_SIZE: rolling_update_schema[MAX_BATCH_SIZE],
        PAUSE_TIME: rolling_update_schema[PAUSE_TIME],
    }

    update_policy_schema = {
        ROLLING_UPDATE: properties.Schema(
            properties.Schema.MAP,
            schema=rolling_update_schema,
            support_status=support.SupportStatus(version='5.0.0')),
        BATCH_CREATE: properties.Schema(
            properties.Schema.MAP,
            schema=batch_create_schema,
            support_status=support.SupportStatus(version='5.0.0')),
    }

    #: What is left of a creation that another engine began.
    _remaining = None

    # -- names --------------------------------------------------------------

    def get_size(self):
        """Return how many members there shall be."""
        return self.properties.get(self.COUNT)

    def _current_skiplist(self):
        """Return the numbers that are not to be used, as stored."""
        stored = self.data().get(_SKIPLIST_KEY)
        return stored.split(',') if stored else []

    def _name_skiplist(self):
        """Return the numbers that are not to be used."""
        return set(self._current_skiplist())

    def _update_name_skiplist(self, properties):
        """Store the numbers that the removal policies of a group name."""
        current = self._name_skiplist()
        named = set(self._names_to_remove(properties))
        if properties[self.REMOVAL_POLICIES_MODE] == (
                self.REMOVAL_POLICY_UPDATE):
            wanted = named
        else:
            wanted = current | named
        if wanted != current:
            self.data_set(_SKIPLIST_KEY, ','.join(sorted(wanted)))

    def _names_to_remove(self, properties):
        """Yield the names that policies give by name or reference id."""
        entries = [str(entry)
                   for policy in properties[self.REMOVAL_POLICIES] or ()
                   for entry in policy[self.REMOVAL_RSRC_LIST] or ()]
        if not entries:
            return
        nested = self.nested()
        for entry in entries:
            if nested is None or entry in nested:
                yield entry
                continue
            member = nested.resource_by_refid(entry)
            if member is not None:
                yield member.name

    def _resource_names(self, size=None):
        """Yield the names of so many members, by default of all."""
        skipped = self._name_skiplist()
        names = (str(number) for number in itertools.count())
        return itertools.islice(
            (name for name in names if name not in skipped),
            self.get_size() if size is None else size)

    # -- definitions --------------------------------------------------------

    def get_resource_def(self, include_all=False):
        """Return the definition of a member, the index not yet in place.

        :param include_all: keep properties that are null, as validation
            wants to see them.
        """
        given = self.properties[self.RESOURCE_DEF]
        props = given[self.RESOURCE_DEF_PROPERTIES]
        if props is not None and not include_all:
            props = {name: value for name, value in props.items()
                     if value is not None}
        return rsrc_defn.ResourceDefinition(
            None, given[self.RESOURCE_DEF_TYPE], props,
            given[self.RESOURCE_DEF_METADATA])

    def build_resource_definition(self, res_name, res_defn):
        """Return the definition of one member."""
        raw = res_defn.render_hot()
        return rsrc_defn.ResourceDefinition(
            res_name, res_defn.resource_type,
            self._handle_repl_val(res_name, raw.get('properties')),
            self._handle_repl_val(res_name, raw.get('metadata')))

    def _handle_repl_val(self, res_name, val):
        """Return a value with the index in place of the index variable."""
        if isinstance(val, str):
            return val.replace(self.properties[self.INDEX_VAR], res_name)
        if isinstance(val, dict):
            return {key: self._handle_repl_val(res_name, item)
                    for key, item in val.items()}
        if isinstance(val, (list, tuple)):
            return [self._handle_repl_val(res_name, item) for item in val]
        return val

    def res_def_changed(self, prop_diff):
        """Return whether an update changes the members."""
        return self.RESOURCE_DEF in prop_diff

    # -- the nested template ------------------------------------------------

    def child_template(self):
        """Return the template of all members."""
        return self._assemble_nested(self._resource_names())

    def child_params(self):
        """Return the parameters: there are none."""
        return {}

    def child_template_files(self, child_env):
        """Return the files, during a rolling update also the old ones."""
        is_rolling = bool(self.update_policy.get(self.ROLLING_UPDATE))
        return grouputils.get_child_template_files(
            self.context, self.stack, is_rolling, self.old_template_id)

    def _assemble_nested(self, names, include_all=False,
                         template_version=('heat_template_version',
                                           '2015-04-30')):
        definition = self.get_resource_def(include_all)
        return self._with_outputs(scl_template.make_template(
            ((name, self.build_resource_definition(name, definition))
             for name in names), version=template_version))

    def _wanted(self, size, include_all=False):
        """Return {name: definition} of so many members as they shall be."""
        definition = self.get_resource_def(include_all)
        return dict(scl_template.measured(
            (name, self.build_resource_definition(name, definition))
            for name in self._resource_names(size)))

    def _changed(self, wanted):
        """Return the names of members that are not as they shall be.

        What is missing or broken comes first: it serves nobody.
        """
        old = dict(grouputils.get_member_definitions(self,
                                                     include_failed=True))
        healthy = {name for name, _defn in
                   grouputils.get_member_definitions(self)}
        changed = [name for name in wanted if name not in healthy
                   or wanted[name] != old[name]]
        return sorted(changed, key=lambda name: (name in old,
                                                 name in healthy))

    def _assemble_for_rolling_update(self, total_capacity, max_updates,
                                     include_all=False):
        """Return a template in which at most so many members are new."""
        old = dict(grouputils.get_member_definitions(self,
                                                     include_failed=True))
        wanted = self._wanted(total_capacity, include_all)
        renewed = set(self._changed(wanted)[:max_updates])
        return self._with_outputs(scl_template.make_template(
            [(name, defn if name in renewed or name not in old
              else old[name]) for name, defn in wanted.items()]))

    def _with_outputs(self, tmpl):
        """Return the template with the outputs our attributes read."""
        names = list(tmpl.section(tmpl.RESOURCES))
        for defn in self._nested_output_defns(
                names, lambda args: {'get_attr': args},
                lambda res_name: {'get_resource': res_name}):
            tmpl.add_output(defn)
        return tmpl

    def _attribute_output_name(self, *attr_path):
        if attr_path[0] == self.REFS:
            return self.REFS
        return values.output_name(*attr_path)

    def _nested_output_defns(self, resource_names, get_attr_fn, get_res_fn):
        """Yield the outputs for the attributes that somebody refers to."""
        attrs = {self.REFS if values.split(attr)[0] == self.REFS else attr
                 for attr in self.referenced_attrs()}
        yield from values.outputs(attrs, lambda key, path: self._output_value(
            key, path, resource_names, get_attr_fn, get_res_fn))
        # Also what a later reference or a removal policy asks for.
        yield output.OutputDefinition(
            self.REFS_MAP, {name: get_res_fn(name)
                            for name in resource_names})

    def _output_value(self, key, path, names, get_attr_fn, get_res_fn):
        if key in (self.REFS_MAP, self.REMOVED_RSRC_LIST):
            return None
        if key in self.base_attributes_schema:
            return None
        if key == self.REFS:
            return [get_res_fn(name) for name in names]
        if key == self.ATTR_ATTRIBUTES:
            if not path:
                return None
            return {name: get_attr_fn([name, *path]) for name in names}
        if key.startswith(values.MEMBER_PREFIX):
            return values.of_one(key, path, names, get_attr_fn, get_res_fn)
        return [get_attr_fn([name, key, *path]) for name in names]

    # -- validation ---------------------------------------------------------

    def validate_nested_stack(self):
        """Validate one member on behalf of all; none for an empty group."""
        size = self.get_size()
        if not size:
            return
        self._validate_as_nested(
            lambda: scl_template.example(self._nested_for_parameters(), size))
        self._check_wanted(size)
        self.validated_size *= size

    def _nested_for_parameters(self):
        """Return the template of one member: all have the same parameters.
        """
        name = next(iter(self._resource_names(1)))
        return self._assemble_nested([name], include_all=True)

    # -- create and update --------------------------------------------------

    def handle_create(self):
        """Begin to create the members, in batches if so wished."""
        self._update_name_skiplist(self.properties)
        policy = self.update_policy.get(self.BATCH_CREATE)
        if policy and self.get_size():
            return steps.begin(self._replace(
                0, policy[self.MAX_BATCH_SIZE], policy[self.PAUSE_TIME]))
        return self.create_with_template(self.child_template(),
                                         self.child_params())

    def check_create_complete(self, checkers=None):
        """Look whether all batches are complete.

        An id in place of the batches is that of the nested stack an engine
        has begun with which is gone: the rest of them is planned anew.
        """
        if isinstance(checkers, str):
            checkers = self._remaining_batches()
        if checkers is None:
            return super().check_create_complete()
        return steps.are_done(checkers)

    def _remaining_batches(self):
        """Return the steps left of a creation; None when it has only one.
        """
        policy = self.update_policy.get(self.BATCH_CREATE)
        if not policy:
            return None
        if self._remaining is None:
            self._remaining = self._replace(
                0, policy[self.MAX_BATCH_SIZE], policy[self.PAUSE_TIME])
        return self._remaining

    def handle_adopt(self, resource_data=None):
        """Begin to adopt members."""
        return self.create_with_template(
            self.child_template(), self.child_params(),
            adopt_data=resource_data)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Begin to update the members, in batches if so wished."""
        if tmpl_diff and tmpl_diff.update_policy_changed():
            self.update_policy = json_snippet.update_policy(
                self.update_policy_schema, self.context)
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        self._update_name_skiplist(self.properties)
        checkers: list[scheduler.TaskRunner] = []
        if prop_diff and self.res_def_changed(prop_diff):
            checkers = self._try_rolling_update() or []
        if not checkers:
            checkers = [scheduler.TaskRunner(
                self._run_to_completion, self.child_template,
                self.stack.timeout_mins)]
        return steps.begin(checkers)

    def check_update_complete(self, cookie=None):
        """Look whether all batches are complete."""
        return steps.are_done(cookie)

    def _try_rolling_update(self):
        """Return the steps of a rolling update, None if none is wished."""
        policy = self.update_policy.get(self.ROLLING_UPDATE)
        if not policy:
            return None
        return self._replace(policy[self.MIN_IN_SERVICE],
                             policy[self.MAX_BATCH_SIZE],
                             policy[self.PAUSE_TIME])

    def _replace(self, min_in_service, batch_size, pause_sec):
        """Return the steps that bring all members up to date."""
        present = [name for name in grouputils.GroupInspector
                   .from_parent_resource(self).member_names(
                       include_failed=True)
                   if name not in self._name_skiplist()]
        wanted = self._wanted(self.get_size())
        batches = rolling_update.batches(
            self.get_size(), len(present),
            len(wanted) - len(self._changed(wanted)), batch_size,
            min_in_service, extras_stay=False)
        return steps.batched(self._run_batch, batches, pause_sec,
                             self.stack.timeout_secs())

    def _run_batch(self, capacity, max_updates, timeout_mins):
        """A task to renew some members."""
        yield from self._run_to_completion(
            lambda: self._assemble_for_rolling_update(capacity, max_updates),
            timeout_mins)

    def _run_to_completion(self, make_template, timeout_mins):
        """A task to bring the nested stack to a template."""
        tmpl = make_template()
        if self.resource_id is None:
            self.create_with_template(tmpl, {}, timeout_mins)
            check = super().check_create_complete
        else:
            self.update_with_template(tmpl, {}, timeout_mins)
            check = super().check_update_complete
        while not check():
            yield

    # -- values -------------------------------------------------------------

    def get_attribute(self, key, *path):
        """Return an attribute of the group or of its members."""
        if key in self.base_attributes_schema:
            return super().get_attribute(key, *path)
        if key == self.REMOVED_RSRC_LIST:
            return self._current_skiplist()
        if key == self.ATTR_ATTRIBUTES and not path:
            raise exception.InvalidTemplateAttribute(resource=self.name,
                                                     key=key)
        if key in (self.REFS, self.REFS_MAP):
            return attributes.select_from_attribute(
                self._stored_or_live(key), path)
        return self._stored_or_live(key, *path)

    def _stored_or_live(self, key, *path):
        """Return what is kept with the group, or found out and kept."""
        name = self._attribute_output_name(key, *path)
        if name in self.attributes.cached_attrs:
            return self.attributes.cached_attrs[name]
        try:
            value = self.get_output(name)
        except exception.NotFound:
            # Nothing referred to it when the nested stack was made.
            value = values.live(self, list(self._resource_names()), key,
                                *path)
        if value is not None:
            self.attributes.set_cached_attr(name, value)
        return value

    def _resolve_attribute(self, name):
        # The others are made only where a template refers to them.
        if name == self.REMOVED_RSRC_LIST:
            return self._current_skiplist()
        return None


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'OS::Heat::ResourceGroup': ResourceGroup,
    }
