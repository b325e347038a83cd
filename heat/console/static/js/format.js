// How states, times and values are written.
import {h} from './dom.js';
import {language, t} from './i18n.js';

const UNITS = [['day', 86400], ['hour', 3600], ['minute', 60]];
const relative = new Intl.RelativeTimeFormat(language,
  {numeric: 'auto', style: 'short'});
const exact = new Intl.DateTimeFormat(language,
  {dateStyle: 'medium', timeStyle: 'medium'});
const clock = new Intl.DateTimeFormat(language, {timeStyle: 'medium'});
export const number = new Intl.NumberFormat(language);

/** Return a time of the API, which is UTC, in milliseconds. */
export function instant(text) {
  if (!text) return NaN;
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}

/** Return how long ago a time is. */
export function age(text) {
  const seconds = (Date.now() - instant(text)) / 1000;
  if (Number.isNaN(seconds)) return '';
  for (const [unit, size] of UNITS) {
    if (seconds >= size) {
      return relative.format(-Math.floor(seconds / size), unit);
    }
  }
  return relative.format(-Math.max(0, Math.floor(seconds)), 'second');
}

export const exactTime = (text) =>
  (text ? exact.format(instant(text)) : '');
export const clockTime = (text) =>
  (text ? clock.format(instant(text)) : '');

/** Return an element that shows how long ago a time is. */
export function timeElement(text) {
  return h('time', {datetime: text, title: exactTime(text)}, age(text));
}

/** Return a duration in seconds as text. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 60) {
    return `${new Intl.NumberFormat(language,
      {maximumFractionDigits: seconds < 10 ? 1 : 0}).format(seconds)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const decimal = new Intl.NumberFormat(language, {maximumFractionDigits: 2});
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** Return a number with up to two digits behind the point. */
export const fraction = (value) => decimal.format(value);

/** Return a number of bytes in the unit that suits it, of powers of 1024. */
export function bytes(value) {
  let step = 0;
  while (value >= 1024 && step < SIZES.length - 1) {
    value /= 1024;
    step += 1;
  }
  return new Intl.NumberFormat(language, {
    style: 'unit', unit: SIZES[step], unitDisplay: 'short',
    maximumFractionDigits: value < 10 ? 1 : 0}).format(value);
}

/** Return the kind of a status: ok, busy, failed, gone or idle. */
export function kindOf(status) {
  if (!status || status.startsWith('INIT')) return 'idle';
  if (status.endsWith('FAILED')) return 'failed';
  if (status.endsWith('IN_PROGRESS')) return 'busy';
  if (status === 'DELETE_COMPLETE') return 'gone';
  return status.endsWith('COMPLETE') ? 'ok' : 'idle';
}

export const GLYPHS = {ok: '✓', busy: '◐', failed: '✕', gone: '–', idle: '○'};

/** Return a status as an element; its sign does not depend on colour. */
export function badge(status) {
  const kind = kindOf(status);
  return h('span', {class: `badge ${kind}`},
    h('span', {class: 'glyph', 'aria-hidden': 'true'}, GLYPHS[kind]),
    (status || 'INIT').replaceAll('_', ' '));
}

/** Return a value of any kind as text. */
export function valueText(value) {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, 2) ?? '';
}

/** Return a button that copies a text. */
export function copyButton(text, label = t('Copy')) {
  const button = h('button', {
    type: 'button', class: 'quiet small', on: {click: async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = t('Copied');
      } catch {
        button.textContent = t('Not possible');
      }
      setTimeout(() => { button.textContent = label; }, 1500);
    }}}, label);
  return button;
}
