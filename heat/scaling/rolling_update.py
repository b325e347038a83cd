"""Batches of an update that keeps part of a group in service."""


def needs_update(targ_capacity, curr_capacity, num_up_to_date):
    """Return whether any batch is left.

    :param num_up_to_date: members that have the new definition already.
    """
    return not num_up_to_date >= curr_capacity == targ_capacity


def next_batch(targ_capacity, curr_capacity, num_up_to_date, batch_size,
               min_in_service):
    """Return (number of members, how many of them to create or update).

    While a batch is under way its members are not in service; the group
    grows beyond its target if otherwise too few were.
    """
    batch = min(batch_size, max(targ_capacity - num_up_to_date, 0))
    in_service = min(min_in_service, targ_capacity, curr_capacity)
    capacity = max(min(targ_capacity, curr_capacity + batch),
                   in_service + batch)
    return capacity, batch


def batches(targ_capacity, curr_capacity, num_up_to_date, batch_size,
            min_in_service, *, extras_stay=True):
    """Yield all batches as pairs, like next_batch().

    :param extras_stay: whether members beyond the target are as good as the
        others, so that old ones go in the end; otherwise the extra members
        do, and do not count as up to date.
    """
    while needs_update(targ_capacity, curr_capacity, num_up_to_date):
        capacity, new = next_batch(targ_capacity, curr_capacity,
                                   num_up_to_date, batch_size,
                                   min_in_service)
        yield capacity, new
        num_up_to_date += new
        if extras_stay:
            # What is out of date goes first.
            num_up_to_date = min(num_up_to_date, capacity)
        else:
            num_up_to_date -= max(
                capacity - max(curr_capacity, targ_capacity), 0)
        curr_capacity = capacity
