"""The commands that the distribution installs."""
import configparser
import pathlib

_ROOT = pathlib.Path(__file__).resolve().parents[3]


def commands():
    """Return the names of the commands."""
    parser = configparser.ConfigParser(delimiters=['='])
    parser.read(_ROOT / 'setup.cfg')
    return {entry.partition('=')[0].strip() for entry in
            parser['options.entry_points']['console_scripts']
            .strip().splitlines()}
