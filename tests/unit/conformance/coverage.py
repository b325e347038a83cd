"""Which facts the tests of a module cover."""


def leaves(facts, depth):
    """Return the paths of facts, down to a depth."""
    if depth == 0 or not isinstance(facts, dict):
        return {''}
    return {f'{key}.{rest}'.rstrip('.')
            for key, value in facts.items()
            for rest in leaves(value, depth - 1)}


def covers(*paths):
    """Return a decorator that notes which facts a test covers."""
    def note(test):
        test.covers = paths
        return test
    return note


def covered(module):
    """Return the facts that the tests of a module cover."""
    return {path for name, value in module.items()
            if name.startswith('test_')
            for path in getattr(value, 'covers', ())}
