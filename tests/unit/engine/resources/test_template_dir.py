"""Templates that an operator's environment names without a place."""
from oslo_config import cfg
import pytest

from heat.common import exception
from heat.engine.resources import template_resource


@pytest.fixture
def directory(tmp_path):
    inside = tmp_path / 'templates'
    inside.mkdir()
    (inside / 'db.yaml').write_text('a template')
    (tmp_path / 'outside.yaml').write_text('none of it')
    cfg.CONF.set_override('template_dir', str(inside))
    yield inside
    cfg.CONF.clear_override('template_dir')


def test_operators_may_leave_the_directory_out(directory):
    assert template_resource.fetch('db.yaml', False) == 'a template'


@pytest.mark.parametrize(('name', 'user_resource'), [
    ('db.yaml', True), ('other.yaml', False), ('../outside.yaml', False)])
def test_nothing_else_is_found_there(directory, name, user_resource):
    with pytest.raises(exception.EntityNotFound):
        template_resource.fetch(name, user_resource)
