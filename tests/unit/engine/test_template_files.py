from heat.engine import template_files


def test_files_are_a_mapping():
    files = template_files.TemplateFiles({'a': 'x'})
    assert files['a'] == 'x'
    assert dict(files) == {'a': 'x'}
    assert ('a' in files, 'b' in files, files.get('b')) == (
        True, False, None)
    assert len(template_files.TemplateFiles(None)) == 0


def test_update_changes_neither_the_source_nor_copies():
    source = {'a': 'x'}
    files = template_files.TemplateFiles(source, files_id=3)
    shared = template_files.TemplateFiles(files)
    assert shared.files_id == 3
    shared.update({'b': 'y'})
    assert shared.as_dict() == {'a': 'x', 'b': 'y'}
    assert shared.files_id is None
    assert (source, dict(files), files.files_id) == (
        {'a': 'x'}, {'a': 'x'}, 3)
