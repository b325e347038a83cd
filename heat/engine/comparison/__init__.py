"""Compare what really exists with the definitions of resources.

Detections of drift, change sets that revert it and their executions ask here,
so that they cannot differ. Nothing is changed, neither a resource nor a row.
"""
