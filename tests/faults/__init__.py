"""Faults of real servers and processes, while stacks go through life.

``python -m tests.faults`` runs all episodes and prints a table of them.
"""
