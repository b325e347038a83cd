// Where a place of an unfinished text in JSON is, and what the text says.

/** Levels of brackets; no template has more. */
const DEEPEST = 200;

/** Return whether a template is written as JSON. */
export const isJson = (text) => /^\s*\{/.test(text);

/** Reads what is there; what is missing or does not fit is passed over. */
class Reader {
  constructor(text, position) {
    this.text = text;
    this.position = position;
    this.at = 0;
    this.place = null;
  }

  /** Return what a pattern matches here, and pass it. */
  take(pattern) {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [''];
    this.at += found.length;
    return found;
  }

  /** Pass white space; remember the place if it is within. */
  gap(place) {
    const start = this.at;
    this.take(/\s*/y);
    if (!place || this.position < start || this.position > this.at) return;
    // What begins on the same line is what the place is to have.
    if (/["{[]/.test(this.text[this.at] ?? '') &&
        !this.text.slice(this.position, this.at).includes('\n')) return;
    this.place = {...place, from: this.position, isQuoted: false};
  }

  /** Return a text, with or without quotes; without, a pattern tells it. */
  word(place, bare) {
    const start = this.at;
    if (this.text[start] !== '"') {
      const found = this.take(bare);
      if (found && start <= this.position && this.position <= this.at) {
        this.place = {...place, from: start, isQuoted: false};
      }
      return found;
    }
    // A quote that is not closed ends with its line.
    const found = this.take(/"(?:[^"\\\n]|\\.)*/y);
    if (start < this.position && this.position <= this.at) {
      this.place = {...place, from: start + 1, isQuoted: true};
    }
    this.take(/"/y);
    try {
      return JSON.parse(`${found}"`);
    } catch {
      return found.slice(1);
    }
  }

  value(path, list = []) {
    const place = {path, list, isKey: false};
    this.gap(place);
    if (path.length > DEEPEST) this.at = this.text.length;
    const next = this.text[this.at] ?? '';
    if (next === '{') return this.object(path);
    if (next === '[') return this.array(path);
    // The value at the place is yet to be written.
    if (next === '"' && this.place?.path === path) return undefined;
    return this.word(place, /[^\s{}[\],"]*/y);
  }

  object(path) {
    const entries = [];
    const place = {path, list: [], isKey: true};
    this.at += 1;
    let isReady = true;
    for (;;) {
      this.gap(isReady ? place : null);
      const next = this.text[this.at];
      if (next === undefined) break;
      if (next === '}') {
        this.at += 1;
        break;
      }
      if (next === ']' && path.some((each) => typeof each === 'number')) break;
      isReady = next === ',';
      const key = this.word(place, /(?:::|[^\s{}[\],":])+/y);
      const hasColon = this.take(/\s*:/y);
      if (hasColon) entries.push([key, this.value([...path, key])]);
      // What cannot be the begin of a key.
      if (!key && !hasColon && next !== '"') this.at += 1;
    }
    return Object.fromEntries(entries);
  }

  array(path) {
    const found = [];
    this.at += 1;
    for (;;) {
      found.push(this.value([...path, found.length], found));
      this.take(/\s*/y);
      const next = this.text[this.at];
      if (next === undefined || next === '}') break;
      this.at += next === ',' || next === ']' ? 1 : 0;
      if (next === ']') break;
    }
    return found;
  }
}

/**
 * Return {value, place} of a text in JSON that need not be complete. The
 * place of a position is {path, list, isKey, isQuoted, from}: the keys and
 * indices that lead to it, the list it is in, and where its word begins; it
 * is null where nothing can be completed.
 */
export function readJson(text, position) {
  const reader = new Reader(text, position);
  reader.take(/\s*/y);
  const value = reader.object([]);
  return {value, place: reader.place};
}

/**
 * Write a name in place of what stands from one position to another: in
 * quotes, and as a key with a colon, but with none that is there already.
 */
export function writeName(view, name, from, to, {isKey, isLiteral}) {
  const {state} = view;
  const line = state.doc.lineAt(to);
  const after = line.text.slice(to - line.from);
  const isQuoted = from > 0 && state.sliceDoc(from - 1, from) === '"';
  const rest = isQuoted
    ? after.match(/^[\w:.-]*"(?=\s*([:,}\]]|$))/)?.[0] ?? '' : '';
  const quote = isQuoted || !isLiteral ? '"' : '';
  const hasColon = /^\s*:/.test(after.slice(rest.length));
  const insert = (isQuoted ? '' : quote) +
    JSON.stringify(name).slice(1, -1) + quote +
    (isKey && !hasColon ? ': ' : '');
  view.dispatch({
    changes: {from, to: to + rest.length, insert},
    selection: {anchor: from + insert.length},
    userEvent: 'input.complete', scrollIntoView: true});
}
