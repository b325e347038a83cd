"""Find out how resources differ from their definitions.

A detection reads what really exists, resource by resource through a tree of
stacks, and compares it with the definitions in effect. It takes no lock, and
changes neither a resource nor the state of one.
"""
