"""What is logged of URLs."""
import pytest

from heat.common import safe_url


@pytest.mark.parametrize(('url', 'logged'), [
    ('/v1/p/stacks?limit=3&name=x', '/v1/p/stacks?limit=3&name=x'),
    ('/v1/signal/x?AWSAccessKeyId=a&Signature=b%3D&Timestamp=t',
     '/v1/signal/x?AWSAccessKeyId=***&Signature=***&Timestamp=t'),
    ('/?X-Amz-Signature=a&X-Amz-Credential=b&X-Amz-Security%2DToken=c',
     '/?X-Amz-Signature=***&X-Amz-Credential=***&X-Amz-Security%2DToken=***'),
    ('https://me:pw@host/x?temp_url_sig=s&temp_url_expires=1',
     'https://***@host/x?temp_url_sig=***&temp_url_expires=1'),
    ('https://host/a@b', 'https://host/a@b'),
    ('/x?token=&flag', '/x?token=&flag'),
    ('', ''),
])
def test_secrets_are_masked(url, logged):
    assert safe_url.masked(url) == logged
