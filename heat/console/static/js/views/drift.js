// How a stack differs from what really exists: the last comparison, a new
// one, and the plan of a way back.
import {h, show} from '../dom.js';
import {timeElement, valueText} from '../format.js';
import {t} from '../i18n.js';
import {attempt, nothing, problem, table, waiting} from '../ui.js';

const PAUSE = 1000;
const SHOWN = 500;
const RUNNING = 'DETECTION_IN_PROGRESS';
/** What is found of a resource: its colour, sign and name, worst first. */
const FINDINGS = {
  DELETED: ['failed', '✕', 'deleted'],
  MODIFIED: ['warn', '≠', 'modified'],
  UNSUPPORTED: ['idle', '?', 'not compared'],
  IN_SYNC: ['ok', '✓', 'in sync'],
};
const ORDER = Object.keys(FINDINGS);
const DRIFTED = ['DELETED', 'MODIFIED'];

function finding(status, count = null) {
  const [kind, glyph, name] = FINDINGS[status] ?? ['idle', '?', status];
  return h('span', {class: `badge ${kind}`},
    h('span', {class: 'glyph', 'aria-hidden': 'true'}, glyph),
    count === null ? t(name) : `${count} ${t(name)}`);
}

/** Return the resources of a report in the order of their importance. */
export function ordered(resources, onlyDrifted) {
  return resources.filter(
    (each) => !onlyDrifted || DRIFTED.includes(each.status))
    .sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) ||
      a.path.join('/').localeCompare(b.path.join('/')));
}

function difference(each) {
  if (each.left_out) {
    return h('tr', null, h('td', {colspan: 3, class: 'muted'},
      t('{count} more', {count: each.left_out})));
  }
  return h('tr', null, h('td', {class: 'mono'}, each.property),
    h('td', null, h('pre', {class: 'value after'},
      valueText(each.expected ?? ''))),
    h('td', null, h('pre', {class: 'value before'},
      valueText(each.actual ?? ''))));
}

function card(each) {
  const path = each.path.join(' / ');
  const own = h('li', {class: 'change'},
    h('div', {class: 'change-head'}, finding(each.status),
      h('strong', null, path), h('span', {class: 'muted'}, each.type),
      each.physical_resource_id &&
        h('span', {class: 'mono muted'}, each.physical_resource_id),
      each.reason && h('span', {class: 'muted'}, each.reason)),
    each.differences.length > 0 && table(
      t('Differences of {name}', {name: path}),
      [t('Property'), t('Expected'), t('Actual')],
      each.differences.map(difference)));
  own.style.setProperty('--depth', each.path.length - 1);
  return own;
}

class Report {
  constructor({root, api, model, href}) {
    Object.assign(this, {root, api, model, href});
    this.stop = new AbortController();
    this.timer = null;
    this.onlyDrifted = h('input', {type: 'checkbox',
                                   on: {change: () => this.drawList()}});
    this.detect = h('button', {type: 'button', hidden: !api.may(
      'drift:detect'), on: {
      click: () => this.begin()}}, t('Detect drift'));
    this.revert = h('button', {type: 'button', class: 'primary', hidden: true,
                               on: {click: () => this.plan()}},
    t('Plan the way back'));
    this.summary = h('div', {class: 'drift-summary', role: 'status'});
    this.body = h('div', {class: 'drift-body'}, waiting());
    show(root, h('div', {class: 'tab-tools'},
      h('label', null, this.onlyDrifted, ' ', t('only what has drifted')),
      h('span', {class: 'grow'}), this.detect, this.revert),
    this.summary, this.body);
  }

  async read() {
    clearTimeout(this.timer);
    try {
      const {drift} = await this.api.get(`${this.model.path}/drift`, {},
        this.stop.signal);
      this.draw(drift);
    } catch (error) {
      if (this.stop.signal.aborted) return;
      if (error.type === 'DriftDetectionNotFound') {
        show(this.body, nothing(t('The stack has not been compared with ' +
                                  'what really exists yet.')));
        return;
      }
      show(this.body, problem(error, () => this.read()));
    }
  }

  async begin() {
    this.detect.disabled = true;
    await attempt(async () => {
      const {drift} = await this.api.post(`${this.model.path}/drift`);
      this.draw({resources: [], left_out: 0, ...drift});
    });
    this.detect.disabled = this.found?.status === RUNNING;
  }

  async plan() {
    this.revert.disabled = true;
    await attempt(async () => {
      const {change_set: found} = await this.api.post(
        `${this.model.path}/change_sets`,
        {existing: true, revert_drift: true});
      if (this.stop.signal.aborted) return;
      location.hash = this.href('plans', found.id, this.model.name,
        this.model.id);
    });
    this.revert.disabled = false;
  }

  draw(found) {
    if (this.stop.signal.aborted) return;
    this.found = found;
    const isRunning = found.status === RUNNING;
    this.detect.disabled = isRunning;
    this.revert.hidden = isRunning || found.drift !== 'DRIFTED' ||
      !this.api.may('change_sets:create');
    show(this.summary,
      isRunning ? this.progress(found.progress) : this.verdict(found),
      h('p', {class: 'meta'},
        h('span', null, found.creator
          ? t('asked for by {name}', {name: found.creator})
          : t('begun by the service')),
        timeElement(found.completion_time ?? found.creation_time)));
    this.drawList();
    if (isRunning) this.timer = setTimeout(() => this.read(), PAUSE);
  }

  progress({examined, total}) {
    return h('p', {class: 'meta'}, h('progress', {
      'aria-label': t('Comparing'), max: total || 1,
      ...(total ? {value: examined ?? 0} : {})}),
    h('span', null, total
      ? t('{found} of {all}', {found: examined ?? 0, all: total})
      : t('Comparing')));
  }

  verdict(found) {
    if (found.status === 'DETECTION_FAILED') {
      return h('p', {class: 'reason'},
        found.status_reason || t('The comparison failed.'));
    }
    return h('p', {class: 'counts'},
      ORDER.filter((each) => found.counts[each])
        .map((each) => finding(each, found.counts[each])));
  }

  drawList() {
    if (!this.found) return;
    const {resources, left_out: leftOut} = this.found;
    const all = ordered(resources, this.onlyDrifted.checked);
    if (!all.length) {
      show(this.body, this.found.status === 'DETECTION_COMPLETE' &&
        nothing(t('Nothing has drifted.')));
      return;
    }
    const more = Math.max(0, all.length - SHOWN) + (leftOut ?? 0);
    show(this.body,
      h('ul', {class: 'changes'}, all.slice(0, SHOWN).map(card)),
      more > 0 && h('p', {class: 'muted'}, t('{count} more', {count: more})));
  }

  end() {
    this.stop.abort();
    clearTimeout(this.timer);
  }
}

/** Show the last comparison of a stack with what really exists. */
export function openTab(context) {
  const report = new Report(context);
  report.read();
  return () => report.end();
}
