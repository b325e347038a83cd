"""Watch rules: when does which alarm of which stack act?

Data of metrics are pushed by users; engines compare them with thresholds
and send signals to resources. It may import records and the clients of RPC,
and knows neither stacks nor resources.
"""
