"""What the engine offers over RPC.

A call loads, guards, calls one function of the engine and formats the answer.
"""
