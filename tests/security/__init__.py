"""What the service promises about security, held against attacks.

The promises are in SECURITY.rst.
"""
