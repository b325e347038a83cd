"""A server that consumes the user data it was given; see machine.py."""
