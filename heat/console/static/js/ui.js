// Pieces that several views have in common.
import {h, show} from './dom.js';
import {t} from './i18n.js';

const toasts = h('div', {class: 'toasts', role: 'status',
                         'aria-live': 'polite'});

/** The region that messages appear in. */
export const messageRegion = toasts;

/** Show a message for a while; errors stay until they are dismissed. */
export function message(text, kind = 'info') {
  const own = h('div', {class: `toast ${kind}`},
    h('span', null, text),
    h('button', {type: 'button', class: 'quiet small',
                 'aria-label': t('Dismiss'),
                 on: {click: () => own.remove()}}, '✕'));
  toasts.append(own);
  if (kind !== 'error') setTimeout(() => own.remove(), 6000);
}

/** Run what a button asks for; say what went wrong. */
export async function attempt(action, done = null) {
  try {
    const result = await action();
    if (done) message(done);
    return result;
  } catch (error) {
    message(error.message, 'error');
    return undefined;
  }
}

/** Return a panel that says why something cannot be shown. */
export function problem(error, retry = null) {
  return h('div', {class: 'panel problem', role: 'alert'},
    h('strong', null, t('This cannot be shown')),
    h('p', {class: 'reason'}, error.message),
    retry && h('button', {type: 'button', on: {click: retry}},
      t('Try again')));
}

export const waiting = () =>
  h('p', {class: 'waiting', role: 'status'}, t('Loading …'));

export const nothing = (text) => h('p', {class: 'nothing'}, text);

/** Ask a question; resolve to what the form has, or null. */
export function ask({title, body, action, danger = false}) {
  return new Promise((resolve) => {
    const form = h('form', {method: 'dialog'},
      h('h2', null, title), body,
      h('div', {class: 'buttons'},
        h('button', {type: 'button', class: 'quiet',
                     on: {click: () => dialog.close()}}, t('Cancel')),
        h('button', {type: 'submit', value: 'yes',
                     class: danger ? 'danger' : 'primary'}, action)));
    const dialog = h('dialog', {'aria-label': title, on: {close: () => {
      resolve(dialog.returnValue === 'yes'
        ? Object.fromEntries(new FormData(form)) : null);
      dialog.remove();
    }}}, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Return a table with a caption for those who do not see it. */
export function table(caption, heads, rows) {
  return h('div', {class: 'table-wrap', tabindex: '0', role: 'region',
                   'aria-label': caption},
    h('table', null,
      h('caption', {class: 'hidden'}, caption),
      h('thead', null, h('tr', null,
        heads.map((each) => h('th', {scope: 'col'}, each)))),
      h('tbody', null, rows)));
}

/** Load what a view needs, and show it; errors offer another attempt. */
export async function load(element, fetch, render) {
  show(element, waiting());
  try {
    const found = await fetch();
    show(element, render(found));
  } catch (error) {
    show(element, problem(error, () => load(element, fetch, render)));
  }
}

/** Return labelled facts. */
export function facts(pairs) {
  return h('dl', {class: 'facts'}, pairs.filter(Boolean).map(
    ([name, value]) => [h('dt', null, name), h('dd', null, value)]));
}

/** Return a labelled field of a form. */
export function field(label, control, hint = null) {
  return h('label', {class: 'field'}, h('span', {class: 'label'}, label),
    control, hint && h('span', {class: 'hint'}, hint));
}

/** Set the title of the page. */
export function title(text) {
  document.title = text ? `${text} · Heat` : 'Heat';
}
