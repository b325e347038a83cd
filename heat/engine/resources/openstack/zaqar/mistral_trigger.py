"""Subscriptions by which messages of Zaqar run workflows of Mistral."""
import collections.abc
import json

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.zaqar import subscription

#: Where a workflow finds the message, and what stands for it in requests.
_ENVIRONMENT, _NOTIFICATION = 'env', 'notification'
_MESSAGE = '$zaqar_message$'


class MistralTrigger(subscription.ZaqarSubscription):
    """A subscription that runs a workflow of Mistral for each message.

    The workflow receives the message in ``env().notification``. The key
    ``env`` of ``params`` adds variables to the environment.
    """

    type_name = 'OS::Zaqar::MistralTrigger'
    support_status = support.SupportStatus(version='8.0.0')

    PROPERTIES = (
        QUEUE_NAME, WORKFLOW_ID, PARAMS, INPUT, TTL,
    ) = (
        subscription.ZaqarSubscription.QUEUE_NAME, 'workflow_id', 'params',
        'input', subscription.ZaqarSubscription.TTL,
    )

    properties_schema = {
        QUEUE_NAME: properties.string(
            _('Queue whose messages start the workflow.'),
            required=True,
            constraints=[constraints.CustomConstraint('zaqar.queue')]),
        WORKFLOW_ID: properties.string(
            _('Workflow, by name or ID.'),
            required=True, update_allowed=True,
            constraints=[constraints.CustomConstraint('mistral.workflow')]),
        PARAMS: properties.map(
            _('Parameters of the executions.'),
            default={}, update_allowed=True),
        INPUT: properties.map(
            _('Input of the executions.'),
            default={}, update_allowed=True),
        TTL: subscription.ZaqarSubscription.properties_schema[
            subscription.ZaqarSubscription.TTL],
    }

    def validate(self):
        """Check that the environment is a map."""
        problem = super().validate()
        environment = (self.properties[self.PARAMS] or {}).get(_ENVIRONMENT)
        if environment is not None and not isinstance(
                environment, collections.abc.Mapping):
            raise exception.StackValidationFailed(
                path=[self.stack.t.get_section_name('resources'), self.name,
                      self.stack.t.RES_PROPERTIES, self.PARAMS,
                      _ENVIRONMENT],
                message=_('The environment of a workflow must be a map'))
        return problem

    def _validate_subscriber(self):
        """Leave the subscriber alone: it is Mistral."""

    def _request(self, props):
        plugin = self.client_plugin('mistral')
        workflow = plugin.get_workflow_by_identifier(
            props[self.WORKFLOW_ID])
        params = dict(props[self.PARAMS] or {})
        params[_ENVIRONMENT] = {_NOTIFICATION: _MESSAGE,
                                **(params.get(_ENVIRONMENT) or {})}
        return {'subscriber': 'trust+' + plugin.executions_url,
                'ttl': props[self.TTL],
                'options': {'post_data': json.dumps({
                    self.WORKFLOW_ID: workflow.id,
                    self.PARAMS: params,
                    self.INPUT: props[self.INPUT] or {}})}}

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return what the service says by the names of properties."""
        found = {self.TTL: resource_data.get(self.TTL)}
        options = resource_data.get('options') or {}
        sent = json.loads(options.get('post_data') or '{}')
        for name in (self.WORKFLOW_ID, self.PARAMS, self.INPUT):
            if name in sent:
                found[name] = sent[name]
        environment = found.get(self.PARAMS, {}).get(_ENVIRONMENT, {})
        if environment.get(_NOTIFICATION) == _MESSAGE:
            del environment[_NOTIFICATION]
            if not environment:
                del found[self.PARAMS][_ENVIRONMENT]
        return found
