"""Periodic work of an engine: recovery, upkeep, health."""
