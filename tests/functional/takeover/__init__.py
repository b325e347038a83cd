"""Stacks of OpenStack Heat that are taken over, whatever they were doing."""
