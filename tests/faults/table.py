"""Episodes as lines of text."""
import collections


def line(episode):
    """Return one episode as a line of a table."""
    notes = '; '.join(episode.notes)
    if episode.refused:
        notes = f'409 for {episode.refused:.0f} s; {notes}'
    return (f'{episode.fault:28} {episode.driver:11} '
            f'{episode.database:10} {episode.operation:12} '
            f'{episode.outcome:8} {episode.seconds:6.1f}  '
            f'{notes[:300]}').rstrip()


def summary(episodes):
    """Return the figures of all episodes, and of each driver, as lines."""
    lines = []
    for driver in ('convergence', 'legacy'):
        of_driver = [each for each in episodes if each.driver == driver]
        if of_driver:
            lines.append(f'{driver}: {_figures(of_driver)}')
    return [*lines, f'all: {_figures(episodes)}']


def _figures(episodes):
    counts = collections.Counter(each.outcome for each in episodes)
    ran = len(episodes) - counts.pop('skipped', 0)
    mended = sum('then mended' in ' '.join(each.notes)
                 for each in episodes)
    refused = [each.refused for each in episodes if each.refused]
    longest = max((each.seconds for each in episodes), default=0)
    wrong = ', '.join(f'{count} {outcome}' for outcome, count in
                      sorted(counts.items()) if outcome != 'ok')
    return (f'{ran} episodes, {counts["ok"]} ok, {wrong or "none wrong"}; '
            f'{mended} failed as their engine or service did and were '
            f'mended; {len(refused)} were refused with 409 at first, for up '
            f'to {max(refused, default=0):.0f} s; the longest ended after '
            f'{longest:.0f} s')
