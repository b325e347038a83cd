"""What runs in an engine beside requests: recovery, upkeep, health."""
