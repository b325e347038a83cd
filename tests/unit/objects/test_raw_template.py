from heat.db import models
from heat.db import session
from heat.objects import raw_template
from heat.objects import raw_template_files

RawTemplate = raw_template.RawTemplate
RawTemplateFiles = raw_template_files.RawTemplateFiles

ENVIRONMENT = {'parameters': {'pw': 'geheim', 'n': 5, 'open': 'x'},
               'resource_registry': {}}


def stored(context, template_id):
    table = models.RAW_TEMPLATE
    with session.reader(context) as connection:
        return connection.execute(
            table.select().where(table.c.id == template_id)).one()


def test_files_are_kept_in_a_row_of_their_own(context):
    made = RawTemplate.create(context, {
        'template': {'t': 1}, 'files': {'a.yaml': 'text'},
        'environment': {}})
    row = stored(context, made.id)
    assert (row.files, row.files_id) == (None, made.files_id)
    sibling = RawTemplate.create(context, {
        'template': {}, 'files_id': made.files_id, 'environment': {}})
    for one in (made, sibling):
        read = RawTemplate.get_by_id(context, one.id)
        assert read.files == {'a.yaml': 'text'}
        assert read.files_id == made.files_id


def test_files_go_with_the_last_template_that_has_them(context):
    made = RawTemplate.create(context, {'template': {}, 'files': {'a': 'b'}})
    sibling = RawTemplate.create(context, {
        'template': {}, 'files_id': made.files_id})
    assert RawTemplate.delete(context, made.id) is True
    files = RawTemplateFiles.get_by_id(context, made.files_id)
    assert files.files == {'a': 'b'}
    RawTemplate.delete(context, sibling.id)
    assert RawTemplateFiles.get_by_id(context, made.files_id) is None
    assert RawTemplate.delete(context, sibling.id) is False
    assert RawTemplate.get_by_id(context, made.id) is None


def test_files_in_old_rows_are_read(context):
    made = RawTemplate.create(context, {'template': {}, 'environment': {}})
    assert RawTemplate.get_by_id(context, made.id).files == {}
    with session.writer(context) as connection:
        connection.execute(
            models.RAW_TEMPLATE.update().values(files={'old': 'x'}))
    assert RawTemplate.get_by_id(context, made.id).files == {'old': 'x'}


def test_files_are_stored_on_their_own(context):
    made = RawTemplateFiles.create(context, {'files': {'a': 'ü😀'}})
    assert RawTemplateFiles.get_by_id(context, made.id).files == {'a': 'ü😀'}


def test_nothing_is_encrypted_unless_configured(context):
    made = RawTemplate.create(
        context, {'template': {}, 'environment': ENVIRONMENT},
        hidden_names=['pw'])
    environment = stored(context, made.id).environment
    assert environment == {**ENVIRONMENT, 'encrypted_param_names': []}


def test_hidden_parameters_are_encrypted(context, encrypting):
    made = RawTemplate.create(
        context, {'template': {}, 'environment': ENVIRONMENT},
        hidden_names=['pw', 'n', 'absent'])
    environment = stored(context, made.id).environment
    assert environment['encrypted_param_names'] == ['pw', 'n']
    assert environment['parameters']['open'] == 'x'
    assert 'geheim' not in str(environment)
    read = RawTemplate.get_by_id(context, made.id).environment
    assert read['parameters'] == {'pw': 'geheim', 'n': '5', 'open': 'x'}
    assert read['encrypted_param_names'] == ['pw', 'n']


def test_what_was_encrypted_is_encrypted_again(context, encrypting):
    made = RawTemplate.create(
        context, {'template': {}, 'environment': ENVIRONMENT},
        hidden_names=['pw'])
    read = RawTemplate.get_by_id(context, made.id)
    again = RawTemplate.create(context, {'template': {},
                                         'environment': read.environment})
    assert 'geheim' not in str(stored(context, again.id).environment)
    assert RawTemplate.update_by_id(
        context, made.id, {'environment': ENVIRONMENT}, hidden_names=[])
    assert 'geheim' in str(stored(context, made.id).environment)


def test_update_of_files_and_of_nothing(context):
    made = RawTemplate.create(context, {'template': {}, 'environment': {}})
    assert RawTemplate.update_by_id(context, made.id,
                                    {'files': {'a': 'b'}})
    assert RawTemplate.get_by_id(context, made.id).files == {'a': 'b'}
    assert not RawTemplate.update_by_id(context, 99, {'template': {}})
