// The events of a stack as they come.
import {h} from '../dom.js';
import {filteredTable} from '../filtered_table.js';
import {badge, clockTime, exactTime} from '../format.js';
import {t} from '../i18n.js';

/** Show the events of a stack, the latest first. */
export function openTab({root, model}) {
  return filteredTable({
    root, model, changes: ['events'], pause: 300, limit: 400,
    placeholder: t('Filter events'), title: t('Events'),
    empty: t('No events yet.'),
    columns: [t('Time'), t('Resource'), t('Status'), t('Reason'),
              t('Stack')],
    items: () => [...model.events].reverse(),
    status: (each) => each.resource_status,
    words: (each) => `${each.resource_name} ${each.resource_status} ${
      each.resource_status_reason} ${each.stack_name}`,
    cells: (each) => [
      h('td', {class: 'mono', title: exactTime(each.event_time)},
        clockTime(each.event_time)),
      h('td', null, each.resource_name),
      h('td', null, badge(each.resource_status)),
      h('td', {class: 'reason-cell'}, each.resource_status_reason ?? ''),
      h('td', {class: 'muted'}, each.stack_id === model.id ? ''
        : each.stack_name ?? '')],
  });
}
