"""Software configs as the engine keeps them."""
from oslo_config import cfg
import pytest

from heat.common import exception
from heat.engine.software import configs
from heat.objects import software_config as config_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack


@pytest.fixture
def context():
    database.emptied_sqlite()
    return fake_stack.context(project_id='project')


def create(context, **changes):
    return configs.create(context, **{
        'group': 'script', 'name': 'n', 'config': 'text', **changes})


def test_config_is_kept_as_it_was_given(context):
    row = configs.get(context, create(
        context, inputs=[{'name': 'i', 'default': 1}],
        outputs=[{'name': 'o'}], options={'k': 'v'}).id)
    assert (row.name, row.group, row.tenant) == ('n', 'script', 'project')
    assert configs.part(row, 'config') == 'text'
    assert configs.part(row, 'options') == {'k': 'v'}
    assert configs.part(row, 'inputs')[0]['name'] == 'i'
    assert configs.part(row, 'outputs')[0]['name'] == 'o'
    assert configs.part(row, 'unknown') is None


@pytest.mark.parametrize('key', ['name', 'group'])
def test_texts_fit_their_columns(context, key):
    create(context, **{key: 'x' * 255})
    with pytest.raises(exception.Invalid, match=f'{key} has 256 characters'):
        create(context, **{key: 'x' * 256})


def test_only_texts_have_a_length():
    configs.require_length(1, a=None, b=['x', 'y'], c='')


def test_missing_config(context):
    for call in (configs.get, configs.delete):
        with pytest.raises(exception.NotFound,
                           match='Software config with id no not found'):
            call(context, 'no')


@pytest.mark.parametrize(('limit', 'is_admin', 'fits'), [
    (1, False, False), (2, False, True), (-1, False, True),
    (1, True, True), (0, False, False)])
def test_a_project_has_so_many_configs_and_no_more(context, limit, is_admin,
                                                   fits):
    create(context)
    context.is_admin = is_admin
    cfg.CONF.set_override('max_software_configs_per_tenant', limit)
    try:
        if fits:
            create(context)
        else:
            with pytest.raises(exception.RequestLimitExceeded,
                               match='max_software_configs_per_tenant'):
                create(context)
    finally:
        cfg.CONF.clear_override('max_software_configs_per_tenant')


def test_config_that_goes_away_meanwhile_is_missing(context, monkeypatch):
    row = create(context)
    monkeypatch.setattr(config_objects.SoftwareConfig, 'delete',
                        lambda context, config_id: False)
    with pytest.raises(exception.NotFound):
        configs.delete(context, row.id)
