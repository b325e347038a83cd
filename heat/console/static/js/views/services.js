// The engines that serve the API, with their load and metrics.
import {h, show} from '../dom.js';
import {bytes, duration, fraction, number, timeElement} from '../format.js';
import {t} from '../i18n.js';
import {nothing, problem, table, title, waiting} from '../ui.js';

const PAUSE = 10_000;
/** The figures of an engine: heading, and what it counts of the load. */
const FIGURES = [
  ['Stacks', (load) => load.stacks],
  ['Resources in work', (load) => load.resources_in_flight],
  ['Resources queued', (load) => load.resources_queued],
  ['Tasks ready', (load) => load.tasks_ready],
  ['Tasks waiting', (load) => load.tasks_waiting],
  ['Writes queued', (load) => load.writes_queued],
];

/**
 * Metrics of a process since it started: heading, name, formatter. Engines of
 * the previous release do not report them.
 */
const METRICS = [
  ['Actions done', 'actions_done', (value) => number.format(value)],
  ['Actions failed', 'actions_failed', (value) => number.format(value)],
  ['Actions per second', 'actions_per_second', fraction],
  ['Time of an action', 'action_seconds', duration],
  ['SQL statements', 'sql_statements', (value) => number.format(value)],
  ['Cloud requests', 'cloud_requests', (value) => number.format(value)],
  ['Cloud requests failed', 'cloud_requests_failed',
   (value) => number.format(value)],
  ['CPU time', 'cpu_seconds', duration],
  ['Memory', 'memory_bytes', bytes],
];

function cell(text) {
  return h('td', {class: 'number'},
    text ?? h('span', {class: 'muted', title: t('not known')}, '–'));
}

function figures(load) {
  return FIGURES.map(([, of]) => cell(load && number.format(of(load))));
}

/** Return the formatted metrics of an engine; null where unknown. */
export function metricTexts(load) {
  return METRICS.map(([, name, text]) => {
    const value = load?.metrics?.[name] ?? null;
    return value === null ? null : text(value);
  });
}

/** Return the table of metrics. */
function metrics(services) {
  return h('section', {class: 'metrics'}, h('h2', null, t('Metrics')),
    h('p', {class: 'muted'}, t('Figures of each engine since it ' +
      'started. Actions per second are the mean of the last minute.')),
    table(t('Metrics'),
      [t('Host'), ...METRICS.map(([name]) => t(name)), t('Engine id')],
      services.map((each) => h('tr', null,
        h('td', null, each.hostname ?? each.host),
        metricTexts(each.load).map(cell),
        h('td', {class: 'mono'}, each.engine_id)))));
}

/** Return a figure of all engines together. */
export function total(services, of) {
  return services.reduce(
    (sum, each) => sum + (each.load ? of(each.load) : 0), 0);
}

/** Show the engines. */
export function open({root, api}) {
  const stop = new AbortController();
  let timer = null;
  const body = h('div', null, waiting());
  const summary = h('span', {class: 'muted', role: 'status'});
  title(t('Engines'));
  show(root, h('div', {class: 'heading'}, h('h1', null, t('Engines')),
    summary), body);

  async function read() {
    clearTimeout(timer);
    try {
      const [{services}, build] = await Promise.all([
        // An engine of the former release does not know the load.
        api.get('services', {with_load: true}, stop.signal).catch(
          () => api.get('services', {}, stop.signal)),
        api.get('build_info', {}, stop.signal).catch(() => null)]);
      draw(services, build);
    } catch (error) {
      if (stop.signal.aborted) return;
      show(body, problem(error, read));
    }
    if (!stop.signal.aborted) timer = setTimeout(read, PAUSE);
  }

  function draw(services, build) {
    const up = services.filter((each) => each.status === 'up').length;
    summary.textContent = [
      t('{up} of {all} up', {up, all: services.length}),
      t('{count} resources in work', {count: number.format(
        total(services, (load) => load.resources_in_flight))}),
      t('{count} queued', {count: number.format(
        total(services, (load) => load.resources_queued))}),
      build?.engine?.revision && `${t('revision')} ${build.engine.revision}`]
      .filter(Boolean).join(' · ');
    show(body, services.length ? [table(t('Engines'),
      [t('Host'), t('Status'), ...FIGURES.map(([name]) => t(name)),
       t('Program'), t('Topic'), t('Reports every'), t('Last report'),
       t('Started'), t('Engine id')],
      services.map((each) => h('tr', null,
        h('td', null, each.hostname ?? each.host),
        h('td', null, h('span', {
          class: `badge ${each.status === 'up' ? 'ok' : 'failed'}`},
        h('span', {class: 'glyph', 'aria-hidden': 'true'},
          each.status === 'up' ? '✓' : '✕'), each.status)),
        figures(each.load),
        h('td', null, each.binary), h('td', null, each.topic),
        h('td', null, `${each.report_interval} s`),
        h('td', null, timeElement(each.updated_at ?? each.created_at)),
        h('td', null, timeElement(each.created_at)),
        h('td', {class: 'mono'}, each.engine_id)))), metrics(services)]
      : nothing(t('No engine has reported.')));
  }

  read();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
