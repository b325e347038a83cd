// When each resource was waited for and worked on, as bars.
import {h, s, show} from '../dom.js';
import {duration, exactTime, instant, kindOf} from '../format.js';
import {t} from '../i18n.js';
import {fromEvents} from '../timeline_data.js';
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
  return timeline.resources.filter((each) => each.started_at || each.ready_at)
    .filter((each) => !onlyCritical || each.is_critical)
    .sort((a, b) => instant(a.ready_at ?? a.started_at) -
      instant(b.ready_at ?? b.started_at) ||
      instant(a.started_at) - instant(b.started_at) ||
      a.path.localeCompare(b.path));
}

function chart(timeline, onlyCritical) {
  const all = bars(timeline, onlyCritical).slice(0, SHOWN);
  const begin = instant(timeline.started_at) ||
    Math.min(...all.map((each) => instant(each.started_at)));
  const ends = all.map((each) => instant(each.finished_at) || Date.now());
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
  all.map((each, i) => bar(each, 26 + i * ROW, x)));
}

function bar(resource, y, x) {
  const started = instant(resource.started_at);
  const ready = instant(resource.ready_at);
  const finished = instant(resource.finished_at) || Date.now();
  const from = Number.isNaN(started) ? finished : started;
  const seconds = resource.acting_seconds ?? (finished - from) / 1000;
  const kind = kindOf(`${resource.action}_${resource.status}`);
  const text = [resource.path, resource.type,
    `${resource.action} ${resource.status}`, duration(seconds),
    resource.waiting_seconds > 0 &&
      t('waited {time}', {time: duration(resource.waiting_seconds)}),
    resource.attempts > 1 &&
      t('{count} attempts', {count: resource.attempts}),
    resource.is_critical && t('critical path')].filter(Boolean).join(', ');
  return s('g', {
    class: `bar ${kind}${resource.is_critical ? ' critical' : ''}`,
    role: 'listitem', 'aria-label': text},
  s('title', null, `${text}\n${exactTime(resource.started_at)}`),
  s('rect', {class: 'hit', x: 0, y, width: WIDTH, height: ROW}),
  s('text', {class: 'label', x: 6, y: y + 16},
    `${resource.is_critical ? '● ' : ''}${clipped(resource.path)}`),
  ready < from && s('rect', {
    class: 'wait', x: x(ready), y: y + 9, height: 6, rx: 3,
    width: Math.max(1, x(from) - x(ready))}),
  s('rect', {class: 'act', x: x(from), y: y + 4, height: 16, rx: 3,
             width: Math.max(3, x(finished) - x(from))}),
  s('text', {class: 'time', x: x(finished) + 6, y: y + 16},
    duration(seconds)));
}

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
    h('span', {class: 'legend'}, h('span', {class: 'key wait'}, t('waiting')),
      h('span', {class: 'key act'}, t('working')),
      h('span', {class: 'key'}, `● ${t('critical path')}`))), body);

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
