"""What is checked before an API starts."""
import pathlib
import re

from oslo_config import cfg
import pytest
import webob

from heat.cmd import pipeline
from heat.common import config
from heat.common import exception
from heat.common import messaging

SHIPPED = pathlib.Path(__file__).parents[3] / 'etc/heat/api-paste.ini'
COMPOSITE = (pathlib.Path(__file__).parents[2] / 'fakes' / 'data' /
             'composite-paste.ini')


@pytest.fixture
def conf():
    """Return a function that makes a configuration of options."""
    def make(flavor=None, paste=SHIPPED, **keystone):
        made = cfg.ConfigOpts()
        made([], project='heat', default_config_files=[],
             default_config_dirs=[])
        config.register_opts(made)
        made.set_override('api_paste_config', str(paste), 'paste_deploy')
        made.set_override('flavor', flavor, 'paste_deploy')
        pipeline.loading.register_auth_conf_options(made, pipeline.KEYSTONE)
        for name, value in keystone.items():
            made.set_override(name, value, pipeline.KEYSTONE)
        return made
    return make


@pytest.fixture
def transport():
    """Let messages stay in this process."""
    messaging.setup('fake://')
    yield
    messaging.cleanup()


@pytest.mark.parametrize('service', ['heat-api', 'heat-api-cfn'])
@pytest.mark.parametrize('flavor', ['standalone', 'custombackend', 'noauth'])
def test_every_flavor_is_there(conf, service, flavor):
    pipeline.check(service, conf(flavor))


@pytest.mark.parametrize(('former', 'section'), [
    ('oslo_middleware:Healthcheck.factory', 'healthcheck'),
    ('oslo_middleware.healthcheck:Healthcheck.factory', 'healthcheck'),
    ('oslo_middleware.ssl:SSLMiddleware.factory', 'http_proxy_to_wsgi'),
    ('oslo_middleware:SSLMiddleware.factory', 'http_proxy_to_wsgi')])
@pytest.mark.usefixtures('transport')
def test_filters_of_earlier_releases_are_loaded(conf, tmp_path, former,
                                                section):
    path = tmp_path / 'paste.ini'
    text, number = re.subn(
        rf'(?<=\[filter:{section}]\npaste.filter_factory = ).*', former,
        SHIPPED.read_text())
    assert number == 1
    path.write_text(text.replace(
        '[filter:healthcheck]', '[filter:healthcheck]\nask_engine = false'))
    app = pipeline.application('heat-api', conf('noauth', paste=path))
    answer = webob.Request.blank('/healthcheck').get_response(app)
    assert answer.status_int == 200
    assert answer.headers['Content-Type'].startswith('text/plain')


def test_unknown_flavor(conf):
    with pytest.raises(exception.Error, match='no pipeline heat-api-none'):
        pipeline.check('heat-api', conf('none'))


def test_tokens_need_a_keystone(conf):
    with pytest.raises(exception.Error,
                       match=r'\[keystone_authtoken\] auth_type .* noauth'):
        pipeline.check('heat-api', conf())


@pytest.mark.parametrize('options', [
    {'auth_type': 'password'}, {'auth_section': 'service'}])
def test_keystone_is_configured(conf, options):
    pipeline.check('heat-api', conf(**options))


def test_keystone_is_configured_in_the_filter(conf, tmp_path):
    path = tmp_path / 'paste.ini'
    path.write_text(SHIPPED.read_text().replace(
        '[filter:authtoken]', '[filter:authtoken]\nauth_type = v3token'))
    pipeline.check('heat-api', conf(paste=path))


@pytest.mark.parametrize('service', ['heat-api', 'heat-api-cfn'])
def test_composites_are_looked_into(conf, service):
    with pytest.raises(exception.Error, match='auth_type is not configured'):
        pipeline.check(service, conf(paste=COMPOSITE))
    pipeline.check(service, conf(paste=COMPOSITE, auth_type='password'))
    pipeline.check(service, conf('standalone', paste=COMPOSITE))


def test_flavor_that_a_composite_lacks(conf, tmp_path):
    path = tmp_path / 'paste.ini'
    path.write_text(COMPOSITE.read_text().replace('noauth = ', 'open = '))
    with pytest.raises(exception.Error,
                       match=r'\[composite:api\].* no pipeline noauth'):
        pipeline.check('heat-api', conf('noauth', paste=path))


def test_other_kinds_of_applications_are_not_looked_into(conf, tmp_path):
    path = tmp_path / 'paste.ini'
    path.write_text('[composite:heat-api]\nuse = egg:Paste#urlmap\n')
    pipeline.check('heat-api', conf(paste=path))


APPLICATION = """
[app:app]
paste.app_factory = heat.common.wsgi:app_factory
heat.app_factory = heat.api.openstack.v1:API
"""


@pytest.mark.parametrize(('text', 'section', 'says'), [
    ('[pipeline:heat-api]\npipeline =\n', 'pipeline:heat-api',
     'has nothing at "pipeline"'),
    ('[pipeline:heat-api]\n', 'pipeline:heat-api', 'names no pipeline'),
    ('[pipeline:heat-api]\npipeline = inner\n[pipeline:inner]\npipeline =',
     'pipeline:inner', 'has nothing at "pipeline"'),
    ('[pipeline:heat-api]\npipeline = one app\n[filter:one]\n'
     'paste.filter_factory =', 'filter:one',
     'has nothing at "paste.filter_factory"'),
    ('[app:heat-api]\npaste.app_factory =\n', 'app:heat-api',
     'has nothing at "paste.app_factory"'),
    ('[app:heat-api]\nuse =\n', 'app:heat-api', 'has nothing at "use"'),
    ('[pipeline:heat-api]\npipeline = heat-api\n', 'pipeline:heat-api',
     'leads to itself'),
    ('[composite:heat-api]\npaste.composite_factory = '
     'heat.api:root_app_factory\n/: other\n[composite:other]\n'
     'paste.composite_factory = heat.api:root_app_factory\n/v1: heat-api\n',
     'composite:heat-api', 'leads to itself'),
    ('[composite:heat-api]\npaste.composite_factory = '
     'heat.api:root_app_factory\n/v1:\n', 'composite:heat-api',
     'has nothing at "/v1"'),
    ('[composite:heat-api]\npaste.composite_factory = '
     'heat.api:root_app_factory\n', 'composite:heat-api',
     'names no application for any path')])
def test_section_that_cannot_serve_is_named(conf, tmp_path, text, section,
                                            says):
    path = tmp_path / 'paste.ini'
    path.write_text(text + APPLICATION)
    with pytest.raises(exception.Error) as caught:
        pipeline.check('heat-api', conf(paste=path))
    assert str(caught.value) == f'[{section}] in {path} {says}'


def test_empty_pipeline_of_a_composite(conf, tmp_path):
    path = tmp_path / 'paste.ini'
    path.write_text('[composite:heat-api]\npaste.composite_factory = '
                    'heat.api:pipeline_factory\nnoauth =\n')
    with pytest.raises(exception.Error, match='has no pipeline default'):
        pipeline.check('heat-api', conf(paste=path))
    path.write_text(path.read_text().replace('noauth', 'default'))
    with pytest.raises(exception.Error, match=(
            r'\[composite:heat-api\]: The pipeline default, which .* asks '
            'for, is empty')):
        pipeline.check('heat-api', conf(paste=path))


def test_filters_of_inner_pipelines_are_looked_at(conf, tmp_path):
    path = tmp_path / 'paste.ini'
    path.write_text('[pipeline:heat-api]\npipeline = inner\n'
                    '[pipeline:inner]\npipeline = authtoken app\n'
                    '[filter:authtoken]\npaste.filter_factory = '
                    'keystonemiddleware.auth_token:filter_factory\n'
                    + APPLICATION)
    with pytest.raises(exception.Error, match='auth_type is not configured'):
        pipeline.check('heat-api', conf(paste=path))
