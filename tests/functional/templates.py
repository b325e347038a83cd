"""Short ways to write the templates of the tests."""

VERSION = '2018-08-31'


def hot(resources=None, version=VERSION, **sections):
    """Return a HOT template."""
    return {'heat_template_version': version,
            **({} if resources is None else {'resources': resources}),
            **sections}


def thing(depends_on=None, type='Test::Thing', deletion_policy=None,
          metadata=None, **properties):
    """Return the definition of a thing."""
    definition = {'type': type, 'properties': properties}
    for key, value in (('depends_on', depends_on), ('metadata', metadata),
                       ('deletion_policy', deletion_policy)):
        if value is not None:
            definition[key] = value
    return definition


def attr(name, *path):
    """Return a reference to an attribute."""
    return {'get_attr': [name, *path]}


def param(name):
    """Return a reference to a parameter."""
    return {'get_param': name}
