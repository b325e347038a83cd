"""Looking at the members of a group, a resource with like ones inside."""
from heat.common import exception
from heat.engine import status
from heat.engine import template
from heat.engine import template_files
from heat.engine.stacks import template_store
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects

R = status.ResourceStatus


class GroupInspector:
    """The members of a group as the database has them.

    :param group_identity: identifier of the nested stack, None when the
        group has none yet.
    """

    def __init__(self, context, rpc_client, group_identity):
        # The client is part of the signature plugins know; the members
        # are read from the database.
        self._context = context
        self._identity = group_identity
        self._members = None
        self._template = None

    @classmethod
    def from_parent_resource(cls, parent_resource):
        """Return an inspector of the group that a resource is."""
        return cls(parent_resource.context, None,
                   parent_resource.nested_identifier())

    def _rows(self):
        """Return the rows of the members, those to be dropped first first.
        """
        if self._members is None:
            rows = []
            if self._identity is not None:
                rows = resource_objects.Resource.get_summaries(
                    self._context, self._identity.stack_id)
            self._members = sorted(
                (row for row in rows if self._is_member(row)),
                key=_importance)
        return self._members

    def _is_member(self, row):
        """Return whether a row stands for a member: not one on its way out.

        What an interrupted or failed create has left is deleted before it is
        made anew. It remains a member meanwhile.
        """
        if row.replaced_by is not None:
            return False
        if row.action != R.DELETE:
            return True
        # The template of a legacy stack, whose rows belong to no template,
        # names what is being deleted until it is gone.
        return (row.status == R.IN_PROGRESS and
                row.current_template_id is not None and
                self._is_wanted(row.name))

    def _is_wanted(self, name):
        """Return whether the group is to have a member of a name."""
        tmpl = self.template()
        return tmpl is not None and name in tmpl.resource_definitions(None)

    def size(self, include_failed):
        """Count the members."""
        return sum(1 for _name in self.member_names(include_failed))

    def member_names(self, include_failed):
        """Yield the names, failed ones first, then by age."""
        for row in self._rows():
            if include_failed or row.status != R.FAILED:
                yield row.name

    def template(self):
        """Return the template of the group, or None when there is none."""
        if self._template is None and self._identity is not None:
            row = stack_objects.Stack.get_by_id(self._context,
                                                self._identity.stack_id)
            if row is not None:
                self._template = template_store.load(self._context,
                                                     row.raw_template_id)
        return self._template


def _importance(row):
    return row.status != R.FAILED, row.created_at, row.name


def get_size(group, include_failed=False):
    """Count the members of a group."""
    return GroupInspector.from_parent_resource(group).size(include_failed)


def get_members(group, include_failed=False):
    """Return the members, those to be dropped first in front."""
    nested = group.nested()
    if nested is None:
        return []
    members = [res for res in nested.values()
               if res.action not in (R.INIT, R.DELETE)
               and (include_failed or res.status != R.FAILED)]
    return sorted(members, key=lambda res: (
        res.status != R.FAILED, res.created_time, res.name))


def get_member_names(group):
    """Return the names of the members that have not failed."""
    return [res.name for res in get_members(group)]


def get_member_refids(group):
    """Return the reference ids of the members that have not failed."""
    return [res.FnGetRefId() for res in get_members(group)]


def get_member_definitions(group, include_failed=False):
    """Return (name, definition) of the members, least important first."""
    inspector = GroupInspector.from_parent_resource(group)
    nested = group.nested()
    if nested is None:
        return []
    return [(name, nested.defn.resource_definition(name))
            for name in inspector.member_names(include_failed)
            if name in nested]


def get_resource(stack, resource_name, use_indices, key=None):
    """Return a member of a nested stack by its name or its place."""
    nested = stack.nested()
    try:
        if use_indices:
            return get_members(stack)[int(resource_name)]
        return nested[resource_name]
    except (IndexError, KeyError, TypeError, ValueError):
        raise exception.NotFound(
            'Member %s not found in group resource %s.' % (
                resource_name, stack.name)) from None


def get_rsrc_id(stack, key, use_indices, resource_name):
    """Return the reference id of a member, '' when it is not there."""
    try:
        return get_resource(stack, resource_name, use_indices,
                            key).FnGetRefId()
    except exception.NotFound as error:
        raise _invalid_attribute(stack, key) from error


def get_rsrc_attr(stack, key, use_indices, resource_name, *attr_path):
    """Return an attribute of a member."""
    if stack.nested() is None:
        return None
    try:
        member = get_resource(stack, resource_name, use_indices, key)
    except exception.NotFound as error:
        raise _invalid_attribute(stack, key) from error
    return member.FnGetAtt(*attr_path)


def _invalid_attribute(stack, key):
    return exception.InvalidTemplateAttribute(resource=stack.name, key=key)


def get_nested_attrs(stack, key, use_indices, *path):
    """Return what `resource.<member>[.<attribute>]` names."""
    path = (*key.split('.', 2)[1:], *path)
    if len(path) > 1:
        return get_rsrc_attr(stack, key, use_indices, *path)
    return get_rsrc_id(stack, key, use_indices, *path)


def get_child_template_files(context, stack, is_rolling_update,
                             old_template_id):
    """Return the files for the members of a group.

    During a rolling update the members not yet reached are still defined
    with the files of the old template.
    """
    if not is_rolling_update or old_template_id is None:
        return stack.t.files
    old = template.Template.load(context, old_template_id)
    return template_files.TemplateFiles({**old.files, **stack.t.files})
