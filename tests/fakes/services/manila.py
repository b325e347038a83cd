"""A service of shared file systems in memory."""
from tests.fakes import rest_service


class Shares(rest_service.RestService):
    """Manila in memory.

    :ivar rules: {id: access rule}, all of one share.
    :ivar rule_states: that a new rule goes through.
    :ivar services: ids of the security services of the share network.
    """

    COLLECTIONS = {
        '/shares': ('share', 'shares', 'id'),
        '/share-networks': ('share_network', 'share_networks', 'id'),
        '/security-services': ('security_service', 'security_services',
                               'id'),
        '/snapshots': ('snapshot', 'snapshots', 'id'),
        '/types': ('share_type', 'share_types', 'id')}

    def __init__(self):
        super().__init__()
        self.rules, self.services = {}, set()
        self.rule_states = ['queued_to_apply', 'active']

    def act(self, method, path, body, query):
        if path == '/security-services' and 'share_network_id' in query:
            return self.ok({'security_services': [
                {'id': each, 'name': each} for each in self.services]})
        if path == '/share-access-rules':
            return self.ok({'access_list': self._shown_rules()})
        if self.match('/shares/[^/]+/export_locations', path):
            return self.ok({'export_locations': [{'path': '10.0.0.9:/it'}]})
        if self.match('/shares/[^/]+/metadata', path):
            self.things['/shares'][path.split('/')[2]]['metadata'] = (
                body['metadata'])
            return self.ok(body)
        if self.match('/shares/[^/]+/action', path):
            return self._act_on_share(body)
        if self.match('/share-networks/[^/]+/action', path):
            return self._act_on_network(body)
        return self._act_on_specs(method, path, body)

    def _shown_rules(self):
        for its_id, rule in list(self.rules.items()):
            if not rule['next']:
                continue
            rule['state'] = rule['next'].pop(0)
            if rule['state'] == 'gone':
                del self.rules[its_id]
        return list(self.rules.values())

    def _act_on_share(self, body):
        if 'allow_access' in body:
            given = body['allow_access']
            assert not any(rule['access_to'] == given['access_to']
                           for rule in self.rules.values())
            its_id = 'rule-%d' % len(self.log)
            self.rules[its_id] = {'id': its_id, **given,
                                  'next': list(self.rule_states)}
            return self.ok({'access': self.rules[its_id]})
        rule = self.rules[body['deny_access']['access_id']]
        rule['next'] = ['denying', 'gone']
        return self.ok(status=202)

    def _act_on_network(self, body):
        [(verb, given)] = body.items()
        change = (self.services.add if verb == 'add_security_service'
                  else self.services.remove)
        change(given['security_service_id'])
        return self.ok({'share_network': {}})

    def _act_on_specs(self, method, path, body):
        found = self.match('/types/([^/]+)/extra_specs/?(.*)', path)
        if found is None:
            return None
        specs = self.things['/types'][found[1]]['extra_specs']
        if method == 'DELETE':
            del specs[found[2]]
            return self.ok(status=202)
        specs.update(body['extra_specs'])
        return self.ok(body)
