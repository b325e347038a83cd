"""Batches of an update that keeps part of a group in service."""


def needs_update(targ_capacity, curr_capacity, num_up_to_date):
    """Tell whether any batch is left.

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
