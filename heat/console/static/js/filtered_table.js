// A table that a search and a check box for failures narrow down.
import {debounced, h, show, throttled} from './dom.js';
import {kindOf} from './format.js';
import {t} from './i18n.js';
import {nothing, table} from './ui.js';

/**
 * Show the rows of a model as a table, and again when they change.
 *
 * @param {Element} root what the table is shown in
 * @param {EventTarget} model announces changes
 * @param {string[]} changes the names of its events
 * @param {number} pause milliseconds between two drawings, at least
 * @param {string} placeholder of the search
 * @param {string} title of the table
 * @param {string} empty what is shown without rows
 * @param {string[]} columns their headings
 * @param {number} limit the number of rows that are drawn at most
 * @param {function} items returns what there is, in order
 * @param {function} status returns the status of an item
 * @param {function} words returns the text of an item that is searched
 * @param {function} cells returns the cells of an item
 * @return {function} ends it
 */
export function filteredTable({root, model, changes, pause, placeholder,
                               title, empty, columns, limit, items, status,
                               words, cells}) {
  const stop = new AbortController();
  const search = h('input', {
    type: 'search', placeholder, 'aria-label': placeholder,
    on: {input: debounced(80, () => draw())}});
  const onlyFailed = h('input', {type: 'checkbox',
                                 on: {change: () => draw()}});
  const count = h('span', {class: 'muted', role: 'status'});
  const body = h('div');
  show(root, h('div', {class: 'tab-tools'}, search,
    h('label', null, onlyFailed, ' ', t('failed only')), count), body);

  function draw() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = items().filter((each) => {
      if (onlyFailed.checked && kindOf(status(each)) !== 'failed') {
        return false;
      }
      const text = words(each).toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    count.textContent = found.length > limit
      ? t('{shown} of {all} shown', {shown: limit, all: found.length})
      : String(found.length);
    show(body, found.length ? table(title, columns,
      found.slice(0, limit).map((each) => h('tr', null, ...cells(each))))
      : nothing(empty));
  }

  const later = throttled(pause, draw);
  for (const name of changes) {
    model.addEventListener(name, later, {signal: stop.signal});
  }
  draw();
  return () => {
    stop.abort();
    later.cancel();
  };
}
