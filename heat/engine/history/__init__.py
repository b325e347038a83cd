"""Reconstruct the history of stacks from their events.

It may import common, published modules, objects and the core of the engine;
it changes nothing.
"""
