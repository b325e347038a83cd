// The resources of a stack and of those nested in it, as a table.
import {h} from '../dom.js';
import {filteredTable} from '../filtered_table.js';
import {badge, kindOf, timeElement} from '../format.js';
import {t} from '../i18n.js';

/** Show the resources of a stack. */
export function openTab({root, model, href}) {
  const stackCell = (each) => {
    if (each.nested) {
      return h('a', {href: href('stack', each.nested.name, each.nested.id)},
        t('nested stack'));
    }
    return each.stack?.id === model.id ? '' : h(
      'a', {href: href('stack', each.stack.name, each.stack.id)},
      each.stack.name);
  };
  return filteredTable({
    root, model, changes: ['resources', 'status'], pause: 400, limit: 500,
    placeholder: t('Find a resource'), title: t('Resources'),
    empty: t('No resources.'),
    columns: [t('Name'), t('Type'), t('Status'), t('Physical id'),
              t('Changed'), t('Stack')],
    items: () => [...model.resources.values()],
    status: (each) => each.status,
    words: (each) => `${each.name} ${each.type} ${each.status} ${
      each.physicalId} ${each.stack?.name}`,
    cells: (each) => [
      h('td', null, h('a', {href: `${
        href('stack', model.name, model.id, 'topology')}?${
        new URLSearchParams({resource: each.key})}`}, each.name)),
      h('td', null, each.type),
      h('td', null, badge(each.status),
        kindOf(each.status) === 'failed' &&
          h('div', {class: 'reason small'}, each.reason)),
      h('td', {class: 'mono'}, each.physicalId),
      h('td', null, timeElement(each.updated ?? each.created)),
      h('td', null, stackCell(each))],
  });
}
