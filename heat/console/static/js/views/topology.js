// The graph of a stack, live, with the stacks nested in it.
import {enc} from '../api.js';
import {h, show, throttled} from '../dom.js';
import {badge, clockTime, copyButton, kindOf, valueText}
  from '../format.js';
import {GraphView} from '../graph.js';
import {t} from '../i18n.js';
import {definitionHref} from '../stack_model.js';
import {needsOf, reasonText, sectionsOf} from '../template.js';
import {attempt, facts, nothing} from '../ui.js';

class Topology {
  constructor({root, api, model, href, route}) {
    Object.assign(this, {root, api, model, href});
    this.wanted = route.query.get('resource');
    this.unfolded = new Set();
    this.reasons = new Map();
    this.aside = h('aside', {class: 'details', 'aria-label': t('Details')});
    this.graph = new GraphView({
      label: t('Dependencies of the resources'),
      onSelect: (id) => this.showDetails(id),
      onToggle: (id) => this.toggle(id)});
    this.legend = h('div', {class: 'legend'});
    this.graph.tools.append(
      h('button', {type: 'button', class: 'quiet small',
                   on: {click: () => this.nextFailed()}},
      t('Go to failed')),
      h('button', {type: 'button', class: 'quiet small',
                   on: {click: () => this.toggleAll()}},
      t('Unfold all')));
    this.graph.element.append(this.legend);
    this.draw = throttled(120, () => this.redraw());
    this.stop = new AbortController();
    const listen = (name, action) => model.addEventListener(name, action,
      {signal: this.stop.signal});
    listen('resources', () => this.draw());
    listen('status', (event) => this.update(event.detail));
    show(root, h('div', {class: 'split'}, this.graph.element, this.aside));
    this.showDetails(null);
    this.redraw();
    this.learnReasons();
  }

  resourcesOf(stackId) {
    this.byStack ??= Map.groupBy(this.model.resources.values(),
      (each) => each.stack?.id);
    return this.byStack.get(stackId) ?? [];
  }

  graphOf(stackId) {
    const resources = this.resourcesOf(stackId);
    const known = new Set(resources.map((each) => each.name));
    return {
      nodes: resources.map((each) => ({
        id: each.key, name: each.name, type: each.type, status: each.status,
        canUnfold: Boolean(each.nested &&
                           this.resourcesOf(each.nested.id).length),
        group: each.nested && this.unfolded.has(each.key) &&
          this.resourcesOf(each.nested.id).length
          ? this.graphOf(each.nested.id) : null})),
      edges: resources.flatMap((each) => each.requiredBy.filter(
        (name) => known.has(name)).map(
        (name) => [each.key, `${stackId}/${name}`]))};
  }

  /** Draw anew if the graph has changed; else only the colours. */
  redraw() {
    this.byStack = null;
    const graph = this.graphOf(this.model.id);
    const shape = JSON.stringify([graph, [...this.unfolded]],
      (key, value) => (key === 'status' ? undefined : value));
    if (shape === this.shape) {
      this.update(this.model.resources.values());
      return;
    }
    this.shape = shape;
    this.graph.setGraph(graph);
    this.showLegend();
    if (this.wanted) this.openWanted();
  }

  openWanted() {
    const resource = this.model.resources.get(this.wanted);
    if (!resource) return;
    this.wanted = null;
    this.unfoldTo(resource);
    this.graph.goTo(resource.key);
  }

  /** Unfold all stacks that a resource is in. */
  unfoldTo(resource) {
    const above = new Map();
    for (const each of this.model.resources.values()) {
      if (each.nested) above.set(each.nested.id, each);
    }
    let holder = above.get(resource.stack?.id);
    let isNew = false;
    while (holder) {
      isNew ||= !this.unfolded.has(holder.key);
      this.unfolded.add(holder.key);
      holder = above.get(holder.stack?.id);
    }
    if (isNew) this.redraw();
  }

  update(resources) {
    for (const each of resources) this.graph.setStatus(each.key, each.status);
    this.showLegend();
    const current = this.model.resources.get(this.graph.current);
    if (current) this.showState(current);
  }

  showLegend() {
    const counts = {};
    for (const each of this.model.resources.values()) {
      const kind = kindOf(each.status);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    const names = {ok: t('complete'), busy: t('in progress'),
                   failed: t('failed'), idle: t('waiting'),
                   gone: t('deleted')};
    show(this.legend, Object.entries(names).filter(([kind]) => counts[kind])
      .map(([kind, name]) => h('span', {class: `count ${kind}`},
        `${counts[kind]} ${name}`)));
  }

  toggle(id) {
    const resource = this.model.resources.get(id);
    if (!resource?.nested) return;
    if (!this.unfolded.delete(id)) this.unfolded.add(id);
    this.redraw();
  }

  toggleAll() {
    const all = [...this.model.resources.values()].filter(
      (each) => each.nested);
    const isAll = all.every((each) => this.unfolded.has(each.key));
    this.unfolded = new Set(isAll ? [] : all.map((each) => each.key));
    this.graph.wasFitted = false;
    this.redraw();
  }

  nextFailed() {
    const failed = [...this.model.resources.values()].filter(
      (each) => kindOf(each.status) === 'failed');
    if (!failed.length) return;
    this.failedAt = ((this.failedAt ?? -1) + 1) % failed.length;
    this.unfoldTo(failed[this.failedAt]);
    this.graph.goTo(failed[this.failedAt].key);
  }

  async learnReasons(stack = {name: this.model.name, id: this.model.id}) {
    if (this.reasons.has(stack.id)) return this.reasons.get(stack.id);
    const found = (async () => {
      try {
        const template = await this.model.template(stack);
        return {needs: needsOf(template),
                resources: sectionsOf(template).resources};
      } catch {
        // Without the template the edges are shown without reasons.
        return {needs: new Map(), resources: {}};
      }
    })();
    this.reasons.set(stack.id, found);
    return found;
  }

  showDetails(id) {
    const resource = this.model.resources.get(id);
    if (!resource) {
      show(this.aside, nothing(
        t('Choose a resource to see its details. Arrow keys move, Enter ' +
          'chooses, plus and minus fold.')));
      return;
    }
    this.state = h('div');
    const [needs, properties, attributes, events] =
      [h('section'), h('section'), h('section'), h('section')];
    show(this.aside, h('div', {class: 'heading'},
      h('h2', null, resource.name), h('span', {class: 'grow'}),
      h('button', {type: 'button', class: 'quiet small',
                   'aria-label': t('Close'),
                   on: {click: () => this.graph.select(null)}}, '✕')),
    this.state, needs, properties, attributes, events);
    this.showState(resource);
    this.showEvents(resource, events);
    this.showDefinition(resource, needs, properties);
    this.showAttributes(resource, attributes);
  }

  showState(resource) {
    const key = JSON.stringify(resource);
    if (key === this.stateKey && this.state.childElementCount) return;
    this.stateKey = key;
    const isFailed = kindOf(resource.status) === 'failed';
    show(this.state, facts([
      [t('Status'), badge(resource.status)],
      [t('Type'), h('a', {href: this.href('types', resource.type)},
        resource.type)],
      resource.physicalId && [t('Physical id'), [
        h('span', {class: 'mono'}, resource.physicalId), ' ',
        copyButton(resource.physicalId)]],
      resource.nested && [t('Nested stack'), h('a', {
        href: this.href('stack', resource.nested.name, resource.nested.id)},
      resource.nested.name)],
    ]),
    isFailed && resource.reason &&
      h('pre', {class: 'reason'}, resource.reason),
    isFailed && resource.stack && this.api.may('stacks:template') &&
      h('p', null, h('a', {href: definitionHref(this.href, resource)},
        t('Show in the template'))));
  }

  showEvents(resource, section) {
    const events = this.model.events.filter(
      (each) => each.stack_id === resource.stack?.id &&
        each.resource_name === resource.name).slice(-8).reverse();
    if (!events.length) return;
    show(section, h('h3', null, t('Events')), h('ul', {class: 'plain'},
      events.map((each) => h('li', null,
        h('span', {class: 'mono muted'}, clockTime(each.event_time)), ' ',
        badge(each.resource_status)))));
  }

  async showDefinition(resource, section, properties) {
    const {needs, resources} = await this.learnReasons(resource.stack);
    const own = needs.get(resource.name) ?? new Map();
    const siblings = [...this.model.resources.values()].filter(
      (each) => each.stack?.id === resource.stack?.id);
    const needed = siblings.filter(
      (each) => each.requiredBy.includes(resource.name));
    const choose = (name) => h('button', {
      type: 'button', class: 'link', on: {click: () => this.graph.goTo(
        `${resource.stack.id}/${name}`)}}, name);
    if (needed.length) {
      show(section, h('h3', null, t('Needs')), h('ul', {class: 'plain'},
        needed.map((each) => h('li', null, choose(each.name),
          h('span', {class: 'muted'}, ' ',
            (own.get(each.name) ?? []).map(reasonText).join(', '))))));
    }
    if (resource.requiredBy.length) {
      section.append(h('h3', null, t('Needed by')), h('ul', {class: 'plain'},
        resource.requiredBy.map((name) => h('li', null, choose(name),
          h('span', {class: 'muted'}, ' ',
            (needs.get(name)?.get(resource.name) ?? [])
              .map(reasonText).join(', '))))));
    }
    const given = resources[resource.name]?.properties ??
      resources[resource.name]?.Properties;
    if (given && Object.keys(given).length) {
      show(properties, h('h3', null, t('Properties')),
        facts(Object.entries(given).map(([name, value]) => [
          name, h('pre', {class: 'value'}, valueText(value))])));
    }
  }

  async showAttributes(resource, section) {
    let found;
    try {
      ({resource: found} = await this.model.detail(resource));
    } catch {
      // It may be gone by now; the rest of the panel stays.
      return;
    }
    const attributes = Object.entries(found.attributes ?? {}).filter(
      ([, value]) => value !== null);
    if (attributes.length) {
      show(section, h('h3', null, t('Attributes')),
        facts(attributes.map(([name, value]) => [
          name, h('pre', {class: 'value'}, valueText(value))])));
    }
    if (!this.api.may('resource:mark_unhealthy')) return;
    section.append(h('div', {class: 'buttons'}, h('button', {
      type: 'button', class: 'small', on: {click: () => attempt(
        () => this.api.patch(`stacks/${enc(resource.stack.name)}/${
          resource.stack.id}/resources/${enc(resource.name)}`,
        {mark_unhealthy: true, resource_status_reason: 'console'}),
        t('The next update replaces it.'))}}, t('Mark as unhealthy'))));
  }

  close() {
    this.stop.abort();
    this.draw.cancel();
    this.graph.stop();
  }
}

/** Show the graph of a stack. */
export function openTab(context) {
  const topology = new Topology(context);
  return () => topology.close();
}
