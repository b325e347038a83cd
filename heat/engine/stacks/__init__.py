"""What is stored of a stack, and which states a stack may take.

May import ``tasks``, ``cluster`` and what they may import.
"""
