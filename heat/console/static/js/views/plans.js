// Change sets: what an update would do, why, and doing it.
import {enc, stackPath} from '../api.js';
import {h, show} from '../dom.js';
import {timeElement, valueText} from '../format.js';
import {t} from '../i18n.js';
import {ask, attempt, load, message, nothing, problem, table, title,
        waiting} from '../ui.js';

const SIGNS = {create: '+', update: '~', replace: '−/+', delete: '−',
               retain: '↷', keep: '=', move: '→', import: '⇥'};
const PAUSE = 1500;

function sign(action) {
  return h('span', {class: `change-sign ${action}`}, `${SIGNS[action]} `,
    t(action));
}

function counts(found) {
  return h('p', {class: 'counts'}, Object.entries(found ?? {}).filter(
    ([, count]) => count).map(([action, count]) => h('span', {
    class: `change-sign ${action}`},
  `${SIGNS[action]} ${count} ${t(action)}`)));
}

/** Return where a new value comes from. */
function sourceText(source) {
  if (!source) return '';
  const from = [];
  if (source.parameter) {
    from.push(t('parameter {name}', {name: source.parameter}));
  }
  if (source.attribute) {
    from.push(t('attribute {name}', {name: source.attribute}));
  }
  if (source.move) from.push(t('moved'));
  if (source.drift) from.push(t('drift'));
  if (source.template) from.push(t('template'));
  if (source.line) from.push(t('line {line}', {line: source.line}));
  return from.join(', ');
}

function cause(each) {
  return h('tr', null, h('td', {class: 'mono'}, each.property),
    h('td', null, h('pre', {class: 'value before'},
      valueText(each.before ?? ''))),
    h('td', null, h('pre', {class: 'value after'}, each.known_after_apply
      ? t('known after apply') : valueText(each.after ?? ''))),
    h('td', null, sourceText(each.source), ' ', each.forces_replacement &&
      h('span', {class: 'change-sign replace'}, t('forces replacement'))));
}

function change(each) {
  const depth = each.path.length - 1;
  const own = h('li', {class: `change ${each.action}`},
    h('div', {class: 'change-head'}, sign(each.action),
      h('strong', null, each.path.join(' / ')),
      h('span', {class: 'muted'}, each.type),
      each.replacement === 'maybe' && each.action !== 'replace' &&
        h('span', {class: 'change-sign maybe'}, t('may be replaced')),
      h('span', {class: 'muted'}, each.reason)),
    each.causes?.length > 0 && table(t('Causes'),
      [t('Property'), t('Before'), t('After'), t('Source')],
      each.causes.map(cause)));
  own.style.setProperty('--depth', depth);
  return own;
}

/** Return a change set as text, as the command line prints it. */
export function asText(found) {
  const lines = [];
  for (const each of found.changes ?? []) {
    if (each.action === 'keep') continue;
    const name = each.path.join('/');
    lines.push(`${SIGNS[each.action].padStart(4)} ${name} (${each.type})`);
    for (const why of each.causes ?? []) {
      const [before, after] = [JSON.stringify(why.before ?? null),
        why.known_after_apply ? `(${t('known after apply')})`
          : JSON.stringify(why.after ?? null)];
      const source = sourceText(why.source);
      lines.push(`       ${why.property}: ${before} → ${after}${
        source ? `  [${source}]` : ''}${
        why.forces_replacement ? `  ${t('forces replacement')}` : ''}`);
    }
  }
  return lines.join('\n');
}

class Plan {
  constructor({root, api, href, route}) {
    Object.assign(this, {root, api, href});
    const [id, name, stackId] = route.rest;
    this.stack = stackId ? {stack_name: name, id: stackId} : null;
    this.path = `${this.stack ? `${stackPath(this.stack)}/` : ''
    }change_sets/${enc(id)}`;
  }

  async read() {
    clearTimeout(this.timer);
    try {
      const {change_set: found} = await this.api.get(this.path);
      if (this.isStopped) return;
      this.draw(found);
      if (found.status === 'CREATE_IN_PROGRESS') {
        this.timer = setTimeout(() => this.read(), PAUSE);
      }
    } catch (error) {
      show(this.root, problem(error, () => this.read()));
    }
  }

  draw(found) {
    title(found.name ?? found.stack_name);
    const isReady = found.status === 'AVAILABLE';
    const showKept = h('input', {type: 'checkbox', on: {
      change: () => drawChanges()}});
    const place = h('div');
    const drawChanges = () => {
      const changes = (found.changes ?? []).filter(
        (each) => showKept.checked || each.action !== 'keep');
      show(place, changes.length
        ? h('ul', {class: 'changes'}, changes.map(change))
        : nothing(t('Nothing changes.')));
    };
    show(this.root, h('div', {class: 'heading'},
      h('h1', null, t('Changes of {name}', {name: found.stack_name})),
      h('span', {class: `badge ${isReady ? 'ok' : 'idle'}`},
        found.status.replaceAll('_', ' ')),
      h('span', {class: 'grow'}),
      this.stack && h('a', {class: 'button', href: this.href('stack',
        this.stack.stack_name, this.stack.id)}, t('To the stack')),
      this.api.may('change_sets:delete') && h('button', {
        type: 'button', on: {click: () => this.remove()}}, t('Delete')),
      isReady && this.api.may('change_sets:execute') && h('button', {
        type: 'button', class: 'primary', on: {
          click: () => this.execute(found)}}, t('Execute'))),
    h('p', {class: 'meta'}, found.name && h('span', null, found.name),
      h('span', null, found.action),
      found.creator && h('span', null, found.creator),
      timeElement(found.creation_time)),
    found.status_reason && h('pre', {class: 'reason'}, found.status_reason),
    counts(found.counts),
    h('div', {class: 'tab-tools'},
      h('label', null, showKept, ' ', t('show what stays as it is'))),
    place, h('details', {class: 'panel'}, h('summary', null, t('As text')),
      h('pre', {class: 'value', tabindex: '0'}, asText(found))));
    drawChanges();
  }

  async execute(found) {
    const answer = await ask({
      title: t('Execute the changes of {name}?', {name: found.stack_name}),
      body: counts(found.counts), action: t('Execute')});
    if (!answer) return;
    try {
      await this.api.post(`${this.path}/execute`, {});
      const parts = ['stack', found.stack_name];
      if (this.stack) parts.push(this.stack.id, 'topology');
      location.hash = this.href(...parts);
    } catch (error) {
      message(error.message, 'error');
      this.read();
    }
  }

  async remove() {
    const answer = await ask({title: t('Delete the change set?'),
                              action: t('Delete'), danger: true});
    if (!answer) return;
    await attempt(async () => {
      await this.api.delete(this.path);
      location.hash = this.href('plans');
    });
  }

  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}

function list(found, href) {
  if (!found.change_sets.length) {
    return nothing(t('There are no change sets. The editor makes one when ' +
                     'you preview the changes of a stack.'));
  }
  return table(t('Change sets'),
    [t('Stack'), t('Name'), t('Action'), t('Status'), t('Creator'),
     t('Created')],
    found.change_sets.map((each) => {
      const parts = ['plans', each.id];
      if (each.stack_id) parts.push(each.stack_name, each.stack_id);
      return h('tr', null,
        h('td', null, h('a', {href: href(...parts)}, each.stack_name)),
        h('td', null, each.name ?? ''), h('td', null, each.action),
        h('td', null, each.status.replaceAll('_', ' ')),
        h('td', null, each.creator ?? ''),
        h('td', null, timeElement(each.creation_time)));
    }));
}

/** Show the change sets of the project, or one of them. */
export function open(context) {
  const {root, api, href, route} = context;
  if (route.rest.length) {
    const plan = new Plan(context);
    show(root, waiting());
    plan.read();
    return () => plan.stop();
  }
  title(t('Change sets'));
  const body = h('div');
  show(root, h('div', {class: 'heading'},
    h('h1', null, t('Change sets'))), body);
  load(body, () => api.get('change_sets'), (found) => list(found, href));
  return () => {};
}

/** Show the change sets of a stack. */
export function openTab({root, api, model, href}) {
  load(root, () => api.get(`${model.path}/change_sets`),
    (found) => list(found, href));
  return () => {};
}
