// All stacks of the project: a list that is searched while you type.
import {stackPath} from '../api.js';
import {debounced, h, show} from '../dom.js';
import {badge, kindOf, number, timeElement} from '../format.js';
import {t} from '../i18n.js';
import {ask, attempt, message, nothing, problem, title, waiting}
  from '../ui.js';

const PAGE = 1000;
const ROW = 38;
const SPARE = 8;
const KINDS = [['', 'Any status'], ['failed', 'Failed'],
               ['busy', 'In progress'], ['ok', 'Complete']];
const SORTS = {
  age: (a, b) => b.creation_time.localeCompare(a.creation_time),
  name: (a, b) => a.stack_name.localeCompare(b.stack_name),
  status: (a, b) => a.stack_status.localeCompare(b.stack_status),
};

/** Return the stacks that a search means: words of names, tags, owners. */
export function matching(stacks, search, kind) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return stacks.filter((stack) =>
    (!kind || kindOf(stack.stack_status) === kind) &&
    words.every((word) => (word.startsWith('#')
      ? (stack.tags ?? []).some((tag) =>
        tag.toLowerCase().startsWith(word.slice(1)))
      : `${stack.stack_name} ${stack.id} ${stack.stack_owner ?? ''} ${
        (stack.tags ?? []).join(' ')} ${stack.stack_status}`
        .toLowerCase().includes(word))));
}

class List {
  constructor({root, api, href, route}) {
    Object.assign(this, {root, api, href});
    this.stacks = [];
    this.found = [];
    this.chosen = new Set();
    this.sort = 'age';
    this.stopped = new AbortController();
    this.search = h('input', {
      type: 'search', placeholder: t('Name, owner, #tag, id'),
      'aria-label': t('Search stacks'), value: route.query.get('search'),
      on: {input: debounced(60, () => this.filter())}});
    this.kind = h('select', {'aria-label': t('Status'),
                             on: {change: () => this.filter()}},
      KINDS.map(([value, label]) => h('option', {value}, t(label))));
    this.count = h('span', {class: 'muted', role: 'status'});
    this.connection = h('span', {class: 'connection lost', role: 'status'});
    this.bulk = h('div', {class: 'bulk', hidden: true});
    this.rows = h('div', {class: 'rows', role: 'presentation'});
    this.space = h('div', {class: 'space', role: 'presentation'},
      this.rows);
    this.body = h('div', {
      class: 'scroll', tabindex: '0', role: 'rowgroup',
      'aria-label': t('Stacks'),
      on: {scroll: () => this.draw(), keydown: (event) => this.move(event)}},
    this.space);
    this.notice = h('div', {class: 'notice'});
    this.frame();
  }

  frame() {
    title(t('Stacks'));
    const head = (key, label) => h('span', {role: 'columnheader'},
      h('button', {type: 'button', class: 'head', on: {click: () => {
        this.sort = key;
        this.filter();
      }}}, label));
    this.table = h('div', {class: 'stack-table', role: 'table',
                           'aria-label': t('Stacks')},
    h('div', {class: 'row heads', role: 'row'},
      h('span', {role: 'columnheader'},
        h('input', {type: 'checkbox', 'aria-label': t('Select all'),
                    on: {change: (event) => this.chooseAll(event)}})),
      head('name', t('Name')), head('status', t('Status')),
      head('age', t('Created')),
      h('span', {role: 'columnheader'}, t('Changed')),
      h('span', {role: 'columnheader'}, t('Owner')),
      h('span', {role: 'columnheader'}, t('Tags'))),
    this.body);
    show(this.root,
      h('div', {class: 'heading'}, h('h1', null, t('Stacks')), this.count,
        this.connection, h('span', {class: 'grow'}), this.search, this.kind,
        h('button', {type: 'button', class: 'quiet',
                     on: {click: () => this.read()}}, t('Refresh')),
        this.api.may('stacks:create') && h('a', {
          class: 'button primary', href: this.href('editor')},
        t('Create stack'))),
      this.bulk, this.notice, this.table);
    this.say(waiting());
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.body);
  }

  /** Show a text instead of the table, which may hold rows only. */
  say(content) {
    show(this.notice, content);
    this.table.hidden = content !== null;
  }

  async read() {
    try {
      let marker;
      const stacks = [];
      for (;;) {
        const page = await this.api.get('stacks', {limit: PAGE, marker},
          this.stopped.signal);
        stacks.push(...page.stacks);
        if (page.stacks.length < PAGE) break;
        marker = page.stacks.at(-1).id;
        // Long lists show their first page while the rest comes.
        if (!this.stacks.length) this.take([...stacks]);
      }
      this.take(stacks);
      this.connection.textContent = '';
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      // What is shown may be out of date by now.
      this.connection.textContent = this.stacks.length
        ? t('connection lost, trying again') : '';
      if (!this.stacks.length) {
        this.say(problem(error, () => this.read()));
      }
    }
    this.plan();
  }

  plan() {
    clearTimeout(this.timer);
    const isBusy = this.stacks.some(
      (each) => kindOf(each.stack_status) === 'busy');
    const rest = this.stacks.length > PAGE ? 60_000 : isBusy ? 3000 : 10_000;
    this.timer = setTimeout(() => {
      if (document.hidden) this.plan();
      else this.read();
    }, rest);
  }

  take(stacks) {
    const key = JSON.stringify(stacks);
    if (key === this.key) return;
    this.key = key;
    this.stacks = stacks;
    this.filter();
  }

  filter() {
    this.found = matching(this.stacks, this.search.value, this.kind.value)
      .sort(SORTS[this.sort]);
    this.count.textContent = this.found.length === this.stacks.length
      ? number.format(this.stacks.length)
      : t('{found} of {all}', {found: number.format(this.found.length),
                               all: number.format(this.stacks.length)});
    if (!this.found.length) {
      this.say(this.stacks.length
        ? nothing(t('No stack matches the search.'))
        : h('div', {class: 'nothing'},
          h('p', null, t('This project has no stacks yet.')),
          this.api.may('stacks:create') && h('a', {
            class: 'button primary', href: this.href('editor')},
          t('Create the first one'))));
      return;
    }
    this.say(null);
    this.space.style.height = `${this.found.length * ROW}px`;
    this.from = null;
    this.draw();
  }

  draw() {
    if (this.table.hidden) return;
    const height = this.body.clientHeight || 600;
    const from = Math.max(0,
      Math.floor(this.body.scrollTop / ROW) - SPARE);
    const to = Math.min(this.found.length,
      from + Math.ceil(height / ROW) + 2 * SPARE);
    if (this.from === from && this.to === to) return;
    Object.assign(this, {from, to});
    const focused = document.activeElement?.closest?.('.row')?.dataset.id;
    this.rows.style.transform = `translateY(${from * ROW}px)`;
    show(this.rows, this.found.slice(from, to).map((each) => this.row(each)));
    if (focused) {
      this.rows.querySelector(`[data-id="${CSS.escape(focused)}"] a`)?.focus();
    }
  }

  row(stack) {
    const cell = (...content) => h('span', {role: 'cell'}, content);
    return h('div', {class: 'row', role: 'row', 'data-id': stack.id},
      cell(h('input', {
        type: 'checkbox', checked: this.chosen.has(stack.id),
        'aria-label': t('Select {name}', {name: stack.stack_name}),
        on: {change: (event) => {
          if (event.target.checked) this.chosen.add(stack.id);
          else this.chosen.delete(stack.id);
          this.showBulk();
        }}})),
      cell(h('a', {href: this.href('stack', stack.stack_name, stack.id)},
        stack.stack_name)),
      cell(badge(stack.stack_status)),
      cell(timeElement(stack.creation_time)),
      cell(stack.updated_time ? timeElement(stack.updated_time) : ''),
      cell(stack.stack_owner ?? ''),
      cell((stack.tags ?? []).map((tag) => h('button', {
        type: 'button', class: 'tag', on: {click: () => {
          this.search.value = `#${tag}`;
          this.filter();
        }}}, tag))));
  }

  move(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step || !this.rows.contains(document.activeElement)) return;
    event.preventDefault();
    const links = [...this.rows.querySelectorAll('a')];
    const at = links.findIndex((each) =>
      each.closest('.row').contains(document.activeElement));
    links[at + step]?.focus();
    this.body.scrollTop += step * ROW;
  }

  chooseAll(event) {
    this.chosen = new Set(event.target.checked
      ? this.found.map((each) => each.id) : []);
    this.from = null;
    this.draw();
    this.showBulk();
  }

  showBulk() {
    const all = this.stacks.filter((each) => this.chosen.has(each.id));
    this.bulk.hidden = all.length === 0;
    const act = (label, name, run) => this.api.may(
      name === 'delete' ? 'stacks:delete' : `actions:${name}`) && h('button', {
      type: 'button', class: name === 'delete' ? 'danger' : '',
      on: {click: () => this.act(label, all, run, name === 'delete')}}, label);
    show(this.bulk,
      h('strong', null, t('{count} selected', {count: all.length})),
      act(t('Check'), 'check', (path) =>
        this.api.post(`${path}/actions`, {check: null})),
      act(t('Suspend'), 'suspend', (path) =>
        this.api.post(`${path}/actions`, {suspend: null})),
      act(t('Resume'), 'resume', (path) =>
        this.api.post(`${path}/actions`, {resume: null})),
      act(t('Delete'), 'delete', (path) => this.api.delete(path)));
  }

  async act(label, stacks, run, isDanger) {
    const names = stacks.map((each) => each.stack_name);
    const more = names.length - 10;
    const answer = await ask({
      title: t('{action}: {count} stacks',
        {action: label, count: stacks.length}),
      body: h('p', null, names.slice(0, 10).join(', '),
        more > 0 ? ` … +${more}` : ''),
      action: label, danger: isDanger});
    if (!answer) return;
    const failures = [];
    for (const stack of stacks) {
      try {
        await run(stackPath(stack));
      } catch (error) {
        failures.push(`${stack.stack_name}: ${error.message}`);
      }
    }
    if (failures.length) message(failures.slice(0, 5).join('\n'), 'error');
    else message(t('{action}: begun', {action: label}));
    this.chosen.clear();
    this.showBulk();
    await attempt(() => this.read());
  }

  stop() {
    clearTimeout(this.timer);
    this.observer.disconnect();
    this.stopped.abort();
  }
}

/** Show the stacks of a project. */
export function open(context) {
  const list = new List(context);
  list.read();
  return () => list.stop();
}
