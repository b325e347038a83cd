"""How many engines, databases and brokers carry how many resources.

A simulation with the service times of this machine, and the laws of queueing
that it has to agree with. It imports the other measurements, not the service.
"""
