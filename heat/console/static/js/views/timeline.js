// When each resource was waited for and worked on, as bars.
import {h, s, show} from '../dom.js';
import {duration, exactTime, instant, kindOf} from '../format.js';
import {t} from '../i18n.js';
import {entries, fromEvents, phasesOf} from '../timeline_data.js';
import {nothing} from '../ui.js';

const ROW = 24;
const LABEL = 270;
const WIDTH = 1280;
const SHOWN = 1000;
const TICKS = 6;

/** Return steps of a scale that read well: 1, 2, 5, 10, 30, 60 seconds. */
export function step(seconds) {
  const rough = seconds / TICKS;
  return [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600,
          7200, 21_600, 86_400].find((each) => each >= rough) ?? 86_400;
}

const clipped = (text) => (text.length > 36 ? `…${text.slice(-35)}` : text);

function bars(timeline, onlyCritical) {
  // What has not begun shows last, and only while it may still begin.
  const when = (text) => instant(text) || Infinity;
  const order = (a, b) => (a === b ? 0 : a - b);
  return timeline.resources.filter((each) => each.started_at ||
    each.ready_at || !timeline.finished_at)
    .filter((each) => !onlyCritical || each.is_critical)
    .sort((a, b) => order(when(a.ready_at ?? a.started_at),
      when(b.ready_at ?? b.started_at)) ||
      order(when(a.started_at), when(b.started_at)) ||
      a.path.localeCompare(b.path));
}

function chart(timeline, onlyCritical) {
  const all = bars(timeline, onlyCritical).slice(0, SHOWN);
  const now = instant(timeline.finished_at) || Date.now();
  const begin = instant(timeline.started_at) ||
    Math.min(...all.map((each) => instant(each.started_at)));
  const entered = entries(timeline);
  const ends = all.map((each) => instant(each.finished_at) || now);
  const end = Math.max(begin + 1000, instant(timeline.finished_at) || 0,
    ...ends);
  const total = (end - begin) / 1000;
  const x = (time) => LABEL + Math.max(0,
    (time - begin) / (end - begin)) * (WIDTH - LABEL - 70);
  const height = all.length * ROW + 28;
  const size = step(total);
  const ticks = Array.from({length: Math.floor(total / size) + 1},
    (_, i) => i * size);
  return s('svg', {
    class: 'timeline-chart', viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'list', 'aria-label': t('Timeline'), width: '100%'},
  ticks.map((each) => s('g', {class: 'tick', 'aria-hidden': 'true'},
    s('line', {x1: x(begin + each * 1000), x2: x(begin + each * 1000),
               y1: 20, y2: height}),
    s('text', {x: x(begin + each * 1000), y: 13}, duration(each)))),
  all.map((each, i) => bar(each, phasesOf(
    each, entered.get(each.path) || begin, now), 26 + i * ROW, x)));
}

/** The height of each phase, and how far below the row it begins. */
const SHAPES = {dependencies: [3, 10], turn: [8, 8], act: [16, 4],
                poll: [12, 6]};
const WAITS = ['dependencies', 'turn'];

function phase({kind, from, to}, y, x) {
  const [height, below] = SHAPES[kind];
  const isWait = WAITS.includes(kind);
  return s('rect', {
    class: isWait ? `wait ${kind}` : kind, x: x(from), y: y + below, height,
    rx: Math.min(3, height / 2),
    width: Math.max(isWait ? 1 : 3, x(to) - x(from))});
}

function bar(resource, phases, y, x) {
  const secondsOf = (kind) => phases.filter((each) => each.kind === kind)
    .reduce((sum, each) => sum + (each.to - each.from) / 1000, 0);
  const acted = resource.acting_seconds ?? secondsOf('act');
  const polled = resource.polling_seconds ?? secondsOf('poll');
  const seconds = acted + polled;
  const kind = kindOf(`${resource.action}_${resource.status}`);
  const waits = {
    dependencies: secondsOf('dependencies'), turn: secondsOf('turn')};
  const text = [resource.path, resource.type,
    `${resource.action} ${resource.status}`, duration(seconds),
    waits.dependencies > 0 && t('waited {time} for dependencies',
      {time: duration(waits.dependencies)}),
    waits.turn > 0 && t('waited {time} for a turn',
      {time: duration(waits.turn)}),
    polled > 0 && t('acted for {time}', {time: duration(acted)}),
    polled > 0 && t('polled for {time}', {time: duration(polled)}),
    resource.attempts > 1 &&
      t('{count} attempts', {count: resource.attempts}),
    resource.is_critical && t('critical path')].filter(Boolean).join(', ');
  const end = phases.at(-1)?.to;
  return s('g', {
    class: `bar ${kind}${resource.is_critical ? ' critical' : ''}`,
    role: 'listitem', 'aria-label': text},
  s('title', null, `${text}\n${exactTime(resource.started_at)}`),
  s('rect', {class: 'hit', x: 0, y, width: WIDTH, height: ROW}),
  s('text', {class: 'label', x: 6, y: y + 16},
    `${resource.is_critical ? '● ' : ''}${clipped(resource.path)}`),
  phases.map((each) => phase(each, y, x)),
  resource.started_at && s('text', {class: 'time', x: x(end) + 6, y: y + 16},
    duration(seconds)));
}

const LEGEND = [['dependencies', 'waits for dependencies'],
                ['turn', 'waits for a turn'], ['act', 'acts'],
                ['poll', 'polls until it has ended']];

/** Show the timeline of the last operation of a stack. */
export function openTab({root, api, model}) {
  const stop = new AbortController();
  let hasRoute = true;
  let timer = null;
  let drawn = '';
  const onlyCritical = h('input', {type: 'checkbox', on: {change: () => {
    drawn = '';
    read();
  }}});
  const summary = h('span', {class: 'muted', role: 'status'});
  const body = h('div', {class: 'chart-place'});
  show(root, h('div', {class: 'tab-tools'},
    h('label', null, onlyCritical, ' ', t('critical path only')), summary,
    h('span', {class: 'grow'}),
    h('ul', {class: 'legend', 'aria-label': t('Legend')},
      LEGEND.map(([kind, name]) =>
        h('li', {class: `key ${kind}`}, t(name))),
      h('li', {class: 'key'}, `● ${t('critical path')}`))), body);

  async function fetchIt() {
    if (hasRoute) {
      try {
        const {timeline} = await api.get(`${model.path}/timeline`,
          {nested_depth: 5}, stop.signal);
        return timeline;
      } catch (error) {
        if (error.status !== 404) throw error;
        hasRoute = false;
      }
    }
    return fromEvents(model);
  }

  async function read() {
    clearTimeout(timer);
    let isBusy = kindOf(model.stack?.stack_status) === 'busy';
    try {
      const timeline = await fetchIt();
      if (stop.signal.aborted) return;
      isBusy ||= !timeline.finished_at;
      const key = JSON.stringify(timeline);
      if (key !== drawn || isBusy) {
        drawn = key;
        draw(timeline);
      }
    } catch (error) {
      if (stop.signal.aborted) return;
      show(body, nothing(error.message));
    }
    if (isBusy) timer = setTimeout(read, 1500);
  }

  function draw(timeline) {
    const count = timeline.resources.length;
    if (!count) {
      show(body, nothing(t('Nothing has happened yet.')));
      return;
    }
    const end = instant(timeline.finished_at) || Date.now();
    summary.textContent = [
      timeline.action && `${timeline.action} ${timeline.status ?? ''}`,
      duration((end - instant(timeline.started_at)) / 1000),
      t('{count} resources', {count})].filter(Boolean).join(' · ');
    show(body, chart(timeline, onlyCritical.checked));
  }

  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(read, 500);
  };
  for (const name of ['events', 'stack']) {
    model.addEventListener(name, later, {signal: stop.signal});
  }
  read();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
