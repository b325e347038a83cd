"""The laws of queueing in closed form, to check a simulation by."""
import math


def utilisation(rate, seconds, servers=1):
    """Return how busy servers are: the utilisation law."""
    return rate * seconds / servers


def number_inside(rate, seconds):
    """Return how many are inside on average: Little's law."""
    return rate * seconds


def wait_with_chance(rate, seconds, servers=1):
    """Return the mean wait in M/M/c, by Erlang's formula."""
    offered = rate * seconds
    if offered >= servers:
        return math.inf
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = offered * blocked / (number + offered * blocked)
    load = offered / servers
    waits = blocked / (1 - load + load * blocked)
    return waits * seconds / (servers - offered)


def wait_without_chance(rate, seconds):
    """Return the mean wait in M/D/1, half of that in M/M/1."""
    return wait_with_chance(rate, seconds) / 2


def most(demands, engines=1):
    """Return the largest throughput that each station allows.

    :param demands: {station: (seconds for one item, servers)}; the servers of
        a station whose name begins with "engine" are those of each engine
    """
    return {name: servers * (engines if name.startswith('engine') else 1) /
            seconds
            for name, (seconds, servers) in demands.items() if seconds}


def knee(demands):
    """Return how many engines it takes to fill the first shared station."""
    limits = most(demands)
    own = min(limit for name, limit in limits.items()
              if name.startswith('engine'))
    return limits[first_shared(demands)] / own


def first_shared(demands):
    """Return the name of the shared station that is filled first."""
    limits = {name: limit for name, limit in most(demands).items()
              if not name.startswith('engine')}
    return min(limits, key=limits.get)
