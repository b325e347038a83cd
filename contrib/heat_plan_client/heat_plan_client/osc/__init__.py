"""The commands that OpenStackClient loads, and their output formatters."""
