"""The RPC interface of the engine.

A call loads, guards, calls one function of the engine and formats the answer.
"""
