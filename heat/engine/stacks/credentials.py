"""Credentials by which a stack acts for its owner after the request.

A row of user_creds keeps who created a root stack. Whether it holds a
trust, a password or neither depends on how requests authenticate; the
calls to Keystone go through the keystone client plugin.
"""
from collections.abc import Sequence
import http
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import cloud_error
from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine.clients import client_exception
from heat.engine.stacks import interface
from heat.engine.tasks import scheduler
from heat.objects import stack as stack_objects
from heat.objects import transaction
from heat.objects import user_creds as creds_objects

LOG = logging.getLogger(__name__)

#: How often deleting a trust of no use is tried, and the seconds in between.
_WITHDRAWALS = 120
_WITHDRAWAL_INTERVAL = 5

KEYSTONE = 'keystone'


def has_keystone(context: heat_context.RequestContext) -> bool:
    """Return whether the request was authenticated by Keystone.

    Otherwise (noauth, embedded) there is nobody who could trust us, and
    nothing that would need a trust.
    """
    by_password = (context.auth_token and context.password and
                   context.auth_url)
    return bool(context.auth_token_info or context.trust_id or by_password)


def _keystone(context: heat_context.RequestContext) -> Any:
    return context.clients.sdk(KEYSTONE)


def store(stack: interface.Stack) -> int | None:
    """Return the id of the stack's credentials, storing them if needed.

    Only database effects, to be called inside a transaction; a trust has
    been made before (see prepare()).
    """
    if stack.user_creds_id is not None or stack.owner_id is not None:
        return stack.user_creds_id
    return creds_objects.UserCreds.create(_acting(stack)).id


def store_all(context: heat_context.RequestContext,
              stacks: Sequence[interface.Stack]) -> None:
    """Store credentials of new root stacks, and note their ids.

    Only database effects, but for the ids; see store(). Those that share()
    has given have been stored with another stack.
    """
    own = [stack for stack in stacks
           if not stack.shares_credentials]
    if not own:
        return
    ids = creds_objects.UserCreds.create_many(context,
                                              [_acting(one) for one in own])
    for stack, creds_id in zip(own, ids, strict=True):
        stack.user_creds_id = creds_id


def share(stack: interface.Stack, creds_id: int | None) -> None:
    """Let a new root stack act by the trust of another, if it has to.

    Who acts by a trust cannot give one. Two rows with one trust would not
    show that another stack still needs it.

    :param creds_id: the credentials of the stack that it is made for
    """
    context = stack.context
    if not context.trust_id or creds_id is None:
        return
    creds = creds_objects.UserCreds.get_by_id(context, creds_id)
    if creds is not None and creds.trust_id == context.trust_id:
        stack.user_creds_id = creds_id
        stack.shares_credentials = True


def _is_shared(stack: interface.Stack) -> bool:
    """Return whether a root stack apart from this one acts by its trust."""
    return stack_objects.Stack.have_credentials(
        stack.context, stack.user_creds_id, besides=stack.id)


def _acting(stack: interface.Stack) -> Any:
    """Return the context whose credentials a new root stack keeps."""
    return getattr(stack, 'trust_context', None) or stack.context


def prepare(stack: interface.Stack) -> None:
    """Make the trust of a root stack, before it is stored.

    :raises MissingCredentialError: the user cannot give one, or passwords
        are to be kept and the request has none, and resources of the stack
        need it.
    """
    context = stack.context
    if (stack.owner_id is not None or stack.user_creds_id is not None
            or not has_keystone(context)):
        return
    if cfg.CONF.deferred_auth_method == 'password':
        _require_password(stack)
        return
    if context.trust_id:
        # The request itself came with a trust; it is kept, not chained.
        return
    stack.trust_context = _trust_of(context, stack)


def _trust_of(context: heat_context.RequestContext, stack: interface.Stack
              ) -> Any:
    """Return a context with a new trust of the user, None without one.

    Keystone lets nobody give a trust who came with a delegation, an EC2
    key for example. What happens within the request's own token can be
    done all the same.
    """
    try:
        return _keystone(context).create_trust_context()
    except client_exception.TrustNotAllowed as error:
        if stack.requires_deferred_auth():
            raise exception.MissingCredentialError(required=_(
                'a token that may create trusts, unlike that of %s')
                % error.kwargs['credential']) from error
        LOG.info('A stack does without a trust: %s', error)
        return None


def withdraw(stack: interface.Stack) -> None:
    """Delete the trust that prepare() made, of a stack that is not stored.
    """
    trusted = getattr(stack, 'trust_context', None)
    if trusted is None:
        return
    stack.trust_context = None
    try:
        _keystone(stack.context).delete_trust(trusted.trust_id)
    except Exception:
        # Why the stack was not stored matters more to the user.
        LOG.exception('Deleting trust %s of a refused stack failed',
                      trusted.trust_id)


def withdraw_task(stack: interface.Stack, stack_id: str
                  ) -> scheduler.TaskGenerator[None]:
    """A task to delete the trust of a stack that could not be stored.

    The stack may have been stored without an answer; then it needs the
    trust. A database or a Keystone that is away is waited for.
    """
    trusted = getattr(stack, 'trust_context', None)
    if trusted is None:
        return
    for _attempt in range(_WITHDRAWALS):
        yield _WITHDRAWAL_INTERVAL
        try:
            if stack_objects.Stack.get_by_id(
                    stack.context, stack_id, show_deleted=True) is None:
                _keystone(stack.context).delete_trust(trusted.trust_id)
            return
        except Exception as error:  # noqa: BLE001 (tried again)
            LOG.info('Deleting trust %s of a stack that was not stored '
                     'failed: %s', trusted.trust_id, error)


def _require_password(stack: interface.Stack) -> None:
    if not stack.requires_deferred_auth():
        return
    for header, value in (('X-Auth-User', stack.context.username),
                          ('X-Auth-Key', stack.context.password)):
        if not value:
            raise exception.MissingCredentialError(required=header)


def renew(stack: interface.Stack, wanted: interface.Stack) -> None:
    """Let a stack act for who changes it now, not for who did before.

    Whoever changes it may do what its definition needs; who made it may
    have left. Nested stacks share the row, and thus follow.

    :param wanted: the stack as it is to be.
    :raises MissingCredentialError: see prepare().
    """
    context = stack.context
    if (stack.owner_id is not None or stack.user_creds_id is None
            or not has_keystone(context) or context.trust_id):
        return
    old = creds_objects.UserCreds.get_by_id(context, stack.user_creds_id)
    if old is None or ((old.trust_id or old.password) and
                       old.trustor_user_id == context.user_id):
        return
    if cfg.CONF.deferred_auth_method == 'trusts':
        new = _trust_of(context, wanted)
        if new is None:
            return
    elif context.password:
        new = context
    else:
        return
    LOG.info('Stack %s acts for another user from now on', stack.id)
    if _is_shared(stack):
        _separate(stack, wanted, new)
        return
    acting = stored_context(stack)
    creds_objects.UserCreds.update_by_id(stack.user_creds_id, new)
    if old.trust_id:
        try:
            # Only who gave a trust may take it back.
            _keystone(acting).delete_trust(old.trust_id)
        except Exception:
            LOG.exception('Deleting the former trust of stack %s failed',
                          stack.id)


def _separate(stack: interface.Stack, wanted: interface.Stack, acting: Any
              ) -> None:
    """Give a root stack, and those inside it, credentials of their own.

    :param acting: the context whose credentials these are
    """
    context = stack.context

    def write() -> int:
        new = creds_objects.UserCreds.create(acting)
        stack_objects.Stack.replace_credentials(
            context, stack.id, stack.user_creds_id, new.id)
        return new.id

    stack.user_creds_id = transaction.run(context, write)
    wanted.user_creds_id = stack.user_creds_id


def outlast_token(stack: interface.Stack) -> None:
    """Let an operation of a stack go on when the request's token expires.

    From here on its context acts by the trust of the stack, if operators
    want that, and if whoever asks is who gave the trust.
    """
    context = stack.context
    if (cfg.CONF.reauthentication_auth_method != 'trusts' or
            context.trust_id or stack.user_creds_id is None):
        return
    creds = creds_objects.UserCreds.get_by_id(context, stack.user_creds_id)
    if (creds is not None and creds.trust_id and
            creds.trustor_user_id == context.user_id):
        context.act_by_trust(creds.trust_id, creds.trustor_user_id)


def stored_context(stack: interface.Stack) -> Any:
    """Return a context that acts for the owner of a stack."""
    creds = None
    if stack.user_creds_id is not None:
        creds = creds_objects.UserCreds.get_by_id(
            stack.context, stack.user_creds_id)
    if creds is None:
        return stack.context
    return heat_context.StoredContext.from_dict({
        'request_id': stack.context.request_id,
        'is_admin': False,
        'username': creds.username,
        'user_id': creds.trustor_user_id,
        'password': creds.password,
        'project_name': creds.tenant,
        'project_id': creds.tenant_id,
        'trust_id': creds.trust_id,
        'trustor_user_id': creds.trustor_user_id,
        'auth_url': creds.auth_url,
        'region_name': creds.region_name,
        'show_deleted': stack.context.show_deleted,
    })


def create_stack_user_project(stack: interface.Stack) -> None:
    """Ensure that a stack has the project that holds its users.

    All stacks of a tree share the project of the root.

    :raises EntityNotFound: the root has been deleted.
    """
    if stack.stack_user_project_id is not None:
        return
    root_id = stack.root_stack_id()
    project_id = (_stored_project(stack.context, root_id) or
                  _new_project(stack.context, root_id))
    if stack.id == root_id:
        stack.stack_user_project_id = project_id
    else:
        stack.set_stack_user_project_id(project_id)


def _stored_project(context: heat_context.RequestContext, stack_id: str
                    ) -> str | None:
    """Return the project in the row of a stack, None without one.

    :raises EntityNotFound: there is no such stack.
    """
    row = stack_objects.Stack.get_by_id(context, stack_id)
    if row is None:
        raise exception.EntityNotFound(entity='Stack', name=stack_id)
    return row.stack_user_project_id


def _new_project(context: heat_context.RequestContext, root_id: str
                 ) -> str | None:
    """Make the project of a tree, unless another engine was faster."""
    keystone = _keystone(context)
    made: str = keystone.create_stack_domain_project(root_id)
    if stack_objects.Stack.select_and_update(
            context, root_id, {'stack_user_project_id': made},
            {'stack_user_project_id': None}):
        return made
    stored = _stored_project(context, root_id)
    if stored != made:
        keystone.delete_stack_domain_project(project_id=made)
    return stored


def release(stack: interface.Stack) -> list[str]:
    """Give back the trust and the project of a stack that is going away.

    A nested stack leaves them to those above it that have the same, and a
    root stack its trust to another that acts by it.
    Return the reasons of what could not be given back.
    """
    reasons = []
    # Without its trust the stack may have nobody left to act for it.
    for what, undo in ((_('project'), _delete_project),
                       (_('trust'), _delete_trust)):
        try:
            undo(stack)
        except Exception as error:
            LOG.exception('Deleting the %s of stack %s failed', what,
                          stack.id)
            reasons.append(_('Error deleting %(what)s: %(error)s') % {
                'what': what, 'error': error})
    return reasons


def _delete_trust(stack: interface.Stack) -> None:
    if stack.owner_id is not None or stack.user_creds_id is None:
        return
    creds = creds_objects.UserCreds.get_by_id(stack.context,
                                              stack.user_creds_id)
    if creds is None or not creds.trust_id or _is_shared(stack):
        return
    # Only who gave a trust may take it back.
    if stack.context.user_id == creds.trustor_user_id:
        try:
            _keystone(stack.context).delete_trust(creds.trust_id)
            return
        except Exception as error:
            # Not so by an EC2 key or an application credential.
            if cloud_error.status_of(error) != http.HTTPStatus.FORBIDDEN:
                raise
    _keystone(stored_context(stack)).delete_trust(creds.trust_id)


def _delete_project(stack: interface.Stack) -> None:
    project_id = stack.stack_user_project_id
    if stack.owner_id is None:
        # A nested stack may have made it since the stack was loaded.
        row = stack_objects.Stack.get_by_id(stack.context, stack.id)
        project_id = row.stack_user_project_id if row else project_id
    elif project_id and _is_of_ancestor(stack, project_id):
        return
    if project_id:
        _keystone(stack.context).delete_stack_domain_project(
            project_id=project_id)


def _is_of_ancestor(stack: interface.Stack, project_id: str) -> bool:
    """Return whether a stack above this one has the same project.

    A stack taken over from OpenStack Heat may have one of its own.
    """
    root = stack_objects.Stack.get_by_id(stack.context,
                                         stack.root_stack_id())
    if root is not None and root.stack_user_project_id == project_id:
        return True
    owner_id = stack.owner_id
    while owner_id is not None:
        owner = stack_objects.Stack.get_by_id(stack.context, owner_id)
        if owner is None:
            return False
        if owner.stack_user_project_id == project_id:
            return True
        owner_id = owner.owner_id
    return False
