// The timeline of an operation, derived from events where the service does
// not offer it.
import {instant, kindOf} from './format.js';
import {pathOf} from './stack_model.js';

/** Kinds of phases by the names that the API gives them. */
const KINDS = {dependencies: 'dependencies', turn: 'turn', acting: 'act',
               polling: 'poll'};

/**
 * Return what happened to a resource, in order: [{kind, from, to}].
 *
 * Kinds are 'dependencies' and 'turn' for what it waited for, 'act' for what
 * began the operation, and 'poll' for waiting until that has ended. A service
 * that does not know the last tells of 'act' only.
 *
 * @param {object} resource an entry of a timeline
 * @param {number} entered when its stack began the operation, milliseconds
 * @param {number} now the end of what has not ended
 */
export function phasesOf(resource, entered, now) {
  const started = instant(resource.started_at);
  const begin = Number.isNaN(started) ? now : started;
  const ready = instant(resource.ready_at);
  if (resource.phases) return told(resource, started, now);
  const phases = [];
  const add = (kind, from, to) => {
    if (to > from) phases.push({kind, from, to});
  };
  if (!Number.isNaN(ready)) {
    add('dependencies', entered, Math.min(ready, begin));
    add('turn', ready, begin);
  } else if (Number.isNaN(started)) {
    add('dependencies', entered, now);
  }
  if (!Number.isNaN(started)) {
    const finished = instant(resource.finished_at);
    phases.push({kind: 'act', from: started,
                 to: Number.isNaN(finished) ? now : finished});
  }
  return phases;
}

/** Return the phases that the service tells; work shows in any case. */
function told(resource, started, now) {
  const phases = resource.phases.map((each) => ({
    kind: KINDS[each.phase], from: instant(each.started_at),
    to: instant(each.finished_at)}));
  const hasWork = phases.some(({kind}) => kind === 'act' || kind === 'poll');
  if (!hasWork && !Number.isNaN(started)) {
    phases.push({kind: 'act', from: started,
                 to: instant(resource.finished_at) || now});
  }
  return phases;
}

/** Return when the stack of each resource began, by paths of resources. */
export function entries(timeline) {
  const begin = instant(timeline.started_at);
  const starts = new Map(timeline.resources.map(
    (each) => [each.path, instant(each.started_at)]));
  return new Map(timeline.resources.map(({path}) => {
    const holder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    return [path, starts.get(holder) || begin];
  }));
}

/** Return the events of the last operation of a stack, the oldest first. */
export function lastOperation(events, stackId) {
  const begin = events.findLastIndex((each) =>
    each.physical_resource_id === stackId &&
    kindOf(each.resource_status) === 'busy');
  return begin < 0 ? events : events.slice(begin);
}

/** Return the chain of bars that the end of the operation waited for. */
function criticalPath(bars, model) {
  const byKey = new Map(bars.map((bar) => [bar.key, bar]));
  const ending = (bar) => instant(bar.finished_at) || Infinity;
  const last = (all) => all.reduce(
    (best, bar) => (!best || ending(bar) >= ending(best) ? bar : best), null);
  const path = [];
  let bar = last(bars.filter((each) => each.stackId === model.id));
  while (bar && !path.includes(bar)) {
    path.unshift(bar);
    const {name, stackId} = bar;
    bar = last([...model.resources.values()].filter((each) =>
      each.stack?.id === stackId && each.requiredBy.includes(name))
      .map((each) => byKey.get(each.key)).filter(Boolean));
  }
  return path;
}

/** Return the timeline of the last operation in the form of the API. */
export function fromEvents(model) {
  const events = lastOperation(model.events, model.id);
  const bars = new Map();
  const holders = model.holders();
  for (const event of events) {
    if (event.physical_resource_id === model.id) continue;
    const key = `${event.stack_id}/${event.resource_name}`;
    const resource = model.resources.get(key);
    if (!resource) continue;
    const status = event.resource_status;
    const bar = bars.get(key) ?? {
      key, path: pathOf(resource, holders),
      name: resource.name, type: resource.type, stackId: resource.stack.id,
      started_at: event.event_time, finished_at: null, attempts: 0};
    if (kindOf(status) === 'busy') {
      bar.attempts += 1;
      bar.finished_at = null;
    } else {
      bar.finished_at = event.event_time;
    }
    [bar.action, bar.status] = status.split(/_(.*)/);
    bars.set(key, bar);
  }
  const all = [...bars.values()];
  const path = criticalPath(all, model);
  for (const bar of all) bar.is_critical = path.includes(bar);
  const end = events.at(-1);
  const isDone = model.stack && kindOf(model.stack.stack_status) !== 'busy';
  return {
    started_at: events[0]?.event_time,
    finished_at: isDone ? end?.event_time : null,
    resources: all, critical_path: path.map((bar) => bar.path)};
}
