"""The CloudWatch-compatible API: metrics in, alarms shown.

It speaks the three protocols of AWS that clients of different age use.
"""
