"""The name by which plugins import heat.engine.grouputils.

What looks into groups needs the engine, so its code is not in this room.
"""
import importlib
import sys

sys.modules[__name__] = importlib.import_module('heat.engine.grouputils')
