// The language of the page. English texts are the keys of the catalogues.
import {german} from './de.js';

const CATALOGUES = {en: {}, de: german};
const STORED = 'heat.language';

function initial() {
  const stored = localStorage.getItem(STORED);
  if (stored in CATALOGUES) return stored;
  return navigator.languages.map((each) => each.slice(0, 2))
    .find((each) => each in CATALOGUES) ?? 'en';
}

export const language = initial();
document.documentElement.lang = language;

/** Return a text in the user's language, with {name}s filled in. */
export function t(text, values = {}) {
  const found = CATALOGUES[language][text] ?? text;
  return found.replace(/\{(\w+)\}/g,
    (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Remember a language and start over with it. */
export function choose(name) {
  localStorage.setItem(STORED, name);
  location.reload();
}
