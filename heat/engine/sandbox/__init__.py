"""How far an expression of a template may go: time, memory and size.

May import the common packages only.
"""
