"""Checks of DNS names and networks."""
import re

import netaddr

from heat.common.i18n import _

DNS_LABEL_MAX_LEN = 63
FQDN_MAX_LEN = 255

_LABEL = re.compile(r'^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$')


def is_prefix_subset(orig_prefixes, new_prefixes):
    """Return whether every original prefix lies in the new ones."""
    return netaddr.IPSet(orig_prefixes).issubset(
        netaddr.IPSet(new_prefixes))


def validate_dns_format(data):
    """Raise ValueError unless data is a DNS name, relative or absolute."""
    if not data:
        return
    name = data[:-1] if data.endswith('.') else data
    if len(name) > FQDN_MAX_LEN:
        raise ValueError(
            _("'%(data)s' exceeds the %(limit)s characters of a DNS name")
            % {'data': data, 'limit': FQDN_MAX_LEN})
    labels = name.split('.')
    for label in labels:
        _validate_label(data, label)
    if data.endswith('.') and labels[-1].isdigit():
        raise ValueError(
            _("'%(data)s' ends in the number %(label)s, which cannot be a "
              "top level domain") % {'data': data, 'label': labels[-1]})


def _validate_label(data, label):
    if not label:
        problem = _('has an empty label')
    elif len(label) > DNS_LABEL_MAX_LEN:
        problem = _('has a label of more than %s characters'
                    ) % DNS_LABEL_MAX_LEN
    elif not _LABEL.match(label):
        problem = _('has the label "%s"; letters, digits and, inside, '
                    'hyphens are allowed') % label
    else:
        return
    raise ValueError(_("'%(data)s' is no DNS name: it %(problem)s")
                     % {'data': data, 'problem': problem})
