// One stack with all below it, kept up to date by its events.
import {enc, stackPath} from './api.js';
import {throttled} from './dom.js';
import {instant, kindOf} from './format.js';
import {followStack, fromList} from './stream.js';

const DEPTH = 5;
const EVENTS = 500;
const KEPT = 5000;

const linkOf = (thing, rel) =>
  thing.links?.find((each) => each.rel === rel)?.href;

/** Return {name, id} of the stack that an address of the API is about. */
export function stackOfLink(href) {
  const [name, id] = (href ?? '').split('/stacks/')[1]?.split('/') ?? [];
  return id ? {name: decodeURIComponent(name), id} : null;
}

/** Return a resource of the list with the ids of its stacks. */
export function resourceOf(row) {
  const own = stackOfLink(linkOf(row, 'stack'));
  return {
    key: `${own?.id}/${row.resource_name}`,
    name: row.resource_name,
    type: row.resource_type,
    status: row.resource_status,
    reason: row.resource_status_reason ?? '',
    physicalId: row.physical_resource_id ?? '',
    requiredBy: row.required_by ?? [],
    created: row.creation_time, updated: row.updated_time,
    stack: own, nested: stackOfLink(linkOf(row, 'nested')),
    parentResource: row.parent_resource ?? null,
  };
}

/**
 * Return the resource that a failure began with, null if none has failed.
 *
 * It is the first to fail of those that fail by themselves, not by a
 * resource of the stack nested in them.
 */
export function rootCause(resources, events) {
  const failed = resources.filter((each) => kindOf(each.status) === 'failed');
  const broken = new Set(failed.map((each) => each.stack?.id));
  const own = failed.filter((each) => !each.nested ||
                                      !broken.has(each.nested.id));
  const when = new Map();
  for (const [i, event] of events.entries()) {
    if (kindOf(event.resource_status) !== 'failed') continue;
    when.set(`${event.stack_id}/${event.resource_name}`,
      [instant(event.event_time), i]);
  }
  const cancelled = (each) =>
    (/cancell?ed|abgebrochen/i.test(each.reason) ? 1 : 0);
  const order = (each) => when.get(each.key) ?? [Infinity, 0];
  return own.sort((a, b) => cancelled(a) - cancelled(b) ||
    order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1])[0] ?? null;
}

/** Return the logical path of a resource: the names of all it is in. */
export function pathOf(resource, holders) {
  const holder = holders.get(resource.stack?.id);
  return holder && holder !== resource
    ? `${pathOf(holder, holders)}/${resource.name}` : resource.name;
}

/** Return the address of the line that defines a resource. */
export function definitionHref(href, {stack, name}) {
  return `${href('stack', stack.name, stack.id, 'template')}?${
    new URLSearchParams({resource: name})}`;
}

/** Emits 'stack', 'resources', 'status', 'events', 'connection', 'gone'. */
export class StackModel extends EventTarget {
  constructor(api, name, id) {
    super();
    Object.assign(this, {api, name, id});
    this.path = stackPath({name, id});
    this.stack = null;
    this.resources = new Map();
    this.events = [];
    this.connection = 'lost';
    this.templates = new Map();
    this.refreshAll = throttled(1500, () => this.read());
    this.refreshStack = throttled(700, () => this.readStack());
    this.stopped = false;
  }

  emit(name, detail = null) {
    if (!this.stopped) this.dispatchEvent(new CustomEvent(name, {detail}));
  }

  async start() {
    // The stream tells what follows the newest of these: what is read before
    // them may be older, and stay so.
    const list = await this.api.get(`${this.path}/events`,
      {nested_depth: DEPTH, sort_dir: 'desc', limit: EVENTS});
    await this.read();
    this.events = list.events.map(fromList).reverse();
    this.emit('events', this.events);
    if (this.stopped) return;
    this.stopFollowing = followStack(
      this.api, {name: this.name, id: this.id}, this.events,
      (events) => this.take(events), (state) => {
        if (state === this.connection) return;
        if (state === 'ended') this.refreshStack();
        const wasLost = this.connection === 'lost' && this.hasBegun;
        this.connection = state;
        this.hasBegun = true;
        if (wasLost) this.refreshAll();
        this.emit('connection', state);
      });
  }

  async read() {
    await Promise.all([this.readStack(), this.readResources()]);
  }

  async readStack() {
    try {
      const {stack} = await this.api.get(this.path,
        {resolve_outputs: 'false'});
      this.stack = stack;
      this.emit('stack', stack);
    } catch (error) {
      if (error.status !== 404 || !this.stack) {
        if (!this.stack) throw error;
        return;
      }
      this.emit('gone');
    }
  }

  async readResources() {
    try {
      const {resources} = await this.api.get(`${this.path}/resources`,
        {nested_depth: DEPTH});
      this.resources = new Map(resources.map(resourceOf).map(
        (each) => [each.key, each]));
      this.emit('resources', this.resources);
    } catch (error) {
      if (!this.stack || error.status === 404) return;
      if (!this.resources.size) throw error;
    }
  }

  take(events) {
    this.events.push(...events);
    const surplus = this.events.length - KEPT;
    if (surplus > 0) this.events.splice(0, surplus);
    const changed = new Set();
    let needsAll = false;
    for (const event of events) {
      if (event.physical_resource_id === this.id) {
        this.refreshStack();
        if (kindOf(event.resource_status) !== 'busy') needsAll = true;
        continue;
      }
      const key = `${event.stack_id}/${event.resource_name}`;
      const resource = this.resources.get(key);
      if (!resource) {
        // The event of a nested stack itself bears its name.
        needsAll = true;
        continue;
      }
      resource.status = event.resource_status;
      resource.reason = event.resource_status_reason ?? '';
      if (event.physical_resource_id) {
        resource.physicalId = event.physical_resource_id;
      }
      changed.add(resource);
    }
    this.emit('events', events);
    if (changed.size) this.emit('status', changed);
    if (needsAll) this.refreshAll();
  }

  /** Return the resource that holds each nested stack, by its id. */
  holders() {
    return new Map([...this.resources.values()].filter(
      (each) => each.nested).map((each) => [each.nested.id, each]));
  }

  /** Return the template of the stack or of one nested in it. */
  template(stack = {name: this.name, id: this.id}) {
    const stamp = `${stack.id}/${this.stack?.updated_time}`;
    if (!this.templates.has(stamp)) {
      const answer = this.api.get(`${stackPath(stack)}/template`);
      this.templates.set(stamp, answer);
      answer.catch(() => this.templates.delete(stamp));
    }
    return this.templates.get(stamp);
  }

  /** Return what the service knows of a resource, attributes included. */
  detail(resource) {
    return this.api.get(
      `${stackPath(resource.stack)}/resources/${enc(resource.name)}`);
  }

  stop() {
    this.stopped = true;
    this.refreshAll.cancel();
    this.refreshStack.cancel();
    this.stopFollowing?.();
  }
}
