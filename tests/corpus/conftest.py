"""Where the corpus is: an option or a variable."""
import os
import pathlib


def pytest_addoption(parser):
    parser.addoption(
        '--corpus', metavar='DIR', default=None,
        help='Check every template below this folder '
             '(default: $HEAT_TEST_CORPUS).')


def corpus_of(config):
    """Return the folder of the corpus, None if there is none."""
    given = (config.getoption('corpus', default=None)
             or os.environ.get('HEAT_TEST_CORPUS'))
    if given:
        folder = pathlib.Path(given)
        if not folder.is_dir():
            raise ValueError(f'The corpus {given} is not a folder')
        return folder.resolve()
    return None


def pytest_ignore_collect(collection_path, config):
    """Without a corpus there is nothing to check."""
    if collection_path.name == 'test_corpus.py' and not corpus_of(config):
        return True
    return None
