"""Limits on expressions of templates: time, memory and size.

May import the common packages only.
"""
