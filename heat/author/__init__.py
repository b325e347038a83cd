"""Offline tools for authors of templates: check, format, convert, draw.

This is the command ``heat-template``. It needs no service, no configuration
and no cloud. It may import the common packages, the template language and
the resource types, whose schemas it reads.
"""
